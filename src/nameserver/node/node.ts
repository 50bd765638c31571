// A node: follows the feed of the api, and applies it to its name server. Wiring of the parts.
import type { Clock } from '#base/clock.ts';
import { sleep, untilAborted } from '#base/wait.ts';
import { MAX_FAILING, type NodeReport, type ReportAnswer } from '#contract/feed.ts';
import type { HealthReport } from '#telemetry/health.ts';
import type { Logger } from '#telemetry/log.ts';
import type { Metrics } from '#telemetry/metrics.ts';
import type { EngineZone, ZoneEngine } from '../engine.ts';
import type { FeedApi } from './api.ts';
import { auditAtStart, auditRunning } from './audit.ts';
import { Comparer } from './compare.ts';
import { limitEngine, withSerialSlot } from './engine-policies.ts';
import { SlowEngine, textOfError } from './faults.ts';
import { createFollower } from './follow.ts';
import { Intake } from './intake.ts';
import { createNodeMetrics } from './metrics.ts';
import { createPermits } from './permits.ts';
import { retryDelay } from './plan.ts';
import { readiness } from './ready.ts';
import { createReporter } from './report.ts';
import type { NodeState } from './state.ts';
import { type TransferParts, Transfers } from './transfers.ts';
import { type FailingZone, unlistedZones, Zones } from './zones.ts';

export interface NodeOptions {
  /** The name under which the node reports. */
  readonly name: string;
  /** The version of this program. */
  readonly version: string;
  readonly api: FeedApi;
  readonly engine: ZoneEngine;
  readonly state: NodeState;
  readonly clock: Clock;
  /** From 0 to 1. */
  readonly random: () => number;
  /** The time of the system, for the report alone. */
  readonly date: () => Date;
  readonly log: Logger;
  readonly metrics: Metrics;
  /** Each zone is compared with the api once in this time, in ms. */
  readonly compareMs: number;
  /** After its start, the node waits at most this long until it caught up with the feed, in ms. */
  readonly behindMs: number;
  /** Whether a list may remove any number of zones at once. */
  readonly removesAll: boolean;
  /**
   * Gives the name server its settings. Called each time that it answers after it did not, before the work of zones begins.
   * An error counts as no answer. (Default: nothing is done.)
   */
  configure?(signal: AbortSignal): Promise<void>;
  /** A text that is the same during one run of the name server; null while it does not run. (Default: it is not watched.) */
  engineRun?(): string | null;
  /** (Default: the node takes no part in zone transfers.) */
  readonly transfers?: TransferParts;
}

export interface RunningNode {
  /** Resolves when the signal has aborted and everything has stopped; rejects when a part fails permanently. */
  readonly ended: Promise<void>;
  ready(): HealthReport;
  report(): NodeReport;
  /** The difference of the clocks, of an answer that came now. @param ms its Date header, in ms since the epoch */
  clockOfApi(ms: number): void;
}

const TICK_MS = 500;
const AUDIT_MS = 60_000;
const ENGINE_RETRY_MIN_MS = 500;
const ENGINE_RETRY_MAX_MS = 5_000;
/** Signatures begin and end at times of the clock, so a wrong clock makes them invalid. */
const CLOCK_OFF_MS = 60_000;

/** Begins at once, and runs until the signal aborts. */
export function startNode(options: NodeOptions, parent: AbortSignal): RunningNode {
  const { api, clock, log, random, state } = options;
  const stop = new AbortController();
  const { signal } = stop;
  void untilAborted(parent).then(() => stop.abort(parent.reason));
  const startedAt = options.date().toISOString();
  const began = clock.now();
  const present = new Set<string>();
  let engineVersion = 'unknown';
  let isEngineUp = false;
  let engineRun: string | null | undefined;
  let loading: ReadonlySet<string> = new Set();
  let loadingSince = began;
  let wasReady = false;
  let feedProblem: string | null = 'the node has not connected yet';
  let reported: string | null = null;
  let stateProblem: string | null = null;
  let isDuplicate = false;
  /** The clock of the api, at a time of the monotonic clock: corrections of this machine's clock show in the difference. */
  let apiClock: { ms: number; at: number } | null = null;
  let wasClockOff = false;
  let wakeWatch: () => void = () => undefined;

  const limited = limitEngine(options.engine, clock, (ok) => {
    if (!ok) wakeWatch();
  });
  const parts = options.transfers;
  const transfers =
    parts === undefined
      ? undefined
      : new Transfers({ ...options, node: options.name, engine: limited, api: parts.api, transfers: parts.engine });
  const engine = transfers === undefined ? limited : withSerialSlot(limited, () => transfers.slot());
  const zones: Zones = new Zones(
    {
      api,
      engine,
      state,
      present,
      clock,
      random,
      log,
      permits: createPermits(),
      reads: createPermits(),
      onProgress: (result) => {
        metrics.worked(result);
        transfers?.changed();
        intake.save();
        if (result === 'failed' || cursor() !== reported) reporter.soon();
      },
      onReloaded: (name, names) => comparer.reloaded(name, names),
      onDoubt: (name) => comparer.doubt(name),
      onAbsent: () => {
        if (intake.requireList()) follower.reconnect();
      },
    },
    signal,
  );
  const comparer = new Comparer({
    api,
    engine,
    state,
    zones,
    clock,
    random,
    log,
    intervalMs: options.compareMs,
    onCompared: (result) => metrics.compared(result),
    onMended: (names) => metrics.mended(names),
  });
  const intake = new Intake({
    zones,
    state,
    present,
    clock,
    log,
    removesAll: options.removesAll,
    onEpoch: () => comparer.all('the database of the api is another one, or was restored'),
  });
  const follower = createFollower({
    api,
    clock,
    random,
    log,
    after: () => intake.after(),
    onLine: (line) => {
      feedProblem = null;
      intake.line(line);
    },
    onEnd: (ending, problem) => {
      metrics.ended(ending);
      feedProblem = problem;
    },
  });
  const reporter = createReporter({ api, clock, log, report: () => report(), onAnswer: (answer) => onAnswer(answer) });

  const cursor = (): string | null => zones.position.reached()?.cursor ?? state.facts().cursor;
  const failing = (): FailingZone[] => [...zones.failing(), ...unlistedZones(state)];
  const behindMs = () => clock.now() - (zones.position.reached()?.at ?? began);

  const report = (): NodeReport => {
    const all = failing();
    reported = cursor();
    return {
      node: options.name,
      instance: state.instance,
      startedAt,
      version: options.version.slice(0, 64),
      engine: engineVersion.slice(0, 64),
      cursor: reported,
      zones: state.rows().size,
      failingCount: all.length,
      failing: all
        .slice(0, MAX_FAILING)
        .map(({ id, name, error }) => ({ id, error: `${name}: ${error}`.slice(0, 500) })),
    };
  };

  const onAnswer = (answer: ReportAnswer): void => {
    transfers?.told(answer.transfers);
    if (answer.duplicate !== isDuplicate) {
      isDuplicate = answer.duplicate;
      metrics.duplicate(isDuplicate);
      if (isDuplicate)
        log.error(`another node reports as "${options.name}". Give each node a name of its own (ZONESTEAD_NODE_NAME)`);
      else log.info(`no other node reports as "${options.name}" any more`);
    }
    if (answer.compare === null || answer.compare === state.facts().compare) return;
    state.setFacts({ compare: answer.compare });
    comparer.all('an operator asked for it');
  };

  const clockOffMs = () =>
    apiClock === null ? 0 : apiClock.ms + (clock.now() - apiClock.at) - options.date().getTime();
  const judgeClock = (): void => {
    const off = clockOffMs();
    const isOff = Math.abs(off) > CLOCK_OFF_MS;
    if (isOff && !wasClockOff)
      log.warn(
        `the clock of this machine differs from the clock of the api by ${Math.round(off / 1000)} s. Signatures are valid at certain times only: set the clock (NTP)`,
      );
    if (!isOff && wasClockOff) log.info('the clock of this machine agrees with the clock of the api again');
    wasClockOff = isOff;
  };

  const metrics = createNodeMetrics(options.metrics, {
    clockOffSeconds: () => clockOffMs() / 1000,
    lagSeconds: () => behindMs() / 1000,
    zones: () => state.rows().size,
    failing: () => failing().length,
    waiting: () => zones.waiting(),
    unlisted: () => [...unlistedZones(state)].length,
    isConnected: () => feedProblem === null,
    isEngineUp: () => isEngineUp,
    isStateStored: () => state.problem() === null,
  });

  /** Asks the name server for its zones, and keeps whether it answers. */
  const ask = async (): Promise<readonly EngineZone[] | null> => {
    try {
      const run = options.engineRun?.();
      const found = await engine.zones(signal);
      const isLoading = ({ name, serial }: EngineZone) =>
        serial === null && (state.rows().get(name)?.engineSerial ?? null) !== null;
      const now = new Set(found.filter(isLoading).map(({ name }) => name));
      if (loading.size === 0 || run !== engineRun) loadingSince = clock.now();
      loading = now;
      engineRun = run;
      if (!isEngineUp) {
        await options.configure?.(signal);
        engineVersion = await options.engine.version();
        log.info({ engine: engineVersion, zones: found.length }, 'the name server answers');
        isEngineUp = true;
        transfers?.invalidate();
        zones.retryAll();
      }
      return found;
    } catch (error) {
      if (signal.aborted) return null;
      if (isEngineUp && error instanceof SlowEngine) {
        log.warn(`${error.message}. It may be at long work, and answers queries meanwhile`);
        return null;
      }
      if (isEngineUp || engineVersion === 'unknown')
        log.error(`the name server does not answer: ${textOfError(error)}`);
      if (engineVersion === 'unknown') engineVersion = '';
      isEngineUp = false;
      return null;
    }
  };

  const firstZones = async (): Promise<void> => {
    for (let attempts = 1; !signal.aborted; attempts++) {
      const found = await ask();
      if (found !== null) {
        const { lost, doubtful, unknown } = auditAtStart({ state, present }, found);
        log.info(
          { zones: found.length, lost: lost.length, doubtful: doubtful.length, unknown: unknown.length },
          'the zones of the name server are compared with the state of the node',
        );
        return;
      }
      await sleep(clock, retryDelay(attempts, ENGINE_RETRY_MIN_MS, ENGINE_RETRY_MAX_MS, random), signal).catch(
        () => undefined,
      );
    }
  };

  const watchEngine = async (): Promise<void> => {
    const doubtedLoading = new Set<string>();
    let doubtedRun = engineRun;
    for (;;) {
      await new Promise<void>((resolve) => {
        const end = () => {
          cancel();
          signal.removeEventListener('abort', end);
          wakeWatch = () => undefined;
          resolve();
        };
        const cancel = clock.setTimeout(end, isEngineUp && loading.size === 0 ? AUDIT_MS : ENGINE_RETRY_MIN_MS);
        wakeWatch = end;
        if (signal.aborted) end();
        else signal.addEventListener('abort', end, { once: true });
      });
      // Several commands fail together when the name server goes away.
      await sleep(clock, ENGINE_RETRY_MIN_MS, signal).catch(() => undefined);
      if (signal.aborted) return;
      const before = new Map(state.rows());
      const found = await ask();
      if (found === null) continue;
      const { lost, doubtful, unknown } = auditRunning({ state, present }, found, before, (name) => zones.isBusy(name));
      if (lost.length > 0)
        log.error(
          { zones: lost.slice(0, 10), lost: lost.length },
          'the name server lost zones; the node adds them again',
        );
      if (unknown.length > 0)
        log.warn(
          { zones: unknown.slice(0, 10) },
          'the name server has zones that the node did not add; the list of the api decides about them',
        );
      for (const name of lost) zones.add({ kind: 'reload', id: state.rows().get(name)?.id ?? '', name });
      // A zone that loads is in doubt once, and again if it has another serial afterwards. A zone with work is judged later.
      const isNewRun = doubtedRun !== engineRun;
      doubtedRun = engineRun;
      for (const name of doubtedLoading) if (isNewRun || !loading.has(name)) doubtedLoading.delete(name);
      for (const name of doubtful) {
        if (doubtedLoading.has(name)) continue;
        if (loading.has(name)) doubtedLoading.add(name);
        comparer.doubt(name);
      }
      if (unknown.length === 0) continue;
      intake.askForList();
      follower.reconnect();
    }
  };

  /** The name server was killed, and has started again between two questions: its zones have to load. */
  const watchRun = (): void => {
    const run = options.engineRun?.();
    if (!isEngineUp || run === engineRun) return;
    log.warn(run === null ? 'the name server does not run' : 'the name server was started again');
    isEngineUp = false;
    wakeWatch();
  };

  const tick = async (): Promise<void> => {
    while (!signal.aborted) {
      await sleep(clock, TICK_MS, signal).catch(() => undefined);
      watchRun();
      zones.leaveOutLate();
      judgeClock();
      intake.saveSeldom();
      if (cursor() !== reported) reporter.soon();
      if (intake.isSecondListDue()) {
        intake.askForList();
        follower.reconnect();
      }
      const problem = state.problem();
      if (problem !== null && stateProblem === null)
        log.error(
          `the state of the node cannot be stored: ${problem}. The node keeps working; make room in its folder`,
        );
      stateProblem = problem;
    }
  };

  const run = async (): Promise<void> => {
    await firstZones();
    await transfers?.begin(signal);
    if (signal.aborted) return;
    for (const { id, name, isDirty, isUnlisted } of [...state.rows().values()]) {
      if (isDirty && !isUnlisted && id !== '') zones.add({ kind: 'reload', id, name }, false);
    }
    const parts = [follower.run(signal), reporter.run(signal), comparer.run(signal), watchEngine(), tick()];
    if (transfers !== undefined) parts.push(transfers.run(signal));
    try {
      await Promise.all(parts);
    } finally {
      stop.abort();
      await Promise.allSettled(parts);
      await zones.settled();
    }
  };

  return {
    ended: run(),
    ready: () => {
      const report = readiness({
        isListed: cursor() !== null,
        isCaughtUp: zones.position.reached() !== null,
        wasReady,
        upMs: clock.now() - began,
        limitMs: options.behindMs,
        behindMs: behindMs(),
        feedProblem,
        isEngineUp,
        loading: loading.size,
        loadingMs: clock.now() - loadingSince,
        stateProblem: state.problem(),
        failing: failing().length,
      });
      wasReady ||= report.ok;
      return report;
    },
    report,
    clockOfApi: (ms) => {
      apiClock = { ms, at: clock.now() };
      judgeClock();
    },
  };
}

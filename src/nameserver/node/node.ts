// A node: follows the feed of the api, and applies it to its name server. This file connects the parts.
import type { Clock } from '#base/clock.ts';
import { sleep, untilAborted } from '#base/wait.ts';
import { MAX_FAILING, type NodeReport, type ReportAnswer } from '#contract/feed.ts';
import type { HealthReport } from '#telemetry/health.ts';
import type { Logger } from '#telemetry/log.ts';
import type { Metrics } from '#telemetry/metrics.ts';
import type { ZoneEngine } from '../engine.ts';
import { Absence } from './absence.ts';
import type { FeedApi } from './api.ts';
import { ApiClock } from './api-clock.ts';
import { Comparer } from './compare.ts';
import { EndingsReader } from './endings.ts';
import { limitEngine, withSerialSlot } from './engine-policies.ts';
import { EngineWatch } from './engine-watch.ts';
import { createFollower, type Ending, type Follower } from './follow.ts';
import { Intake } from './intake.ts';
import { createNodeMetrics, type NodeMetrics } from './metrics.ts';
import { createPermits } from './permits.ts';
import type { Prober } from './prober.ts';
import { isLoadAwaited, readiness } from './ready.ts';
import { createReporter, describeHeld, type Reporter } from './report.ts';
import { Salvager } from './salvage.ts';
import type { NodeState } from './state.ts';
import { type TransferParts, Transfers } from './transfers.ts';
import { type FailingZone, listUnlisted, Zones } from './zones.ts';

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
  /** After a start of its name server, the node waits at most this long for the zones that it served, in ms. */
  readonly loadMs: number;
  /** Whether a list may remove any number of zones at once. */
  readonly removesAll: boolean;
  /**
   * Gives the name server its settings. Called each time that it answers after it did not, before the work of zones
   * begins. An error counts as no answer.
   */
  configure?(signal: AbortSignal): Promise<void>;
  /** A text that is the same during one run of the name server; null while it does not run. Absent: not watched. */
  engineRun?(): string | null;
  /** Absent: the node takes no part in zone transfers. */
  readonly transfers?: TransferParts;
  /** Absent: the node does not probe for health checks. */
  readonly prober?: Prober;
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

/** Begins at once, and runs until the signal aborts. */
export function startNode(options: NodeOptions, parent: AbortSignal): RunningNode {
  const stop = new AbortController();
  void untilAborted(parent).then(() => stop.abort(parent.reason));
  const node = new Node(options, stop.signal);
  return {
    ended: node.run(stop),
    ready: () => node.ready(),
    report: () => node.report(),
    clockOfApi: (ms) => node.apiClock.tell(ms),
  };
}

class Node {
  readonly apiClock: ApiClock;
  readonly #options: NodeOptions;
  readonly #signal: AbortSignal;
  readonly #startedAt: string;
  readonly #began: number;
  /** The zones that the name server has. */
  readonly #present = new Set<string>();
  readonly #transfers: Transfers | undefined;
  readonly #zones: Zones;
  readonly #comparer: Comparer;
  readonly #intake: Intake;
  readonly #follower: Follower;
  readonly #reporter: Reporter;
  readonly #watch: EngineWatch;
  readonly #absence = new Absence();
  readonly #salvager: Salvager;
  readonly #endings: EndingsReader;
  readonly #metrics: NodeMetrics;
  #wasReady = false;
  #feedProblem: string | null = 'the node has not connected yet';
  #feedEnding: Ending = 'unreachable';
  /** The cursor of the last report. */
  #reported: string | null = null;
  #stateProblem: string | null = null;
  #isDuplicate = false;

  constructor(options: NodeOptions, signal: AbortSignal) {
    this.#options = options;
    this.#signal = signal;
    this.#startedAt = options.date().toISOString();
    this.#began = options.clock.now();
    this.apiClock = new ApiClock(options);
    const limitedEngine = limitEngine(options.engine, options.clock, (ok) => this.#watch.noteCommand(ok));
    const transfers = this.#createTransfers(limitedEngine);
    const engine = transfers === undefined ? limitedEngine : withSerialSlot(limitedEngine, () => transfers.slot());
    this.#transfers = transfers;
    this.#zones = this.#createZones(engine);
    this.#comparer = this.#createComparer(engine);
    this.#intake = this.#createIntake();
    this.#follower = this.#createFollower();
    this.#reporter = createReporter({
      ...options,
      isSilent: () => this.#isEngineLongAway(),
      report: () => this.report(),
      onAnswer: (answer) => this.#onAnswer(answer),
    });
    this.#watch = this.#createWatch(engine);
    this.#salvager = new Salvager({ ...options, engine }, signal);
    this.#endings = new EndingsReader(options, signal);
    this.#metrics = this.#createMetrics();
  }

  #createTransfers(engine: ZoneEngine): Transfers | undefined {
    const { name: node, transfers: parts } = this.#options;
    if (parts === undefined) return undefined;
    return new Transfers({ ...this.#options, node, engine, api: parts.api, transfers: parts.engine });
  }

  #createZones(engine: ZoneEngine): Zones {
    const options = {
      ...this.#options,
      engine,
      present: this.#present,
      permits: createPermits(),
      reads: createPermits(),
      onProgress: (result: 'applied' | 'failed') => this.#onProgress(result),
      onReloaded: (name: string, names: readonly string[]) => this.#comparer.reloaded(name, names),
      onDoubt: (name: string) => this.#comparer.doubt(name),
      onAbsent: () => {
        if (this.#intake.requireList()) this.#follower.reconnect();
      },
    };
    return new Zones(options, this.#signal);
  }

  #createComparer(engine: ZoneEngine): Comparer {
    return new Comparer({
      ...this.#options,
      engine,
      zones: this.#zones,
      intervalMs: this.#options.compareMs,
      onCompared: (result) => this.#metrics.compared(result),
      onMended: (names) => this.#metrics.mended(names),
    });
  }

  #createIntake(): Intake {
    return new Intake({
      ...this.#options,
      zones: this.#zones,
      present: this.#present,
      onEpoch: () => this.#comparer.all('the database of the api is another one, or was restored'),
    });
  }

  #createFollower(): Follower {
    return createFollower({
      ...this.#options,
      after: () => this.#intake.after(),
      onLine: (line) => {
        this.#feedProblem = null;
        this.#intake.line(line);
      },
      onEnd: (ending, problem) => {
        this.#metrics.ended(ending);
        this.#feedProblem = problem;
        this.#feedEnding = ending;
      },
    });
  }

  #createWatch(engine: ZoneEngine): EngineWatch {
    const { state } = this.#options;
    return new EngineWatch({
      ...this.#options,
      engine,
      present: this.#present,
      onUp: () => {
        this.#transfers?.invalidate();
        this.#absence.end(this.#failingNames(), this.#options.clock.now());
        this.#zones.retryAll();
      },
      isBusy: (name) => this.#zones.isBusy(name),
      onLost: (name) => this.#zones.add({ kind: 'reload', id: state.rows().get(name)?.id ?? '', name }),
      onDoubt: (name) => this.#comparer.doubt(name),
      onUnknown: () => this.#askForList(),
    });
  }

  #createMetrics(): NodeMetrics {
    const { metrics, state } = this.#options;
    return createNodeMetrics(metrics, {
      clockOffSeconds: () => this.apiClock.offMs() / 1000,
      lagSeconds: () => this.#behindMs() / 1000,
      zones: () => state.rows().size,
      failing: () => this.#failing().length,
      waiting: () => this.#zones.waiting(),
      unlisted: () => listUnlisted(state).length,
      isConnected: () => this.#feedProblem === null,
      feedEnding: () => (this.#feedProblem === null ? null : this.#feedEnding),
      signatureSeconds: () => this.#comparer.firstSignatureEnd() - this.#options.date().getTime() / 1_000,
      isEngineUp: () => this.#watch.isUp,
      isStateStored: () => state.problem() === null,
    });
  }

  #cursor(): string | null {
    return this.#zones.position.reached()?.cursor ?? this.#options.state.facts().cursor;
  }

  #failing(): FailingZone[] {
    const names = new Set(this.#failingNames());
    return [...this.#zones.failing(), ...this.#unloaded().filter(({ name }) => !names.has(name))];
  }

  #failingNames(): string[] {
    return [...this.#zones.failing()].map(({ name }) => name);
  }

  #isEngineLongAway(): boolean {
    const now = this.#options.clock.now();
    this.#absence.note(this.#watch.isUp, now);
    return this.#absence.isLong(now);
  }

  /** The zones that the name server did not load, and that the node does not wait for. */
  #unloaded(): FailingZone[] {
    const { failed, waited } = this.#watch.loading;
    const names = isLoadAwaited(this.#load()) ? [...failed] : [...failed, ...waited];
    const error = 'the name server has not loaded the zone since its start';
    return names.map((name) => ({ id: this.#options.state.rows().get(name)?.id ?? '', name, error }));
  }

  #load() {
    const { clock, loadMs: loadLimitMs } = this.#options;
    const { loading } = this.#watch;
    const now = clock.now();
    return {
      loading: loading.waited.size,
      loadingMs: loading.loadingMs(now),
      stalledMs: loading.stalledMs(now),
      loadLimitMs,
    };
  }

  #behindMs(): number {
    return this.#options.clock.now() - (this.#zones.position.reached()?.at ?? this.#began);
  }

  #askForList(): void {
    this.#intake.askForList();
    this.#follower.reconnect();
  }

  #onProgress(result: 'applied' | 'failed'): void {
    this.#metrics.worked(result);
    this.#transfers?.changed();
    this.#intake.save();
    this.#watch.noteWork(result);
    if (result === 'failed' || this.#cursor() !== this.#reported) this.#reporter.soon();
  }

  #onAnswer(answer: ReportAnswer): void {
    const { log, name, state } = this.#options;
    this.#transfers?.told(answer.transfers);
    this.#intake.acceptRemovals(answer.removals);
    this.#salvager.told(answer.salvage);
    this.#endings.told(answer.endings);
    if (answer.duplicate !== this.#isDuplicate) {
      this.#isDuplicate = answer.duplicate;
      this.#metrics.duplicate(answer.duplicate);
      if (answer.duplicate)
        log.error(`another node reports as "${name}". Give each node a name of its own (ZONESTEAD_NODE_NAME)`);
      else log.info(`no other node reports as "${name}" any more`);
    }
    if (answer.compare === null || answer.compare === state.facts().compare) return;
    state.setFacts({ compare: answer.compare });
    this.#comparer.all('an operator asked for it');
  }

  report(): NodeReport {
    const { name: node, version, state } = this.#options;
    const all = this.#failing();
    this.#reported = this.#cursor();
    return {
      node,
      instance: state.instance,
      startedAt: this.#startedAt,
      version: version.slice(0, 64),
      engine: this.#watch.version.slice(0, 64),
      cursor: this.#reported,
      zones: state.rows().size,
      failingCount: all.length,
      failing: all
        .slice(0, MAX_FAILING)
        .map(({ id, name, error }) => ({ id, error: `${name}: ${error}`.slice(0, 500) })),
      ...describeHeld(listUnlisted(state)),
    };
  }

  ready(): HealthReport {
    const { clock, behindMs, state } = this.#options;
    const returningMs = this.#absence.returningMs(this.#failingNames(), clock.now());
    const report = readiness({
      isListed: this.#cursor() !== null,
      isCaughtUp: this.#zones.position.reached() !== null && returningMs === null,
      wasReady: this.#wasReady && returningMs === null,
      upMs: returningMs ?? clock.now() - this.#began,
      limitMs: behindMs,
      behindMs: this.#behindMs(),
      feedProblem: this.#feedProblem,
      isEngineUp: this.#watch.isUp,
      ...this.#load(),
      stateProblem: state.problem(),
      failing: this.#failing().length,
    });
    this.#wasReady ||= report.ok;
    return report;
  }

  /**
   * Runs all parts until the signal of the node aborts, or until one of them fails.
   * @param stop ends the other parts then
   */
  async run(stop: AbortController): Promise<void> {
    const signal = this.#signal;
    await this.#watch.firstZones(signal);
    await this.#transfers?.begin(signal);
    if (signal.aborted) return;
    for (const { id, name, isDirty, unlisted } of [...this.#options.state.rows().values()]) {
      if (isDirty && unlisted === null && id !== '')
        this.#zones.add({ kind: 'reload', id, name }, { isCounted: false });
    }
    const parts = [
      ...[this.#follower, this.#reporter, this.#comparer, this.#watch],
      ...[this.#transfers, this.#options.prober].filter((part) => part !== undefined),
    ];
    const runs = [...parts.map((part) => part.run(signal)), this.#tick()];
    try {
      await Promise.all(runs);
      await this.#reporter.leave();
    } finally {
      stop.abort();
      await Promise.allSettled(runs);
      await this.#zones.settled();
      await this.#salvager.settled();
      await this.#endings.settled();
    }
  }

  async #tick(): Promise<void> {
    const { clock } = this.#options;
    while (!this.#signal.aborted) {
      await sleep(clock, TICK_MS, this.#signal).catch(() => undefined);
      this.#watch.watchRun();
      this.#zones.leaveOutLate();
      this.apiClock.judge();
      this.#intake.saveSeldom();
      if (this.#cursor() !== this.#reported) this.#reporter.soon();
      if (this.#intake.isListDue()) this.#askForList();
      this.#watchState();
    }
  }

  #watchState(): void {
    const { log, state } = this.#options;
    const problem = state.problem();
    if (problem !== null && this.#stateProblem === null)
      log.error(`the state of the node cannot be stored: ${problem}. The node keeps working; make room in its folder`);
    this.#stateProblem = problem;
  }
}

// Probes the addresses of checks, and reads the signals of monitors. One api process at a time does it, by a lease in
// the database; the others take over within seconds. Without the database or the api nothing changes: the last state
// is served.
import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import type { Clock } from '#base/clock.ts';
import { sleep } from '#base/wait.ts';
import { dropPastSignals, unequalSignals } from '#store/check-signals.ts';
import {
  allTargets,
  dropUnwantedTargets,
  endPastPins,
  giveCheckLease,
  hasChecks,
  markTarget,
  takeCheckLease,
  targetsVersion,
  unmarkedCheckTargets,
} from '#store/check-targets.ts';
import type { Db } from '#store/database.ts';
import type { MayProbe } from './allowed.ts';
import { Flips } from './flips.ts';
import { countProbe, nextProbeMs } from './judge.ts';
import { ProbeLines } from './lines.ts';
import type { CheckerMetrics } from './metrics.ts';
import type { Probe } from './probe.ts';
import { isProbed, type ProbedTarget, Targets } from './targets.ts';

export interface CheckerOptions {
  db: Db;
  probe: Probe;
  mayProbe: MayProbe;
  clock: Clock;
  log: Logger;
  metrics: CheckerMetrics;
  /** Wakes the feed of this process after a change of answers. */
  announce(): void;
}

/** Another process takes over after so long without this one, in ms. */
const LEASE_MS = 5_000;
const ROUND_MS = 500;
/** How often the table is cleared of addresses that no record has, in ms. */
const SWEEP_MS = 30_000;
/** A change of answers is left to the process that made it for this long, in ms. */
const LEFT_MS = 2_000;
/** The reason of an address that no signal is about. */
const NO_SIGNAL = 'No signal lasts: the monitor sent none yet, or the last one has ended.';
/** Reasons of monitors that are written in a round. */
const MAX_EXPLAINED = 200;
/** Probes in flight. */
const AT_ONCE = 256;
/** How often the lines of waiting probes are looked at, in ms. */
const PUMP_MS = 50;

/** Runs until the signal aborts. */
export async function runChecker(options: CheckerOptions, signal: AbortSignal): Promise<void> {
  const checker = new Checker(options, signal);
  await checker.run();
}

class Checker {
  readonly #options: CheckerOptions;
  readonly #signal: AbortSignal;
  readonly #holder = randomUUID();
  readonly #targets = new Targets();
  readonly #lines = new ProbeLines<ProbedTarget>(AT_ONCE);
  readonly #flips: Flips;
  readonly #running = new Set<Promise<void>>();
  #hasLease = false;
  #sweepAt = 0;
  /** The version of the targets that were read; empty: they must be read. */
  #version = '';

  constructor(options: CheckerOptions, signal: AbortSignal) {
    this.#options = options;
    this.#signal = signal;
    this.#flips = new Flips({ ...options, holder: this.#holder, targets: this.#targets });
  }

  async run(): Promise<void> {
    const { clock, log, db } = this.#options;
    const pump = this.#runPump();
    let hasFailed = false;
    while (!this.#signal.aborted) {
      try {
        await this.#round();
        hasFailed = false;
      } catch (error) {
        if (!hasFailed && !this.#signal.aborted) log.warn({ err: error }, 'failed to read the health checks; retrying');
        hasFailed = true;
      }
      await sleep(clock, ROUND_MS, this.#signal).catch(() => undefined);
    }
    this.#targets.clear();
    await Promise.all([pump, ...this.#running]);
    if (this.#hasLease) await giveCheckLease(db, this.#holder).catch(() => undefined);
  }

  /** Keeps the lease and the targets. */
  async #round(): Promise<void> {
    const { db, clock, metrics } = this.#options;
    if (!this.#hasLease && !(await hasChecks(db))) return;
    this.#hasLease = await takeCheckLease(db, this.#holder, LEASE_MS);
    metrics.setHolder(this.#hasLease);
    if (!this.#hasLease) {
      this.#targets.clear();
      this.#version = '';
      return;
    }
    await endPastPins(db);
    if (clock.now() >= this.#sweepAt) {
      await dropUnwantedTargets(db);
      await dropPastSignals(db);
      this.#version = '';
      this.#sweepAt = clock.now() + SWEEP_MS;
    }
    const version = await targetsVersion(db);
    if (version !== this.#version) await this.#readTargets();
    this.#version = version;
    await this.#readSignals();
    await this.#finishMarks();
  }

  async #readTargets(): Promise<void> {
    const isFirst = this.#targets.size === 0;
    const freshTargets = this.#targets.update(await allTargets(this.#options.db)).filter(isProbed);
    // Many addresses at the start of the process are spread over their intervals; a new one is probed at once.
    for (const [index, target] of freshTargets.entries())
      this.#schedule(target, isFirst ? ((index % 100) / 100) * target.definition.interval * 1_000 : 0);
  }

  async #readSignals(): Promise<void> {
    const signalled = this.#targets.signalled();
    if (signalled.length === 0) return;
    const changed = this.#targets.noteSignals(await unequalSignals(this.#options.db, NO_SIGNAL));
    for (const target of signalled) this.#flips.look(target);
    await this.#flips.explain(changed.slice(0, MAX_EXPLAINED));
  }

  async #finishMarks(): Promise<void> {
    const { db, announce, log } = this.#options;
    for (const { mark, ...key } of await unmarkedCheckTargets(db, LEFT_MS)) {
      await markTarget(db, key, mark, Math.floor(this.#options.clock.now() / 1_000)).catch((error) =>
        log.warn({ err: error, address: key.address }, 'failed to mark the zones of a checked address; retrying'),
      );
      announce();
    }
  }

  #schedule(target: ProbedTarget, ms: number): void {
    if (!target.isWanted || this.#signal.aborted) return;
    const refusal = this.#options.mayProbe(target.address, target.definition);
    if (refusal !== null) {
      void this.#flips.refuse(target, refusal);
      return;
    }
    target.cancel = this.#options.clock.setTimeout(() => {
      this.#lines.add(target);
      this.#pump();
    }, ms);
  }

  #pump(): void {
    const { clock } = this.#options;
    for (let target = this.#lines.take(clock.now()); target !== undefined; target = this.#lines.take(clock.now())) {
      const work = this.#probe(target).finally(() => this.#running.delete(work));
      this.#running.add(work);
    }
  }

  /** Never rejects. */
  async #probe(target: ProbedTarget): Promise<void> {
    const { probe, metrics } = this.#options;
    try {
      if (!target.isWanted) return;
      const outcome = await probe(target.address, target.definition, this.#signal);
      metrics.countProbe(outcome === null);
      target.failure = outcome;
      target.track = countProbe(target.track, outcome === null);
      this.#flips.look(target);
    } catch {
      // The process ends.
    } finally {
      this.#lines.end(target);
      this.#schedule(target, nextProbeMs(target.track, target.definition));
    }
  }

  /** Starts probes that waited for their turn or their address, and lets states change. */
  async #runPump(): Promise<void> {
    const { clock } = this.#options;
    while (!this.#signal.aborted) {
      await sleep(clock, PUMP_MS, this.#signal).catch(() => undefined);
      if (this.#lines.waiting > 0) this.#pump();
      this.#lines.forget(clock.now());
      await this.#flips.settle();
    }
  }
}

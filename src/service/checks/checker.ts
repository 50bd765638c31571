// Probes the addresses of checks, unless name servers do, and reads their votes and the signals of monitors. One api
// process at a time does it, by a lease in the database; the others take over within seconds. Without the database or
// the api nothing changes: the last state is served.
import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import type { Clock } from '#base/clock.ts';
import type { MayProbe } from '#base/probes/allowed.ts';
import { ADDRESS_MS } from '#base/probes/lines.ts';
import type { Probe } from '#base/probes/probe.ts';
import { ProbeRunner } from '#base/probes/runner.ts';
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
import { dropSilentVantages } from '#store/check-votes.ts';
import type { Db } from '#store/database.ts';
import { Flips } from './flips.ts';
import type { CheckerMetrics } from './metrics.ts';
import { isProbed, type ProbedTarget, Targets } from './targets.ts';
import { Votes } from './votes.ts';

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
  readonly #runner: ProbeRunner<ProbedTarget>;
  readonly #flips: Flips;
  readonly #votes: Votes;
  #hasLease = false;
  #sweepAt = 0;
  /** The version of the targets that were read; empty: they must be read. */
  #version = '';

  constructor(options: CheckerOptions, signal: AbortSignal) {
    this.#options = options;
    this.#signal = signal;
    const shared = { ...options, holder: this.#holder, targets: this.#targets };
    this.#flips = new Flips(shared);
    this.#votes = new Votes({ ...shared, flips: this.#flips });
    const onProbed = (target: ProbedTarget, isOk: boolean) => {
      options.metrics.countProbe(isOk);
      this.#flips.look(target);
    };
    // The api takes the place of a name server that is silent, so it has the same share of the probes of an address.
    const apartMs = () => Math.max(1, this.#votes.vantages) * ADDRESS_MS;
    const isOurs = ({ decision }: ProbedTarget) => decision === null;
    this.#runner = new ProbeRunner({ ...options, apartMs, isOurs, onProbed }, signal);
  }

  async run(): Promise<void> {
    const { clock, log, db } = this.#options;
    const probes = this.#runner.run(() => this.#decide());
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
    await probes;
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
      this.#votes.clear();
      this.#version = '';
      return;
    }
    await endPastPins(db);
    if (clock.now() >= this.#sweepAt) {
      await dropUnwantedTargets(db);
      await dropPastSignals(db);
      await dropSilentVantages(db);
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
    const probed = freshTargets.filter((target) => this.#isAllowed(target));
    this.#runner.begin(probed, isFirst);
  }

  /** A refusal is written to the table. */
  #isAllowed(target: ProbedTarget): boolean {
    const refusal = this.#options.mayProbe(target.address, target.definition);
    if (refusal !== null) void this.#flips.refuse(target, refusal);
    return refusal === null;
  }

  async #readSignals(): Promise<void> {
    const signalled = this.#targets.signalled();
    if (signalled.length === 0) return;
    const changed = this.#targets.noteSignals(await unequalSignals(this.#options.db, NO_SIGNAL));
    for (const target of signalled) this.#flips.look(target);
    await this.#flips.explain(changed);
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

  /** Lets states change as votes, probes and signals call for. Never rejects. */
  async #decide(): Promise<void> {
    if (!this.#hasLease) return;
    // Without new votes, the last ones count for a while. The round of the checker logs that the database is down.
    await this.#votes.refresh().catch(() => undefined);
    await this.#flips.settle();
  }
}

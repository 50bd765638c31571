// Resolves ALIAS targets and keeps them fresh: the worker takes due targets from the table, stores the answers and
// marks the zones that serve them as changed. It runs in every api process, because name servers may only read; the
// table gives each target to one process.
//
// The configured resolvers resolve all targets, including those in our own zones. If this service's name server is one
// of the resolvers, it answers with authority for every zone of every team. Such an answer is trusted only within zones
// of the ALIAS's owner: otherwise a team could create a zone with the name of another team's target and redirect that
// ALIAS.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { Limit } from '#base/limit.ts';
import {
  addMissingTargets,
  countTargets,
  type DueTarget,
  keepAliasAnswer,
  markOwnedZones,
  takeDueTargets,
  takeNewTarget,
  unmarkedTargets,
} from '#store/alias-answers.ts';
import type { Db } from '#store/database.ts';
import type { OwnedTarget } from '#store/due-targets.ts';
import type { Metrics } from '#telemetry/metrics.ts';
import { type FamilyOutcome, planAnswer } from './alias-plan.ts';
import { runDueTargets } from './due-worker.ts';
import { type IsTrustedName, type Resolve, ResolveFailure } from './resolver.ts';
import { trustWithin } from './trusted-names.ts';

export interface AliasOptions {
  db: Db;
  resolve: Resolve;
  log: Logger;
  metrics: Metrics;
  /** Unix time in ms. */
  now(): number;
  /** The time between two queries for due targets, in ms. (Default: 200.) */
  pollMs?: number;
}

export interface Aliases {
  /**
   * Resolves a target that is about to get its first record, so that the record has an answer from the start. Waits at
   * most 1 s and never throws: the worker resolves a target that is slow, fails, or finds no free permit.
   */
  prepare(target: OwnedTarget): Promise<void>;
  /** Runs the worker until the signal aborts. */
  run(signal: AbortSignal): Promise<void>;
}

/** Resolutions at once in one process, and for one owner: slow targets of one owner do not delay other owners. */
const AT_ONCE = 32;
const EACH = 8;
/** The limit of one resolution of both families. */
const RESOLVE_MS = 5_000;
/** Longer than a resolution takes: when a replica has died, another one takes its target after this time. */
const LEASE_MS = 20_000;
const PREPARE_MS = 1_000;
const SWEEP_MS = 30_000;

export function createAliases(options: AliasOptions): Aliases {
  return new DatabaseAliases(options);
}

class DatabaseAliases implements Aliases {
  readonly #options: AliasOptions;
  readonly #pollMs: number;
  readonly #resolutions: ReturnType<typeof countResolutions>;
  readonly #targets: ReturnType<typeof gaugeTargets>;
  // Two limits: a request that prepares its target must not wait for the worker, nor the worker for requests.
  readonly #preparing = new Limit({ permits: AT_ONCE, share: EACH });
  readonly #working = new Limit({ permits: AT_ONCE, share: EACH });

  constructor(options: AliasOptions) {
    this.#options = options;
    const { metrics } = this.#options;
    this.#pollMs = options.pollMs ?? 200;
    this.#resolutions = countResolutions(metrics);
    this.#targets = gaugeTargets(metrics);
  }

  async prepare({ target, owner }: OwnedTarget): Promise<void> {
    const { db, log } = this.#options;
    const leave = this.#preparing.tryTake(owner);
    if (leave === null) return;
    let isUnderWay = false;
    try {
      const dueTarget = await takeNewTarget(db, { target, owner }, LEASE_MS);
      if (dueTarget === null) return;
      isUnderWay = true;
      const refreshEnd = this.#refresh(dueTarget, new AbortController().signal)
        .catch((error) => {
          log.warn({ err: error, target }, 'failed to store the first resolution of an ALIAS target');
        })
        .finally(leave);
      const limit = new AbortController();
      await Promise.race([refreshEnd, sleep(PREPARE_MS, undefined, { signal: limit.signal }).catch(() => undefined)]);
      limit.abort();
    } catch (error) {
      log.warn({ err: error, target }, 'failed to resolve an ALIAS target before its first record');
    } finally {
      if (!isUnderWay) leave();
    }
  }

  run(signal: AbortSignal): Promise<void> {
    const { now, db, log } = this.#options;
    const work = {
      targets: 'ALIAS targets',
      meanwhile: 'answers stay as they are',
      limit: this.#working,
      atOnce: AT_ONCE,
      each: EACH,
      leaseMs: LEASE_MS,
      pollMs: this.#pollMs,
      sweepMs: SWEEP_MS,
      sweep: () => this.#sweep(),
      take: takeDueTargets,
      refresh: (target: DueTarget, end: AbortSignal) => this.#refresh(target, end),
    };
    return runDueTargets(work, { db, log, now }, signal);
  }

  async #refresh(dueTarget: DueTarget, signal: AbortSignal): Promise<void> {
    const { db, now, log } = this.#options;
    const limit = AbortSignal.any([signal, AbortSignal.timeout(RESOLVE_MS)]);
    const isTrusted = trustWithin(db, dueTarget.owner);
    const [a, aaaa] = await Promise.all([
      this.#family(dueTarget.target, 'A', limit, isTrusted),
      this.#family(dueTarget.target, 'AAAA', limit, isTrusted),
    ]);
    // A shutdown is not a failure of the target.
    if (signal.aborted) return;
    const { resolution, changed } = planAnswer(dueTarget, a, aaaa);
    const mark = await keepAliasAnswer(db, dueTarget, resolution, changed);
    if (mark !== null) await markOwnedZones(db, dueTarget, mark, Math.floor(now() / 1000));
    this.#resolutions.inc({ result: resolution.error === null ? 'ok' : 'failed' });
    if (resolution.failures === 1) {
      log.info({ target: dueTarget.target, problem: resolution.error }, 'failed to resolve an ALIAS target');
    }
  }

  async #family(
    target: string,
    type: 'A' | 'AAAA',
    signal: AbortSignal,
    isTrusted: IsTrustedName,
  ): Promise<FamilyOutcome> {
    const { resolve } = this.#options;
    try {
      const { exists, rdatas, ttl } = await resolve(target, type, signal, isTrusted);
      if (!exists) return { problem: 'does not exist' };
      return { addresses: rdatas.map(type === 'A' ? ipv4Text : ipv6Text), ttl };
    } catch (error) {
      if (error instanceof ResolveFailure) return { problem: error.message };
      if (signal.aborted) return { problem: 'the resolver does not answer in time' };
      throw error;
    }
  }

  async #sweep(): Promise<void> {
    const { db, now, log } = this.#options;
    await addMissingTargets(db);
    for (const target of await unmarkedTargets(db, LEASE_MS)) {
      await markOwnedZones(db, target, target.mark, Math.floor(now() / 1000)).catch((error) =>
        log.warn({ err: error, target: target.target }, 'failed to mark the zones of an ALIAS target; a retry follows'),
      );
    }
    const { targets: all, failing } = await countTargets(db);
    this.#targets.set({ result: 'ok' }, all - failing);
    this.#targets.set({ result: 'failed' }, failing);
  }
}

function countResolutions(metrics: Metrics) {
  const resolutions = metrics.counter({
    name: 'alias_resolutions_total',
    help: 'Resolutions of ALIAS targets, by result.',
    labels: ['result'],
  });
  for (const result of ['ok', 'failed']) resolutions.inc({ result }, 0);
  return resolutions;
}

function gaugeTargets(metrics: Metrics) {
  const targets = metrics.gauge({
    name: 'alias_targets',
    help: 'ALIAS targets in the database, by the result of their last resolution.',
    labels: ['result'],
  });
  for (const result of ['ok', 'failed']) targets.set({ result }, 0);
  return targets;
}

function ipv4Text(rdata: Uint8Array): string {
  return [...rdata].join('.');
}

/** All eight groups in full. */
function ipv6Text(rdata: Uint8Array): string {
  const view = new DataView(rdata.buffer, rdata.byteOffset, rdata.byteLength);
  return Array.from({ length: 8 }, (_, group) => view.getUint16(group * 2).toString(16)).join(':');
}

// ALIAS targets, resolved and kept fresh: whatever is due in the table is resolved, its answer kept, and the zones that
// serve it marked. Runs in every api process, because name servers may only read; the table deals each target to one of
// them. It must not know records nor who wrote them.
//
// Targets in our own zones are resolved like all others, by the configured resolver: it has to find these zones.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import {
  addMissingTargets,
  countTargets,
  type DueTarget,
  keepAliasAnswer,
  takeDueTargets,
  takeNewTarget,
  touchZonesOf,
} from '../store/alias-answers.ts';
import type { Db } from '../store/database.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { type FamilyOutcome, planAnswer } from './alias-plan.ts';
import { type Resolve, ResolveFailure } from './resolver.ts';

export interface AliasOptions {
  db: Db;
  resolve: Resolve;
  log: Logger;
  metrics: Metrics;
  /** Unix time in ms. */
  now(): number;
  /** Between two looks for due targets, in ms. (Default: 200.) */
  pollMs?: number;
}

export interface Aliases {
  /**
   * Resolves a target that is about to get its first record, so that the record is answered from its first moment. Waits
   * at most 1 s and throws nothing: what is late or fails is the worker's.
   * @param target with final dot
   */
  prepare(target: string): Promise<void>;
  /** The worker, until the signal. */
  run(signal: AbortSignal): Promise<void>;
}

const AT_ONCE = 32;
/** One resolution, both families. */
const RESOLVE_MS = 5_000;
/** Longer than a resolution takes: a target whose replica died is taken by another one then. */
const LEASE_MS = 20_000;
const PREPARE_MS = 1_000;
const SWEEP_MS = 30_000;
const RETRY_MS = 2_000;

export function createAliases({ db, resolve, log, metrics, now, pollMs = 200 }: AliasOptions): Aliases {
  const resolutions = metrics.counter({
    name: 'alias_resolutions_total',
    help: 'Resolutions of ALIAS targets, by result.',
    labels: ['result'],
  });
  for (const result of ['ok', 'failed']) resolutions.inc({ result }, 0);
  const targets = metrics.gauge({
    name: 'alias_targets',
    help: 'ALIAS targets in the database, by the result of their last resolution.',
    labels: ['result'],
  });
  for (const result of ['ok', 'failed']) targets.set({ result }, 0);

  async function refresh(due: DueTarget, signal: AbortSignal): Promise<void> {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(RESOLVE_MS)]);
    const [a, aaaa] = await Promise.all([family(due.target, 'A', limit), family(due.target, 'AAAA', limit)]);
    // An orderly end is no failure of the target.
    if (signal.aborted) return;
    const { resolution, changed } = planAnswer(due, a, aaaa);
    await keepAliasAnswer(db, due.target, resolution);
    if (changed) await touchZonesOf(db, due.target, Math.floor(now() / 1000));
    resolutions.inc({ result: resolution.error === null ? 'ok' : 'failed' });
    if (resolution.failures === 1) {
      log.info({ target: due.target, problem: resolution.error }, 'an ALIAS target cannot be resolved');
    }
  }

  async function family(target: string, type: 'A' | 'AAAA', signal: AbortSignal): Promise<FamilyOutcome> {
    try {
      const { exists, rdatas, ttl } = await resolve(target, type, signal);
      if (!exists) return { problem: 'does not exist' };
      return { addresses: rdatas.map(type === 'A' ? ipv4Text : ipv6Text), ttl };
    } catch (error) {
      if (error instanceof ResolveFailure) return { problem: error.message };
      if (signal.aborted) return { problem: 'the resolver does not answer in time' };
      throw error;
    }
  }

  async function sweep(): Promise<void> {
    await addMissingTargets(db);
    const { targets: all, failing } = await countTargets(db);
    targets.set({ result: 'ok' }, all - failing);
    targets.set({ result: 'failed' }, failing);
  }

  return {
    async prepare(target) {
      try {
        const due = await takeNewTarget(db, target, LEASE_MS);
        if (due === null) return;
        const done = refresh(due, new AbortController().signal).catch((error) => {
          log.warn({ err: error, target }, 'the first resolution of an ALIAS target was not kept');
        });
        const patience = new AbortController();
        await Promise.race([done, sleep(PREPARE_MS, undefined, { signal: patience.signal }).catch(() => undefined)]);
        patience.abort();
      } catch (error) {
        log.warn({ err: error, target }, 'an ALIAS target could not be resolved ahead of its record');
      }
    },

    async run(signal) {
      const running = new Set<Promise<void>>();
      let sweepAt = 0;
      let failing = false;
      while (!signal.aborted) {
        let wait = pollMs;
        try {
          if (now() >= sweepAt) {
            await sweep();
            sweepAt = now() + SWEEP_MS;
          }
          const due = running.size < AT_ONCE ? await takeDueTargets(db, AT_ONCE - running.size, LEASE_MS) : [];
          for (const target of due) {
            const work = refresh(target, signal)
              // The lease runs out, and it is tried again.
              .catch((error) => log.warn({ err: error, target: target.target }, 'an ALIAS answer was not kept'))
              .finally(() => running.delete(work));
            running.add(work);
          }
          if (failing) log.info('looking for due ALIAS targets again');
          failing = false;
        } catch (error) {
          if (!failing) log.warn({ err: error }, 'cannot look for due ALIAS targets; answers stay as they are');
          failing = true;
          wait = RETRY_MS;
        }
        await sleep(wait, undefined, { signal }).catch(() => undefined);
      }
      await Promise.all(running);
    },
  };
}

function ipv4Text(rdata: Uint8Array): string {
  return [...rdata].join('.');
}

/** Eight groups in full: PowerDNS refuses the dotted form of mapped addresses, and shortens by itself. */
function ipv6Text(rdata: Uint8Array): string {
  const view = new DataView(rdata.buffer, rdata.byteOffset, rdata.byteLength);
  return Array.from({ length: 8 }, (_, group) => view.getUint16(group * 2).toString(16)).join(':');
}

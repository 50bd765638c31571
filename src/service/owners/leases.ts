// Releases the sets whose lease has ended. Every replica does it; the second one to release a set finds that it is gone
// or was renewed, and does nothing. A release is a change like any other: it has a serial and a history, and waits its
// turn in the zone.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Db } from '#store/database.ts';
import { type EndedLease, endedLeases, oldestEndedLease, postponeLeases } from '#store/leases.ts';
import type { Metrics } from '#telemetry/metrics.ts';
import type { Actor } from '../accounts/actor.ts';
import type { Caller, ServiceContext } from '../context.ts';
import { Refusal } from '../refusal.ts';
import { releaseEnded } from './apply.ts';

/** The time between two rounds, in ms. */
const ROUND_MS = 1_000;
/** Leases of one round. */
const LEASES = 500;
/** Zones that are changed at a time. */
const ZONES = 4;
/** A release that failed is tried again after this time, in ms. */
const AGAIN_MS = 60_000;

/** The `keyId` of a change that the service makes itself. */
export const SERVICE_KEY = 'service';

export interface LeaseMetrics {
  /** @param seconds the time between the end of the lease and its release */
  released(seconds: number): void;
  failed(): void;
}

/** @param read the end of the oldest lease that is due; null: none is */
export function createLeaseMetrics(metrics: Metrics, read: () => Promise<Date | null>, now: () => Date): LeaseMetrics {
  const lateness = metrics.histogram({
    name: 'lease_release_delay_seconds',
    help: 'Seconds between the end of a lease and the release of its records.',
    buckets: [0.5, 1, 2, 5, 15, 60, 300],
  });
  const failures = metrics.counter({
    name: 'lease_release_failures_total',
    help: 'Releases of ended leases that failed. They are tried again after a minute.',
  });
  metrics.gauge({
    name: 'lease_overdue_seconds',
    help: 'Seconds since the end of the oldest lease whose records are not released yet; 0 if there is none.',
    collect: async (gauge) => {
      const leaseEnd = await read().catch(() => null);
      gauge.set(leaseEnd === null ? 0 : Math.max(0, (now().getTime() - leaseEnd.getTime()) / 1000));
    },
  });
  return { released: (seconds) => lateness.observe(seconds), failed: () => failures.inc() };
}

/** For createLeaseMetrics. */
export function overdueLease(db: Db, now: () => Date): () => Promise<Date | null> {
  return () => oldestEndedLease(db, now());
}

/** Runs a round each second until the signal. An error ends the round, is logged, and the next round tries again. */
export async function runLeases(
  context: ServiceContext,
  { log, metrics, everyMs = ROUND_MS }: { log: Logger; metrics: LeaseMetrics; everyMs?: number },
  signal: AbortSignal,
): Promise<void> {
  let hasFailed = false;
  while (!signal.aborted) {
    // The random part keeps replicas from running their rounds at the same time.
    await sleep(everyMs * (0.75 + Math.random() / 2), undefined, { signal }).catch(() => undefined);
    try {
      // A full round may have left some.
      while (!signal.aborted && (await releaseRound(context, log, metrics, signal)) === LEASES);
      hasFailed = false;
    } catch (error) {
      if (!signal.aborted && !hasFailed) log.warn({ err: error }, 'failed to release ended leases; trying again');
      hasFailed = true;
    }
  }
}

/** @returns the number of leases that were due, at most LEASES */
async function releaseRound(
  context: ServiceContext,
  log: Logger,
  metrics: LeaseMetrics,
  signal: AbortSignal,
): Promise<number> {
  const dueLeases = await endedLeases(context.db, context.now(), LEASES);
  const zones = [...Map.groupBy(dueLeases, ({ zoneId }) => zoneId).values()];
  const work = async () => {
    for (let leases = zones.shift(); leases && !signal.aborted; leases = zones.shift()) {
      await releaseIn(context, leases, log, metrics);
    }
  };
  await Promise.all(Array.from({ length: ZONES }, work));
  return dueLeases.length;
}

/** @param leases all of one zone */
async function releaseIn(
  context: ServiceContext,
  leases: readonly EndedLease[],
  log: Logger,
  metrics: LeaseMetrics,
): Promise<void> {
  const [{ zoneId }] = leases as [EndedLease];
  const failedLeases: EndedLease[] = [];
  try {
    const results = await releaseEnded(context, callerFor(leases[0] as EndedLease, context), zoneId, leases);
    for (const [index, result] of results.entries()) {
      const lease = leases[index] as EndedLease;
      if (result.ok) metrics.released((context.now().getTime() - lease.expiresAt.getTime()) / 1000);
      else failedLeases.push(lease);
      if (!result.ok)
        log.warn(
          {
            zoneId,
            owner: lease.owner,
            name: lease.name,
            type: lease.type,
            reason: new Refusal(result.refusal).message,
          },
          'failed to release the records of an ended lease; trying again in a minute',
        );
    }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    // A busy zone is tried again in the next round, and one that is gone has taken its sets along.
    if (error.code === 'busy' || error.code === 'no_zone') return;
    failedLeases.push(...leases);
    log.warn({ zoneId, reason: error.message }, 'failed to release ended leases of a zone; trying again in a minute');
  }
  if (failedLeases.length === 0) return;
  for (const _ of failedLeases) metrics.failed();
  const now = context.now();
  const ids = failedLeases.map(({ setId }) => setId);
  await postponeLeases(context.db, ids, now, new Date(now.getTime() + AGAIN_MS));
}

/** The service acts for the owner of the zone, with all rights on records. */
function callerFor({ teamId, userId }: EndedLease, context: ServiceContext): Caller {
  const actor: Actor = {
    keyId: SERVICE_KEY,
    keyName: SERVICE_KEY,
    teamId,
    teamName: null,
    user: userId === null ? null : { id: userId, email: '', name: '' },
    memberships: [],
    records: 'write',
    manageZones: 'none',
    clusters: 'none',
    signals: [],
    grants: new Map(),
    onlyNames: null,
    onlyTypes: null,
    expiresAt: null,
    zoneWrites: null,
    recordWrites: null,
  };
  const requestId = `lease-${context.random(8).toString('hex')}`;
  return { actor, requestId, once: null, isService: true };
}

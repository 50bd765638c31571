// The companion of one PowerDNS: finds changed zones in the database that this PowerDNS reads, and drops them from its cache.
// If the companion fails, PowerDNS' own packet cache of 5 s limits how old an answer can be.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { changedZones, currentHorizon } from '#store/changed-zones.ts';
import type { Db } from '#store/database.ts';
import { begin, look, type Memory, type Plan } from './changed-zones.ts';
import { purgeEverything, purgeZones } from './purge.ts';

interface CompanionOptions {
  db: Db;
  /** PowerDNS' control socket. */
  socket: string;
  /** The time between two queries for changes, in ms. */
  pollMs: number;
  log: Logger;
  /** Called after each query with its success and the number of purged zones. */
  onLook(ok: boolean, purged: number): void;
}

const PURGE_TIMEOUT_MS = 1_000;
/** Longer than the statement timeout of the connection, and not shorter than the age of answers that it is about. */
const LOOK_TIMEOUT_MS = 5_000;
const RETRY_MS = 250;

/** Runs until the signal aborts. It survives the loss of the database and of PowerDNS. */
export async function runCompanion(options: CompanionOptions, signal: AbortSignal): Promise<void> {
  const { db, socket, pollMs, log, onLook } = options;
  let memory: Memory | null = null;
  let looking: Promise<Plan> | null = null;
  let failing = false;
  const lookOnce = async (): Promise<Plan> => {
    const before: Memory = memory ?? begin(await currentHorizon(db));
    return look(before, await changedZones(db, before.since));
  };
  while (!signal.aborted) {
    let wait = pollMs;
    try {
      // Behind a proxy that accepts connections and closes them, the driver waits until one stays open. Only one query waits
      // there, not one more each time.
      looking ??= lookOnce().finally(() => {
        looking = null;
      });
      const next = await withinLimit(looking, LOOK_TIMEOUT_MS, signal);
      if (next.everything) await purgeEverything(socket, PURGE_TIMEOUT_MS);
      else await purgeZones(socket, next.purge, PURGE_TIMEOUT_MS);
      // Only after the purge: if PowerDNS did not answer, the next round purges the same zones again.
      memory = next.memory;
      if (failing) log.info('the queries for changed zones succeed again');
      failing = false;
      onLook(true, next.purge.length);
    } catch (error) {
      if (signal.aborted) return;
      if (!failing)
        log.warn({ err: error }, 'failed to query changed zones; answers may be up to 5 s old until it succeeds');
      failing = true;
      wait = RETRY_MS;
      onLook(false, 0);
    }
    await sleep(wait, undefined, { signal }).catch(() => undefined);
  }
}

/** @throws when the work takes longer than `ms`, while the work continues; the signal's reason when it aborts */
async function withinLimit<T>(work: Promise<T>, ms: number, signal: AbortSignal): Promise<T> {
  work.catch(() => undefined);
  const over = new AbortController();
  const limit = sleep(ms, undefined, { signal: AbortSignal.any([signal, over.signal]) }).then(() => {
    throw new Error(`the database did not answer within ${ms} ms`);
  });
  limit.catch(() => undefined);
  try {
    return await Promise.race([work, limit]);
  } finally {
    over.abort();
  }
}

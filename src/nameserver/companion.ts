// The companion beside one PowerDNS: looks for changed zones in the database that this PowerDNS reads, and has them
// dropped from its cache. Best effort by design: without it PowerDNS' own 5 s packet cache bounds what is stale.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { changedZones, currentHorizon } from '../store/changed-zones.ts';
import type { Db } from '../store/database.ts';
import { look, type Memory } from './changed-zones.ts';
import { purgeZones } from './purge.ts';

export interface CompanionOptions {
  db: Db;
  /** PowerDNS' control socket. */
  socket: string;
  /** Between two looks, in ms. */
  pollMs: number;
  log: Logger;
  /** Called after each look: whether it worked, and how many zones were purged. */
  onLook(ok: boolean, purged: number): void;
}

const PURGE_TIMEOUT_MS = 1_000;
const RETRY_MS = 250;

/** Runs until the signal; survives the loss of the database and of PowerDNS. */
export async function runCompanion(options: CompanionOptions, signal: AbortSignal): Promise<void> {
  const { db, socket, pollMs, log, onLook } = options;
  let memory: Memory | null = null;
  let failing = false;
  while (!signal.aborted) {
    let wait = pollMs;
    try {
      memory ??= { since: await currentHorizon(db), seen: new Map() };
      const next = look(memory, await changedZones(db, memory.since));
      await purgeZones(socket, next.purge, PURGE_TIMEOUT_MS);
      // Only now: what could not be purged is purged at the next look.
      memory = next.memory;
      if (failing) log.info('looking for changed zones again');
      failing = false;
      onLook(true, next.purge.length);
    } catch (error) {
      if (!failing)
        log.warn({ err: error }, 'cannot look for changed zones; answers may be up to 5 s old until this mends');
      failing = true;
      wait = RETRY_MS;
      onLook(false, 0);
    }
    await sleep(wait, undefined, { signal }).catch(() => undefined);
  }
}

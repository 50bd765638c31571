// Writes the PTR records that a change left behind: a transaction writes those of its first 200 addresses itself.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { applyReverseDue } from '#store/reverse.ts';
import type { ServiceContext } from '../context.ts';

const ROUND_MS = 1_000;
/** Addresses in one transaction, during which their reverse zones are locked. */
const ADDRESSES = 200;

/** Runs until the signal aborts. A failed round is tried again in the next one. */
export async function runReverse(
  { db, commits }: Pick<ServiceContext, 'db' | 'commits'>,
  { log, everyMs = ROUND_MS }: { log: Logger; everyMs?: number },
  signal: AbortSignal,
): Promise<void> {
  let hasFailed = false;
  while (!signal.aborted) {
    await sleep(everyMs, undefined, { signal }).catch(() => undefined);
    try {
      while (!signal.aborted) {
        const applied = await applyReverseDue(db, ADDRESSES);
        if (applied > 0) commits?.announce();
        if (applied < ADDRESSES) break;
      }
      hasFailed = false;
    } catch (error) {
      if (!signal.aborted && !hasFailed) log.warn({ err: error }, 'failed to write reverse records; trying again');
      hasFailed = true;
    }
  }
}

// One write through the dispatcher, with a bound on how long a worker stands in line: a worker that waits out a minute's
// pause would keep other objects, certificates among them, from being looked at.

import type { Dispatcher, Job } from '../client/dispatcher.ts';
import type { Clock } from '../kube/clock.ts';
import { PausedTooLong } from './trouble.ts';

const PATIENCE_MS = 5_000;
/** When the line is merely long. */
const RETRY_MS = 1_000;

/**
 * Runs the job when its turn comes.
 * @throws PausedTooLong when that is more than 5 s away; nothing was sent then
 */
export async function send<T>(dispatcher: Dispatcher, clock: Clock, job: Job<T>): Promise<T> {
  const refuse = pauseOf(dispatcher, job.zone);
  if (refuse && refuse.until - clock.now() > PATIENCE_MS) throw refuse;
  const patience = new AbortController();
  const giveUp = () =>
    patience.abort(pauseOf(dispatcher, job.zone) ?? new PausedTooLong('ZoneBusy', clock.now() + RETRY_MS));
  // Of all attempts together: a zone that is busy again and again must not hold the worker either.
  const end = clock.now() + PATIENCE_MS;
  let cancel = clock.setTimeout(giveUp, PATIENCE_MS);
  try {
    return await dispatcher.submit({
      ...job,
      signal: AbortSignal.any([job.signal, patience.signal]),
      run: async () => {
        // Only waiting is given up: a request on its way has an answer that must be heard.
        cancel();
        try {
          return await job.run(job.signal);
        } finally {
          cancel = clock.setTimeout(giveUp, Math.max(0, end - clock.now()));
        }
      },
    });
  } finally {
    cancel();
  }
}

function pauseOf(dispatcher: Dispatcher, zone: string | null): PausedTooLong | null {
  const { pausedUntil, zonePaused } = dispatcher.state();
  if (pausedUntil !== null) return new PausedTooLong('RateLimited', pausedUntil);
  const busyUntil = zone === null ? undefined : zonePaused.get(zone);
  return busyUntil === undefined ? null : new PausedTooLong('ZoneBusy', busyUntil);
}

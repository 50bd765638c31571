// Sends one write through the dispatcher and limits how long the caller waits for its turn. A worker that waited for
// the end of a long pause would block other objects, among them certificates.

import type { Clock } from '#base/clock.ts';
import type { ChangeJob, Dispatcher, Job, JobQueue } from './dispatcher.ts';
import type { Lane } from './waiting.ts';
import { type AppliedSet, bucketOfSet } from './writer.ts';

const MAX_WAIT_MS = 5_000;
/** The retry delay when only other writes of the zone are ahead, in ms. */
const RETRY_MS = 1_000;

/** The dispatcher holds the write back for longer than the caller may wait. Nothing was sent. */
export class PausedTooLong extends Error {
  readonly reason: 'RateLimited' | 'ZoneBusy';
  /** The time at which the pause ends, in ms of the dispatcher's clock. */
  readonly until: number;

  constructor(reason: 'RateLimited' | 'ZoneBusy', until: number) {
    super(
      reason === 'RateLimited' ? 'The API key has reached its write limit.' : 'The zone is busy with other changes.',
    );
    this.name = 'PausedTooLong';
    this.reason = reason;
    this.until = until;
  }
}

/**
 * Runs the job when its turn comes.
 * @throws PausedTooLong when its turn does not come within 5 s
 */
export function send<T>(dispatcher: Dispatcher, clock: Clock, job: Job<T>): Promise<T> {
  const queue = { ...job, bucket: job.bucket ?? 'records' };
  return waitForTurn(dispatcher, clock, job.lane, queue, (waitLimit) => dispatcher.submit({ ...job, waitLimit }));
}

/**
 * Applies one set when its turn comes, in one request with other sets of its zone.
 * @throws PausedTooLong as {@link send} does, and the error of this set
 */
export function sendSet(dispatcher: Dispatcher, clock: Clock, job: ChangeJob): Promise<AppliedSet> {
  const queue: JobQueue = { ...job, bucket: bucketOfSet(job.set) };
  return waitForTurn(dispatcher, clock, job.lane, queue, (waitLimit) => dispatcher.apply({ ...job, waitLimit }));
}

async function waitForTurn<T>(
  dispatcher: Dispatcher,
  clock: Clock,
  lane: Lane,
  queue: JobQueue,
  submit: (waitLimit: AbortSignal) => Promise<T>,
): Promise<T> {
  const pausedError = (): PausedTooLong | null => {
    const retryHold = dispatcher.retryTime(lane, queue);
    return retryHold && new PausedTooLong(retryHold.reason, retryHold.until);
  };
  const currentHold = dispatcher.hold(queue);
  if (currentHold !== null && currentHold.until - clock.now() > MAX_WAIT_MS) throw pausedError();
  const waitLimit = new AbortController();
  // The limit applies to all attempts together: a zone that is busy repeatedly must not block the worker either.
  const cancel = clock.setTimeout(
    () => waitLimit.abort(pausedError() ?? new PausedTooLong('ZoneBusy', clock.now() + RETRY_MS)),
    MAX_WAIT_MS,
  );
  try {
    return await submit(waitLimit.signal);
  } finally {
    cancel();
  }
}

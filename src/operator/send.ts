// One write through the dispatcher, with a bound on how long a worker stands in line: a worker that waits out a minute's
// pause would keep other objects, certificates among them, from being looked at.
import type { DnsRecord } from '../client/client.ts';
import type { ChangeJob, Dispatcher, Job } from '../client/dispatcher.ts';
import type { Lane } from '../client/lanes.ts';
import type { Clock } from '../kube/clock.ts';
import { PausedTooLong } from './trouble.ts';

const PATIENCE_MS = 5_000;
/** When the line is merely long. */
const RETRY_MS = 1_000;

/**
 * Runs the job when its turn comes.
 * @throws PausedTooLong when that is more than 5 s away; nothing was sent then
 */
export function send<T>(dispatcher: Dispatcher, clock: Clock, job: Job<T>): Promise<T> {
  return inLine(dispatcher, clock, job.lane, job.zone, (patience) => dispatcher.submit({ ...job, patience }));
}

/** Makes one record change when its turn comes, beside others of its zone. @throws as {@link send}, and what is said of it */
export function sendChange(dispatcher: Dispatcher, clock: Clock, job: ChangeJob): Promise<DnsRecord | null> {
  return inLine(dispatcher, clock, job.lane, job.zone, (patience) => dispatcher.change({ ...job, patience }));
}

async function inLine<T>(
  dispatcher: Dispatcher,
  clock: Clock,
  lane: Lane,
  zone: string | null,
  submit: (patience: AbortSignal) => Promise<T>,
): Promise<T> {
  const comeBack = (): PausedTooLong | null => {
    const held = dispatcher.appointment(lane, zone);
    return held && new PausedTooLong(held.reason, held.until);
  };
  const held = dispatcher.hold(zone);
  if (held !== null && held.until - clock.now() > PATIENCE_MS) throw comeBack();
  const patience = new AbortController();
  // Of all attempts together: a zone that is busy again and again must not hold the worker either.
  const cancel = clock.setTimeout(
    () => patience.abort(comeBack() ?? new PausedTooLong('ZoneBusy', clock.now() + RETRY_MS)),
    PATIENCE_MS,
  );
  try {
    return await submit(patience.signal);
  } finally {
    cancel();
  }
}

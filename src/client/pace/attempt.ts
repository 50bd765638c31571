// One request of the dispatcher: a call, or the record changes of several jobs.
import { whenAllAbort } from '../abort.ts';
import type { Rate } from './rate.ts';
import type { PacedChange, RecordWriter } from './writer.ts';

/**
 * Called with the state of the write limit that an answer tells: null without a limit, undefined if the service counted
 * nothing.
 */
type OnRate = (rate: Rate | null | undefined) => void;

interface Attempted {
  readonly work: PacedChange | ((signal: AbortSignal, onRate: OnRate) => Promise<unknown>);
  readonly signal: AbortSignal;
}

/**
 * @param jobs one call, or changes of the zone. Several of them end when all their signals have aborted
 * @returns a result for each job: an ApiError for a change that the service refuses
 * @throws the error of the request; the reason of the signal
 */
export async function attemptWrites(
  writer: RecordWriter | undefined,
  zone: string | null,
  jobs: readonly Attempted[],
  onRate: OnRate,
): Promise<readonly unknown[]> {
  const only = jobs[0] as Attempted;
  if (typeof only.work === 'function') return [await only.work(only.signal, onRate)];
  if (writer === undefined || zone === null) throw new TypeError('this dispatcher has no writer for record changes');
  if (jobs.length === 1) return await writer.apply(zone, [only.work], { signal: only.signal, onRate });
  const all = whenAllAbort(jobs.map(({ signal }) => signal));
  try {
    const changes = jobs.map(({ work }) => work as PacedChange);
    return await writer.apply(zone, changes, { signal: all.signal, onRate });
  } finally {
    all.clear();
  }
}

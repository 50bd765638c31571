// A time limit for reading facts: a part that does not answer must not keep a command from its other findings.
import { realClock } from '#base/clock.ts';
import { deadline } from '#base/deadline.ts';
import { untilAborted } from '#base/wait.ts';

/**
 * Ends the wait even if a part of the work does not follow its signal, as the resolver of the system does not.
 * @throws Error if the work takes longer; the reason of the caller's signal if that aborts
 */
export async function withLimit<T>(
  ms: number,
  caller: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const limit = deadline(realClock, ms, caller);
  const end = untilAborted(limit.signal).then(() => Promise.reject(limit.signal.reason));
  try {
    return await Promise.race([work(limit.signal), end]);
  } catch (error) {
    caller.throwIfAborted();
    throw limit.expired() ? new Error(`no answer within ${ms / 1000} s`) : error;
  } finally {
    limit.clear();
  }
}

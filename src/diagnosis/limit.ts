// A time limit for reading facts: a part that does not answer must not keep a command from its other findings.

/**
 * Ends the wait even if a part of the work does not follow its signal, as the resolver of the system does not.
 * @throws Error if the work takes longer; the reason of the caller's signal if that aborts
 */
export async function withLimit<T>(
  ms: number,
  caller: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const limit = AbortSignal.timeout(ms);
  try {
    const signal = AbortSignal.any([caller, limit]);
    return await Promise.race([work(signal), rejectAtEnd(signal)]);
  } catch (error) {
    caller.throwIfAborted();
    throw limit.aborted ? new Error(`no answer within ${ms / 1000} s`) : error;
  }
}

function rejectAtEnd(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}

// One abort signal for work that several callers wait for.

/** Aborts when every signal has aborted: then no caller needs the answer. */
export function whenAllAbort(signals: readonly AbortSignal[]): { signal: AbortSignal; clear(): void } {
  const controller = new AbortController();
  const onAbort = () => {
    const last = signals.every(({ aborted }) => aborted) ? signals[0] : undefined;
    if (last) controller.abort(last.reason);
  };
  for (const signal of signals) signal.addEventListener('abort', onAbort, { once: true });
  return {
    signal: controller.signal,
    clear: () => {
      for (const signal of signals) signal.removeEventListener('abort', onAbort);
    },
  };
}

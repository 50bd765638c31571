/** Long work in steps, so that who runs it may do something else in between. What the work is, is not known here. */

/** Yields now and then, returns the result. */
export type Steps<T> = Generator<undefined, T>;

/** All of it at once. */
export function finish<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/** All of it, with a turn of the event loop between the steps. */
export async function finishInTurns<T>(steps: Steps<T>): Promise<T> {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

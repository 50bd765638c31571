// The reason of a failure in one line.

/**
 * The message of an error. For a failed statement this is the message of the driver, which is the cause of the error of
 * drizzle.
 */
export function reason(error: unknown): string {
  for (let at = error; at instanceof Error; at = at.cause) {
    if (!(at.cause instanceof Error)) return at.message || String((at as NodeJS.ErrnoException).code ?? at.name);
  }
  return String(error);
}

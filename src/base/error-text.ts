// Errors as texts of one line.

/** The message of an error. Anything else that was thrown, as text. */
export function formatError(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/**
 * The message of the first cause of an error. For a failed statement this is the message of the driver, which is the
 * cause of the error of drizzle.
 */
export function formatCause(error: unknown): string {
  for (let at = error; at instanceof Error; at = at.cause) {
    if (!(at.cause instanceof Error)) return at.message || String((at as NodeJS.ErrnoException).code ?? at.name);
  }
  return String(error);
}

// Waits for several writes that run at the same time, also when one of them fails.

/**
 * Returns all results.
 * @throws the error of the first one in the list that failed, after all have ended: none may be in progress when the
 * caller continues
 */
export async function settleAll<T>(work: readonly Promise<T>[]): Promise<T[]> {
  const ends = await Promise.allSettled(work);
  return ends.map((end) => {
    if (end.status === 'rejected') throw end.reason;
    return end.value;
  });
}

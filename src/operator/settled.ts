// Several writes at once, none of which is left alone when another fails. It must not know what they write.

/** All results. @throws the first failure, once all have ended: nothing may still be under way when the caller goes on */
export async function settled<T>(work: readonly Promise<T>[]): Promise<T[]> {
  const ends = await Promise.allSettled(work);
  return ends.map((end) => {
    if (end.status === 'rejected') throw end.reason;
    return end.value;
  });
}

// A map that remembers the most recently used entries.

export interface Recent<V> {
  get(key: string): V | undefined;
  set(key: string, value: V): void;
  values(): Iterable<V>;
}

/** @param most the number of entries */
export function createRecent<V>(most: number): Recent<V> {
  const entries = new Map<string, V>();
  const set = (key: string, value: V) => {
    // Deleting and inserting moves the key to the end of the map, so the first key is the least recently used.
    entries.delete(key);
    entries.set(key, value);
    if (entries.size <= most) return;
    for (const oldest of entries.keys()) {
      entries.delete(oldest);
      return;
    }
  };
  return {
    get: (key) => {
      const value = entries.get(key);
      if (value !== undefined) set(key, value);
      return value;
    },
    set,
    values: () => entries.values(),
  };
}

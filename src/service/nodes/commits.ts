// Tells the feed that this process committed a change, so that name servers get it without waiting for the next look at
// the database. A change that is not announced (another replica's, that of an ALIAS target) is found by that look.

export interface Commits {
  /** To be called after a transaction that may have changed a zone. */
  announce(): void;
  /** @returns the function that ends it */
  onAnnounced(listener: () => void): () => void;
}

export function createCommits(): Commits {
  const listeners = new Set<() => void>();
  return {
    announce: () => {
      for (const listener of listeners) listener();
    },
    onAnnounced: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

// A budget of bytes for the request bodies that a process holds at once, so that many uploads cannot fill its memory.
// One owner (a key, or the address of a client without a key) has at most half of it.

export interface BodyLease {
  /**
   * Takes more bytes; after the release it takes none, because the rest of a body is then dropped as it arrives.
   * @returns false when the budget, or the owner's share, has no room: then nothing was taken
   */
  grow(bytes: number): boolean;
  /** Returns all bytes to the budget. May be called repeatedly. */
  release(): void;
}

export interface BodyBudget {
  open(owner: string): BodyLease;
  /** The bytes that are in use. */
  taken(): number;
  /** The bytes that one owner may use. */
  readonly share: number;
}

/** @param total in bytes */
export function createBodyBudget(total: number): BodyBudget {
  const share = Math.floor(total / 2);
  const owners = new Map<string, number>();
  let takenBytes = 0;
  return {
    share,
    taken: () => takenBytes,
    open(owner) {
      let ownBytes = 0;
      let isReleased = false;
      return {
        grow: (bytes) => {
          if (isReleased) return true;
          const before = owners.get(owner) ?? 0;
          if (takenBytes + bytes > total || before + bytes > share) return false;
          takenBytes += bytes;
          ownBytes += bytes;
          owners.set(owner, before + bytes);
          return true;
        },
        release: () => {
          isReleased = true;
          takenBytes -= ownBytes;
          const remainingBytes = (owners.get(owner) ?? 0) - ownBytes;
          if (remainingBytes > 0) owners.set(owner, remainingBytes);
          else owners.delete(owner);
          ownBytes = 0;
        },
      };
    },
  };
}

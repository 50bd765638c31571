// Slots for work that waits for an external server: a limit for all owners together, and one for each. An owner whose names
// are slow to resolve fills only its own slots. Pure.

export interface Places {
  /** Takes a slot. @returns a function that releases it once; null if the owner's slots or all slots are taken */
  tryEnter(owner: string): (() => void) | null;
  /** The slots that are taken, by owner. */
  taken(): Readonly<Record<string, number>>;
  /** The number of free slots. */
  free(): number;
}

/**
 * @param limits.atOnce slots of all owners together
 * @param limits.each slots of one owner
 */
export function createPlaces({ atOnce, each }: { atOnce: number; each: number }): Places {
  const byOwner = new Map<string, number>();
  let all = 0;
  return {
    tryEnter(owner) {
      const own = byOwner.get(owner) ?? 0;
      if (all >= atOnce || own >= each) return null;
      all += 1;
      byOwner.set(owner, own + 1);
      let left = false;
      return () => {
        if (left) return;
        left = true;
        all -= 1;
        const rest = (byOwner.get(owner) ?? 1) - 1;
        if (rest === 0) byOwner.delete(owner);
        else byOwner.set(owner, rest);
      };
    },
    taken: () => Object.fromEntries(byOwner),
    free: () => atOnce - all,
  };
}

// The brake on failures in masses: when most addresses fail within a minute, our own network is the likelier cause, so
// nothing may change for the worse. Pure.
//
//     an owner    at least ten addresses of a team or person, more than half of which fail
//     everyone    at least ten addresses in all, of two owners or more, and on average more than half of an owner's
//                 addresses fail: one owner with many dead addresses must not freeze the others

/** The changes of so many ms count together. */
export const WINDOW_MS = 60_000;
const LEAST = 10;

/** An address for the brake. */
export interface Braked {
  owner: string;
  /** Whether the probes call for Unhealthy and it is not so yet. */
  isPending: boolean;
  /** When it became unhealthy, in ms; null: it is not. */
  downAt: number | null;
}

export interface Frozen {
  everyone: boolean;
  owners: ReadonlySet<string>;
}

export function judgeMass(targets: Iterable<Braked>, now: number): Frozen {
  const countsByOwner = new Map<string, { all: number; failing: number }>();
  let total = 0;
  for (const { owner, isPending, downAt } of targets) {
    const counts = countsByOwner.get(owner) ?? { all: 0, failing: 0 };
    countsByOwner.set(owner, counts);
    counts.all += 1;
    total += 1;
    if (isPending || (downAt !== null && now < downAt + WINDOW_MS)) counts.failing += 1;
  }
  const all = [...countsByOwner];
  const owners = all.flatMap(([owner, counts]) =>
    counts.all >= LEAST && counts.failing > counts.all / 2 ? [owner] : [],
  );
  const sum = all.reduce((shares, [, counts]) => shares + counts.failing / counts.all, 0);
  return { everyone: total >= LEAST && all.length > 1 && sum > all.length / 2, owners: new Set(owners) };
}

export function isFrozen({ everyone, owners }: Frozen, owner: string): boolean {
  return everyone || owners.has(owner);
}

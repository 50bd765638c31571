// The brake on failures in masses: when most addresses fail within a minute, the network of those who watch them is the
// likelier cause, so nothing may change for the worse. Addresses that are probed less often count for their interval,
// because a failure of the network is seen at all of them only then. Pure.
//
//     an owner    at least ten addresses of a team or person, more than half of which fail
//     everyone    at least ten addresses in all, of two owners or more, and on average more than half of an owner's
//                 addresses fail: one owner with many dead addresses must not freeze the others
//
// The api watches the addresses that it probes, and a monitor of the owner those of signals. Therefore both are judged
// apart, and the brake of everyone, which is about our own network, does not count signals.

/** The changes of so many ms count together, and those of an interval that is longer. */
export const WINDOW_MS = 60_000;
const LEAST = 10;

/** An address, which the api watches, or a monitor of the owner. */
export interface Watched {
  owner: string;
  isSignalled: boolean;
}

/** An address for the brake. */
export interface Braked extends Watched {
  /** Whether the probes or the signal call for Unhealthy, or may soon do so, and it is not so yet. */
  isPending: boolean;
  /** When it became unhealthy, in ms; null: it is not. */
  downAt: number | null;
  /** The time between two probes, in ms; 0: signals tell. */
  intervalMs: number;
}

export interface Frozen {
  /** Counts the addresses that are probed, and holds for them. */
  everyone: boolean;
  /** As {@link toGroup} writes them. */
  groups: ReadonlySet<string>;
}

export function judgeMass(targets: Iterable<Braked>, now: number): Frozen {
  const countsByGroup = new Map<string, { all: number; failing: number; isSignalled: boolean }>();
  for (const target of targets) {
    const { isSignalled, isPending } = target;
    const group = toGroup(target);
    const counts = countsByGroup.get(group) ?? { all: 0, failing: 0, isSignalled };
    countsByGroup.set(group, counts);
    counts.all += 1;
    if (isPending || isRecent(target, now)) counts.failing += 1;
  }
  const groups = [...countsByGroup].flatMap(([group, counts]) =>
    counts.all >= LEAST && counts.failing > counts.all / 2 ? [group] : [],
  );
  const probed = [...countsByGroup.values()].filter(({ isSignalled }) => !isSignalled);
  const total = probed.reduce((sum, counts) => sum + counts.all, 0);
  const shares = probed.reduce((sum, counts) => sum + counts.failing / counts.all, 0);
  const everyone = total >= LEAST && probed.length > 1 && shares > probed.length / 2;
  return { everyone, groups: new Set(groups) };
}

/** Whether it became unhealthy so shortly ago that it counts. */
export function isRecent({ downAt, intervalMs }: Pick<Braked, 'downAt' | 'intervalMs'>, now: number): boolean {
  return downAt !== null && now < downAt + Math.max(WINDOW_MS, intervalMs);
}

export function isFrozen({ everyone, groups }: Frozen, watched: Watched): boolean {
  return (everyone && !watched.isSignalled) || groups.has(toGroup(watched));
}

function toGroup({ owner, isSignalled }: Watched): string {
  return `${isSignalled ? 'signals' : 'probes'} ${owner}`;
}

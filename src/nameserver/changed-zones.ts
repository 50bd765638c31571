// Which zones a name server has to forget, as data: the pure part of the companion. Knows no socket and no database.
import type { ChangedZones } from '../store/changed-zones.ts';

/** A change is purged twice: a question under way during the first purge may have cached what it read before the change. */
const PURGES = 2;

export interface Memory {
  /** What to ask the database next time. */
  readonly since: string;
  /** Changes inside the horizon, by zone: which transaction, and how often purged. */
  readonly seen: ReadonlyMap<string, { xid: string; purges: number }>;
}

/**
 * Takes one look at the changes in. Several looks show the same change for as long as any older transaction runs, so
 * what was purged twice is remembered until it leaves the horizon.
 */
export function look(memory: Memory, changed: ChangedZones): { purge: string[]; memory: Memory } {
  const seen = new Map<string, { xid: string; purges: number }>();
  const purge: string[] = [];
  const visible = latestChanges(changed);
  for (const [zone, xid] of visible) {
    const before = memory.seen.get(zone);
    const purges = before?.xid === xid ? before.purges : 0;
    if (purges < PURGES) purge.push(zone);
    seen.set(zone, { xid, purges: Math.min(PURGES, purges + 1) });
  }
  for (const [zone, before] of memory.seen) {
    if (visible.has(zone) || before.purges >= PURGES) continue;
    purge.push(zone);
    seen.set(zone, { ...before, purges: before.purges + 1 });
  }
  return { purge, memory: { since: changed.horizon, seen } };
}

/** A zone that was deleted and made anew shows twice, in any order; were the deletion kept, later changes would not show. */
function latestChanges({ zones }: ChangedZones): Map<string, string> {
  const latest = new Map<string, string>();
  for (const { zone, xid } of zones) {
    const other = latest.get(zone);
    if (other === undefined || BigInt(xid) > BigInt(other)) latest.set(zone, xid);
  }
  return latest;
}

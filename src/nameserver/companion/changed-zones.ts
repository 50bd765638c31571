// Decides which zones a name server must drop from its cache: the pure part of the companion.
import type { ChangedZones } from '#store/changed-zones.ts';

/** A change is purged twice: a query that ran during the first purge may have cached an answer from before the change. */
const PURGES = 2;

export interface Memory {
  /** The horizon of the next query to the database. */
  readonly since: string;
  /** The server that answered. */
  readonly server: string;
  /** How many more times everything must be purged, because a different server answers now. */
  readonly everything: number;
  /** The changes inside the horizon by zone, with their transaction and the number of purges. */
  readonly seen: ReadonlyMap<string, { xid: string; purges: number }>;
}

/** The memory before the first query. */
export function begin({ horizon, server }: Pick<ChangedZones, 'horizon' | 'server'>): Memory {
  return { since: horizon, server, everything: 0, seen: new Map() };
}

export interface Plan {
  /** Every cached answer must be dropped. */
  readonly everything: boolean;
  /** The zones to drop; empty if everything is dropped. */
  readonly purge: string[];
  readonly memory: Memory;
}

/**
 * Plans the purges after one query for changes. Several queries return the same change while an older transaction runs, so a
 * change that was purged twice is remembered until it leaves the horizon.
 *
 * After a failover the new server may lack changes that the old one had, and its horizon may lie beyond changes that it has
 * yet to replay. Everything is then purged, and the memory is reset.
 */
export function look(memory: Memory, changed: ChangedZones): Plan {
  if (changed.server !== memory.server) {
    return { everything: true, purge: [], memory: { ...begin(changed), everything: PURGES - 1 } };
  }
  const plan = lookAtZones(memory, changed);
  if (memory.everything === 0) return { ...plan, everything: false };
  return { everything: true, purge: [], memory: { ...plan.memory, everything: memory.everything - 1 } };
}

function lookAtZones(memory: Memory, changed: ChangedZones): { purge: string[]; memory: Memory } {
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
  return { purge, memory: { ...memory, since: changed.horizon, seen } };
}

/** A zone that was deleted and created again appears twice, in any order. Keeping the deletion would hide later changes. */
function latestChanges({ zones }: ChangedZones): Map<string, string> {
  const latest = new Map<string, string>();
  for (const { zone, xid } of zones) {
    const other = latest.get(zone);
    if (other === undefined || BigInt(xid) > BigInt(other)) latest.set(zone, xid);
  }
  return latest;
}

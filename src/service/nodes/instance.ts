// Judges what one instance of a node reported about one zone. Pure.
import type { LivingRow } from '#store/nodes.ts';

export interface InstanceVerdict {
  /** `starting`: the node has not applied its first list. It counts when it has. */
  state: 'current' | 'behind' | 'starting';
  /** Why the node does not serve the zone as it should, as the node says; null: it did not say. */
  error: string | null;
}

/** @param xids the transactions that the node must have applied */
export function judgeInstance(row: LivingRow, zoneId: string, xids: readonly bigint[]): InstanceVerdict {
  const error = row.failing.find(({ id }) => id === zoneId)?.error ?? null;
  if (row.position === null) return { state: 'starting', error };
  // Beyond its list, a node does not say which zones fail.
  const isKnown = row.failingCount <= row.failing.length;
  const { position } = row;
  const has = row.isHere && xids.every((xid) => isVisible(xid, position));
  return { state: error === null && isKnown && has ? 'current' : 'behind', error };
}

/** The same as pg_visible_in_snapshot of Postgres. @param snapshot `xmin:xmax:transactions in progress` */
export function isVisible(xid: bigint, snapshot: string): boolean {
  const [xmin = '0', xmax = '0', runningText = ''] = snapshot.split(':');
  if (xid < BigInt(xmin)) return true;
  if (xid >= BigInt(xmax)) return false;
  return !runningText.split(',').includes(String(xid));
}

// The parent of a zone, if this service hosts it. The answers of a parent depend on the zones below it: NS, DS, empty
// non-terminals and the proofs of non-existence are computed for each query. So the parent changes when a zone below it
// is created or deleted.
import { listSuffixes, orderName } from '#dns/names/name.ts';
import type { Db, Tx } from '#store/database.ts';
import { MAX_NAMES } from '#store/feed-changes.ts';
import { lockZone, touchZone, type ZoneRow, zonesBelow, zonesNamed } from '#store/zones.ts';
import { serialAfter } from '../change/history.ts';
import type { ServiceContext } from '../context.ts';

/** The longest zone, of any owner, that encloses the zone with this name. It is read without a lock. */
export async function findParentZone(db: Db | Tx, zoneName: string): Promise<ZoneRow | null> {
  return (await zonesNamed(db, listSuffixes(zoneName).slice(1)))[0] ?? null;
}

/** Gives the parent its next serial, which also makes name servers read the delegations again. */
export async function touchParent(tx: Tx, context: Pick<ServiceContext, 'now'>, zoneName: string): Promise<void> {
  const parentRow = await findParentZone(tx, zoneName);
  const parent = parentRow && (await lockZone(tx, parentRow.id));
  if (!parent) return;
  const now = context.now();
  const serial = serialAfter(parent.serial, now);
  await touchZone(tx, parent.id, { serial, changedNames: await delegationsBy(tx, parent, zoneName) }, now);
}

/**
 * The names of the parent whose delegations change with a zone: its own, and those of the zones below it. The nearest
 * hosted zone above delegates a zone, and for them that is the zone or, without it, the parent.
 */
async function delegationsBy(tx: Tx, parent: ZoneRow, zoneName: string): Promise<string[]> {
  const below = await zonesBelow(tx, orderName(zoneName), MAX_NAMES);
  return [zoneName, ...below.map(({ name }) => name)].map((name) => name.slice(0, -parent.name.length - 1));
}

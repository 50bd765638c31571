// Whether a zone may be at its name: next to the zones of other owners, and to the records of its parent.
import { listSuffixes, orderName } from '#dns/names/name.ts';
import { listAncestorNames } from '#dns/rules/nearby-records.ts';
import type { Tx } from '#store/database.ts';
import { namesWithin, recordsAt } from '#store/records.ts';
import { foreignZoneBelow, type ZoneRow, zonesNamed } from '#store/zones.ts';
import { type Owner, sameOwner } from '../accounts/actor.ts';
import { busy } from '../change/queue.ts';
import { refusal } from '../refusal.ts';

/**
 * With a zone above or below another team's zone, one of the two would lose names to the other.
 * @param parent the zone above of the same owner, which is locked if its records must stay as they are
 * @param addedZone the zone itself, if the transaction has added it already.
 * @throws Refusal conflict, busy
 */
export async function mustNotOverlap(
  tx: Tx,
  owner: Owner,
  name: string,
  parent: ZoneRow | null,
  addedZone: ZoneRow | null = null,
): Promise<void> {
  const [ancestorZones, foreignBelow] = await Promise.all([
    zonesNamed(tx, listSuffixes(name)),
    foreignZoneBelow(tx, orderName(name), owner),
  ]);
  const enclosing = ancestorZones.filter(({ id }) => id !== addedZone?.id);
  if (foreignBelow || enclosing.some((zone) => !sameOwner(zone, owner))) {
    throw refusal('zone-overlaps', { name });
  }
  const nearest = enclosing[0];
  if (nearest?.name === name) {
    throw refusal('own-zone-exists', { name, where: owner.teamId === null ? '' : ' in this team', id: nearest.id });
  }
  // The parent was created or deleted since it was read, so the locked row is not the current parent.
  if (nearest?.id !== parent?.id) throw busy();
  if (nearest) await mustNotHide(tx, nearest, name);
}

/**
 * The parent's records at or below the new apex would no longer be served. The parent is locked.
 * @throws Refusal conflict
 */
async function mustNotHide(tx: Tx, parent: ZoneRow, name: string): Promise<void> {
  const relative = name.slice(0, -parent.name.length - 1);
  const apex = orderName(relative);
  const above = await recordsAt(tx, parent.no, listAncestorNames(relative));
  const redirection = above.find(({ type }) => type === 'DNAME');
  if (redirection !== undefined) {
    throw refusal('zone-below-dname', { parent: parent.name, id: parent.id, at: redirection.name, name });
  }
  const { names, total } = await namesWithin(tx, parent.no, apex, 5);
  if (total === 0) return;
  throw refusal('zone-hides-records', {
    parent: parent.name,
    id: parent.id,
    count: total,
    name,
    names: names.join(', '),
  });
}

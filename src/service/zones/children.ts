// The child zones of a zone: those of this service, of any owner, directly below it.
import type { Db, Tx } from '#store/database.ts';
import { type ZoneRow, zonesBelow } from '#store/zones.ts';

const MAX_ZONES = 10_000;

/** The zones of this service directly below a zone, without the zones below those. */
export async function readChildren(db: Db | Tx, zone: Pick<ZoneRow, 'tree'>): Promise<ZoneRow[]> {
  const below = await zonesBelow(db, zone.tree, MAX_ZONES);
  // In tree order, a zone comes directly before the zones below it.
  const children: ZoneRow[] = [];
  for (const row of below) {
    const last = children.at(-1);
    if (last === undefined || !row.tree.startsWith(`${last.tree} `)) children.push(row);
  }
  return children;
}

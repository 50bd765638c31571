// The parent of a zone, if this service hosts it. The answers of a parent depend on the zones below it: NS, DS, empty non-terminals
// and the proofs of non-existence are computed for each query. So the parent changes when a zone below it is created or deleted.
import { suffixesOf } from '#dns/names/name.ts';
import { nextSerial } from '#dns/serial.ts';
import type { Db, Tx } from '#store/database.ts';
import { lockZone, touchZone, type ZoneRow, zonesNamed } from '#store/zones.ts';
import type { ServiceContext } from '../context.ts';

/** The longest zone, of any owner, that encloses the zone with this name. It is read without a lock. */
export async function parentOf(db: Db | Tx, zoneName: string): Promise<ZoneRow | null> {
  return (await zonesNamed(db, suffixesOf(zoneName).slice(1)))[0] ?? null;
}

/** Gives the parent its next serial, which also makes name servers purge their caches of the parent. */
export async function touchParent(tx: Tx, context: ServiceContext, zoneName: string): Promise<void> {
  const found = await parentOf(tx, zoneName);
  const parent = found && (await lockZone(tx, found.id));
  if (!parent) return;
  const now = context.now();
  await touchZone(tx, parent.id, { serial: nextSerial(parent.serial, Math.floor(now.getTime() / 1000)) }, now);
}

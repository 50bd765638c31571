// The hosted zone above another one. It answers for the zone below it (NS, DS, the empty names between, the proofs of what
// is not there), all computed at read time, so it changes whenever a zone below it comes or goes.
import { suffixesOf } from '../dns/name.ts';
import { nextSerial } from '../dns/serial.ts';
import type { Db, Tx } from '../store/database.ts';
import { lockZone, touchZone, type ZoneRow, zonesNamed } from '../store/zones.ts';
import type { House } from './change.ts';

/** The longest zone that encloses the zone of that name, whoever owns it; by a look without locks. */
export async function parentOf(db: Db | Tx, zoneName: string): Promise<ZoneRow | null> {
  return (await zonesNamed(db, suffixesOf(zoneName).slice(1)))[0] ?? null;
}

/** Gives the parent its next serial, which also makes name servers forget what they have of it. */
export async function touchParent(tx: Tx, house: House, zoneName: string): Promise<void> {
  const found = await parentOf(tx, zoneName);
  const parent = found && (await lockZone(tx, found.id));
  if (!parent) return;
  const now = house.now();
  await touchZone(tx, parent.id, { serial: nextSerial(parent.serial, Math.floor(now.getTime() / 1000)) }, now);
}

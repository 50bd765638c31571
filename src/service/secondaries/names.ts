// The names that secondaries add to the NS records of zones, and of the delegations above them.
import type { Tx } from '#store/database.ts';
import { refreshServiceNames, refreshZoneNames, zonesWithStaleNames } from '#store/secondaries.ts';
import { lockZone, touchZone } from '#store/zones.ts';
import { serialAfter } from '../change/history.ts';
import { touchParent } from '../zones/parent.ts';

/**
 * Makes the NS records of zones those of their secondaries, and announces the zones that change.
 * @param zoneId only this zone, whose row is locked; null: every zone
 * @returns the serial of the last zone that changed; null: none did
 */
export async function settleNames(tx: Tx, zoneId: string | null, now: Date): Promise<number | null> {
  let last: number | null = null;
  if (zoneId === null) await refreshServiceNames(tx);
  for (const { id, name } of await zonesWithStaleNames(tx, zoneId)) {
    const zone = await lockZone(tx, id);
    if (zone === null) continue;
    await refreshZoneNames(tx, id);
    const serial = serialAfter(zone.serial, now);
    await touchZone(tx, id, { serial, changedNames: ['@'] }, now);
    await touchParent(tx, { now: () => now }, name);
    last = serial;
  }
  return last;
}

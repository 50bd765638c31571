// Whether a caller may still see a zone. The key may have been revoked, or the member removed, while its request
// waited.
import type { KeyStanding } from '#store/zone-load.ts';
import type { ZoneRow } from '#store/zones.ts';
import { type Actor, maySee } from '../accounts/actor.ts';
import type { Caller, ServiceContext } from '../context.ts';
import { type Refusal, refusal } from '../refusal.ts';
import { zoneIdentity } from '../zones/identity.ts';

/**
 * @param standing undefined: the key does not exist any more
 * @throws Refusal unauthorized, no_zone
 */
export function mustSeeNow(zone: ZoneRow | null, standing: KeyStanding | undefined, caller: Caller): ZoneRow {
  if (caller.isService !== true && standing?.valid !== true) throw keyRevoked();
  const isMember = caller.isService === true || standing?.member === true;
  if (!zone || !isMember || !maySee(caller.actor, zone)) throw noZone();
  return zone;
}

/**
 * Refuses a key that may not see the zone before the request waits: the wait, or `busy`, would reveal that the zone
 * exists.
 * @throws Refusal no_zone
 */
export async function mustSeeIfBusy(context: ServiceContext, actor: Actor, zoneId: string): Promise<void> {
  if (!context.queue.isBusy(zoneId)) return;
  const zone = await zoneIdentity(context.db, zoneId);
  if (!zone || !maySee(actor, zone)) throw noZone();
}

export function noZone(): Refusal {
  return refusal('no-zone');
}

/** The refusal of a request whose key was valid when it arrived, and stopped being valid while it ran. */
export function keyRevoked(): Refusal {
  return refusal('key-revoked');
}

// Finds a zone by its name, for protocols that address zones by name.
import { parseZoneName } from '#dns/names/name.ts';
import { type ZoneRow, zonesNamed } from '#store/zones.ts';
import { type Actor, maySee } from '../accounts/actor.ts';
import type { ServiceContext } from '../context.ts';

/** @param text the name with or without its final dot. @returns null if it does not exist, or the key may not see it */
export async function findZone(
  context: Pick<ServiceContext, 'db'>,
  actor: Actor,
  text: string,
): Promise<ZoneRow | null> {
  const name = parseZoneName(text);
  const [zone] = name.ok ? await zonesNamed(context.db, [name.value]) : [];
  return zone !== undefined && maySee(actor, zone) ? zone : null;
}

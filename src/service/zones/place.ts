// The place of a name: the longest zone that encloses it, and the name relative to that zone.
import { suffixesOf } from '#dns/names/name.ts';
import { type ZoneRow, zonesNamed } from '#store/zones.ts';
import { type Actor, maySee } from '../accounts/actor.ts';
import type { ServiceContext } from '../context.ts';

export interface Place {
  zone: ZoneRow;
  /** Relative to the zone. */
  name: string;
}

/** @param name canonical and absolute, without final dot. @returns null if no zone that the key may see encloses it */
export async function placeOf(context: Pick<ServiceContext, 'db'>, actor: Actor, name: string): Promise<Place | null> {
  const suffixes = suffixesOf(name).filter((suffix) => suffix.includes('.'));
  const zone = (await zonesNamed(context.db, suffixes)).find((row) => maySee(actor, row));
  return zone ? { zone, name: name === zone.name ? '@' : name.slice(0, -zone.name.length - 1) } : null;
}

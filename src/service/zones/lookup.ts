// Finds zones by name, for protocols that address them so.
import { listSuffixes, parseZoneName } from '#dns/names/name.ts';
import { soaContent, type ZoneRow, zonesNamed } from '#store/zones.ts';
import { type Actor, maySee } from '../accounts/actor.ts';
import { noZone } from '../change/standing.ts';
import type { ServiceContext } from '../context.ts';
import { type ZoneView, zoneView } from './view.ts';

type Reading = Pick<ServiceContext, 'db'>;

/**
 * The longest zone that encloses a name and that the key may see; null: there is none. A single label is never found
 * (contract Z4).
 * @param name canonical and absolute, without the final dot
 */
export async function findEnclosingZone({ db }: Reading, actor: Actor, name: string): Promise<ZoneRow | null> {
  const suffixes = listSuffixes(name).filter((suffix) => suffix.includes('.'));
  const zones = await zonesNamed(db, suffixes);
  return zones.find((zone) => maySee(actor, zone)) ?? null;
}

/** A name, and the zone that it belongs to. */
export interface Target {
  zone: ZoneRow;
  /** Relative to the zone. */
  name: string;
}

/** @param name as of findEnclosingZone */
export async function findTarget(context: Reading, actor: Actor, name: string): Promise<Target | null> {
  const zone = await findEnclosingZone(context, actor, name);
  return zone ? { zone, name: name === zone.name ? '@' : name.slice(0, -zone.name.length - 1) } : null;
}

/**
 * @param text the name with or without its final dot.
 * @returns null if the zone does not exist, or the key may not see it
 */
export async function findZoneNamed({ db }: Reading, actor: Actor, text: string): Promise<ZoneRow | null> {
  const name = parseZoneName(text);
  const [zone] = name.ok ? await zonesNamed(db, [name.value]) : [];
  return zone !== undefined && maySee(actor, zone) ? zone : null;
}

/** @throws Refusal no_zone if the zone does not exist, or the key may not see it */
export async function readZoneNamed(context: ServiceContext, actor: Actor, text: string): Promise<ZoneView> {
  const zone = await findZoneNamed(context, actor, text);
  if (zone === null) throw noZone();
  return zoneView(zone, context.nameservers);
}

/** The RDATA of the zone's SOA record. */
export function readSoa({ db }: Reading, { serial }: Pick<ZoneView, 'serial'>): Promise<string> {
  return soaContent(db, serial);
}

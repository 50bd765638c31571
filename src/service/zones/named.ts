// A zone by its name, for protocols that address zones by name, with the records that the service makes itself.
import { soaContent } from '#store/zones.ts';
import type { Actor } from '../accounts/actor.ts';
import { noZone } from '../change.ts';
import type { ServiceContext } from '../context.ts';
import { findZone } from './find.ts';
import { type ZoneView, zoneView } from './view.ts';

export interface NamedZone extends ZoneView {
  /** The public key, in base64 (RFC 6605 section 4). */
  publicKey: string;
}

/**
 * @param text the name with or without its final dot
 * @throws Refusal no_zone if it does not exist, or the key may not see it
 */
export async function zoneNamed(context: ServiceContext, actor: Actor, text: string): Promise<NamedZone> {
  const zone = await findZone(context, actor, text);
  if (zone === null) throw noZone();
  return { ...zoneView(zone, context.nameservers), publicKey: zone.cskPublic };
}

/** The RDATA of the zone's SOA record. */
export function soaOf(context: ServiceContext, { serial }: Pick<ZoneView, 'serial'>): Promise<string> {
  return soaContent(context.db, serial);
}

// What all pages of one zone begin with, and the word that a foreign edit needs. No page stands here.
import type { FastifyRequest } from 'fastify';
import { actorOf } from '../api/auth.ts';
import type { ZoneRow } from '../store/zones.ts';
import type { House } from '../zones/change.ts';
import { Refusal } from '../zones/refusal.ts';
import { type ZoneView, zoneView } from '../zones/view.ts';
import { seeZone } from '../zones/zones.ts';
import { type Typed, text } from './forms.ts';
import { unicodeOf } from './shown.ts';

export interface OfZone {
  Params: { zoneId: string };
}

export type ShownZone = ZoneView & Pick<ZoneRow, 'managedBy'> & { unicode: string | null };

export function addressOfZone(zoneId: string): string {
  return `/console/zones/${encodeURIComponent(zoneId)}`;
}

export function shownZone(zone: ZoneRow, house: House): ShownZone {
  return { ...zoneView(zone, house.nameservers), managedBy: zone.managedBy, unicode: unicodeOf(zone.name) };
}

/** What `partials/zone-nav` needs. @throws Refusal no_zone */
export async function headOf(house: House, request: FastifyRequest, zoneId: string) {
  const row = await seeZone(house, actorOf(request), zoneId, 'no_zone');
  return { row, zone: shownZone(row, house), home: addressOfZone(row.id) };
}

/**
 * What an object elsewhere owns is changed from here only on purpose.
 * @param managedBy null: nobody owns it
 * @throws Refusal conflict at the field `anyway`
 */
export function mustMeanIt(managedBy: string | null, typed: Typed): void {
  if (managedBy === null || text(typed, 'anyway') === 'on') return;
  throw new Refusal(
    'conflict',
    `anyway: This belongs to ${managedBy}; nothing was changed. Tick the box if you mean it.`,
  );
}

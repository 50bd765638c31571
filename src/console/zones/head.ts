// The parts that the pages of a zone share: the head, and the confirmation before an edit of a managed zone or record.
import type { FastifyRequest } from 'fastify';
import { requireActor } from '#http/hooks/auth.ts';
import type { ServiceContext } from '#service/context.ts';
import { refusal } from '#service/refusal.ts';
import type { ManagedZone } from '#service/zones/view.ts';
import { readManagedZone } from '#service/zones/zones.ts';
import { type Typed, textField } from '../shell/forms.ts';
import { nameOwners } from '../shell/owner-label.ts';
import { clipText, toUnicode } from '../shell/shown.ts';
import type { UndoForm } from '../shell/views.ts';

export interface OfZone {
  Params: { zoneId: string };
}

type ShownZone = ManagedZone & {
  unicode: string | null;
  /** The comment, or its beginning, for a list. */
  brief: string | null;
};

export function addressOfZone(zoneId: string): string {
  return `/console/zones/${encodeURIComponent(zoneId)}`;
}

export function shownZone(zone: ManagedZone): ShownZone {
  const { zoneName, comment } = zone;
  return { ...zone, unicode: toUnicode(zoneName), brief: comment === undefined ? null : clipText(comment) };
}

/** The form that takes back all changes of records that this request makes in the zone. */
export function undoOf(request: FastifyRequest, zoneId: string): UndoForm {
  const fields = [
    ['requestId', request.id],
    ['back', 'records'],
  ] as const;
  return { address: `${addressOfZone(zoneId)}/undo`, fields };
}

/** The data that `partials/zone-nav` needs. @throws Refusal no_zone */
export async function readZoneHead(context: ServiceContext, request: FastifyRequest, zoneId: string) {
  const zone = shownZone(await readManagedZone(context, requireActor(request), zoneId));
  return { zone, home: addressOfZone(zone.id) };
}

/**
 * Demands a confirmation before data that an external object manages is changed.
 * @param managedBy null if no object manages it
 * @throws Refusal conflict at the field `anyway`
 */
export function mustConfirm(managedBy: string | null, typed: Typed): void {
  if (managedBy === null || textField(typed, 'anyway') === 'on') return;
  throw refusal('managed-elsewhere', { owner: nameOwners(managedBy) });
}

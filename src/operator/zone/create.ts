// The request that creates a zone at the service, the same for the first attempt and for each repetition.

import type { Clock } from '#base/clock.ts';
import type { Zone } from '#client/client.ts';
import { ApiError, isAbsent } from '#client/errors.ts';
import type { Lane } from '#client/pace/lanes.ts';
import type { ReconcileContext } from '#kube/controller/controller.ts';
import type { DNSZone, ZoneStatus } from '#resources/dnszone.ts';
import { markOf, type OperatorContext } from '../access/context.ts';
import { failureOf } from '../run/failures.ts';
import { send } from '../run/send.ts';

/** The content of the request, kept in the status before it is sent: the spec may change until the response arrives. */
type ZoneIntent = NonNullable<ZoneStatus['intent']>;

/** Returns the request for the current spec. @throws errors of the request for the team of the key */
export async function newIntent(context: OperatorContext, { spec }: DNSZone, signal: AbortSignal): Promise<ZoneIntent> {
  const owner = spec.owner ?? (await context.owner(signal));
  return { key: context.nonce(), owner, ...(spec.defaultTtl === undefined ? {} : { defaultTtl: spec.defaultTtl }) };
}

/** The place of a write of the zone itself in the dispatcher: the service counts these writes in a window of their own. */
export function zonePlaceOf({ metadata }: DNSZone, lane: Lane): { bucket: 'zones'; lane: Lane; group: string } {
  return { bucket: 'zones', lane, group: metadata.namespace ?? '' };
}

/** @param intent from the status; with the uid its key is the Idempotency-Key, so that the service executes it once */
export function createAtService(
  context: OperatorContext,
  clock: Clock,
  object: DNSZone,
  { key, owner, defaultTtl }: ZoneIntent,
  requestId: string,
  signal: AbortSignal,
): Promise<Zone> {
  const { zoneName } = object.spec;
  const idempotencyKey = `${object.metadata.uid}:${key}`;
  return send(context.dispatcher, clock, {
    ...zonePlaceOf(object, 'create'),
    zone: null,
    signal,
    run: (attempt, onRate) =>
      context.client.zones.create(
        { zoneName, owner, ...(defaultTtl === undefined ? {} : { defaultTtl }) },
        { signal: attempt, onRate, requestId, idempotencyKey, managedBy: markOf(object) },
      ),
  });
}

/**
 * Repeats the exact request, and gets the first response if there was one.
 * @returns the zone; the refusal if the service refuses the request, which then created nothing the first time either, because
 * the service repeats a stored response; null if the zone of the stored response no longer exists
 */
export async function repeatCreation(
  context: OperatorContext,
  clock: Clock,
  object: DNSZone,
  intent: ZoneIntent,
  { reconcileId: requestId, signal }: ReconcileContext,
): Promise<Zone | ApiError | null> {
  try {
    const { id } = await createAtService(context, clock, object, intent, requestId, signal);
    return await context.client.zones.get(id, { signal, requestId });
  } catch (error) {
    if (isAbsent(error)) return null;
    if (error instanceof ApiError && failureOf(error)?.kind === 'refused') return error;
    throw error;
  }
}

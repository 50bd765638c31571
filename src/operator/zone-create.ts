// The one call that makes a zone at the service, the same for the first attempt and for a repeated one.
import type { Zone } from '../client/client.ts';
import { ApiError, isAbsent } from '../client/errors.ts';
import type { Clock } from '../kube/clock.ts';
import type { ReconcileContext } from '../kube/controller.ts';
import { type House, markOf } from './house.ts';
import type { DNSZone, ZoneStatus } from './resources/dnszone.ts';
import { send } from './send.ts';
import { troubleOf } from './trouble.ts';

/** What is asked for, in the status before it is sent: the spec may change until the answer is known. */
export type ZoneIntent = NonNullable<ZoneStatus['intent']>;

/** What the spec asks for now. @throws what the service answers when it is asked for the team of the key */
export async function newIntent(house: House, { spec }: DNSZone, signal: AbortSignal): Promise<ZoneIntent> {
  const owner = spec.owner ?? (await house.owner(signal));
  return { key: house.nonce(), owner, ...(spec.defaultTtl === undefined ? {} : { defaultTtl: spec.defaultTtl }) };
}

/** @param intent from the object's status: with the uid it makes the request happen once */
export function createAtService(
  house: House,
  clock: Clock,
  object: DNSZone,
  { key, owner, defaultTtl }: ZoneIntent,
  requestId: string,
  signal: AbortSignal,
): Promise<Zone> {
  const { zoneName } = object.spec;
  const idempotencyKey = `${object.metadata.uid}:${key}`;
  return send(house.dispatcher, clock, {
    lane: 'create',
    zone: null,
    signal,
    run: (attempt) =>
      house.client.zones.create(
        { zoneName, owner, ...(defaultTtl === undefined ? {} : { defaultTtl }) },
        { signal: attempt, requestId, idempotencyKey, managedBy: markOf('DNSZone', object) },
      ),
  });
}

/**
 * The same request again, to the letter: gets the first answer, when there was one.
 * @returns the refusal when the service refuses it, and then it made nothing the first time either, because an answer
 * that was kept is given again; null when the zone of a kept answer is gone since
 */
export async function repeatCreation(
  house: House,
  clock: Clock,
  object: DNSZone,
  intent: ZoneIntent,
  { reconcileId: requestId, signal }: ReconcileContext,
): Promise<Zone | ApiError | null> {
  try {
    const { id } = await createAtService(house, clock, object, intent, requestId, signal);
    return await house.client.zones.get(id, { signal, requestId });
  } catch (error) {
    if (isAbsent(error)) return null;
    if (error instanceof ApiError && troubleOf(error)?.kind === 'refused') return error;
    throw error;
  }
}

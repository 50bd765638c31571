// The one call that makes a zone at the service, the same for the first attempt and for a repeated one.
import type { Zone } from '../client/client.ts';
import type { Clock } from '../kube/clock.ts';
import type { House } from './house.ts';
import type { DNSZone } from './resources/dnszone.ts';
import { send } from './send.ts';

/** @param intent from the object's status: with the uid it makes the request happen once */
export async function createAtService(
  house: House,
  clock: Clock,
  object: DNSZone,
  intent: string,
  requestId: string,
  signal: AbortSignal,
): Promise<Zone> {
  const owner = object.spec.owner ?? (await house.owner(signal));
  const { zoneName, defaultTtl } = object.spec;
  return send(house.dispatcher, clock, {
    lane: 'create',
    zone: null,
    signal,
    run: (attempt) =>
      house.client.zones.create(
        { zoneName, owner, ...(defaultTtl === undefined ? {} : { defaultTtl }) },
        { signal: attempt, requestId, idempotencyKey: `${object.metadata.uid}:${intent}` },
      ),
  });
}

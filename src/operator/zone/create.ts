// The request that creates a zone at the service, the same for the first attempt and for each repetition.

import { ApiError, isAbsent } from '#client/errors.ts';
import type { CallOptions } from '#client/http.ts';
import { send } from '#client/pace/send.ts';
import { createZone, getZone } from '#contract/operations/zones.ts';
import type { Zone, ZoneCreated } from '#contract/zone.ts';
import { readObjectComment } from '#resources/comment.ts';
import type { ZoneStatus } from '#resources/dnszone.ts';
import { NEW_KEY } from '#resources/names.ts';
import { formatZoneMark } from '../access/context.ts';
import type { ServiceConnection } from '../access/credentials.ts';
import { classifyFailure } from '../run/failures.ts';
import type { ZoneRun } from '../run/run.ts';

/** The content of the request, kept in the status before it is sent: the spec may change until the response arrives. */
type ZoneIntent = NonNullable<ZoneStatus['intent']>;

/** Returns the request for the current spec. @throws errors of the request for the team of the key */
export async function newIntent({ context, object, signal }: ZoneRun, service: ServiceConnection): Promise<ZoneIntent> {
  const { owner, defaultTtl, denial } = object.spec;
  const team = owner ?? (await service.owner(signal));
  const comment = readObjectComment(object);
  return {
    key: context.nonce(),
    owner: team,
    ...(defaultTtl === undefined ? {} : { defaultTtl }),
    ...(denial === undefined ? {} : { denial }),
    ...(comment.ok && comment.value !== null ? { comment: comment.value } : {}),
    ...(object.metadata.annotations?.[NEW_KEY] === 'true' ? { newKey: true } : {}),
  };
}

/**
 * Sends a write of the zone itself when its turn comes. The service counts these writes in a window of their own.
 * @throws PausedTooLong when its turn does not come within 5 s
 */
export function sendForZone<T>(
  run: ZoneRun,
  { dispatcher }: ServiceConnection,
  zone: string | null,
  call: (options: CallOptions) => Promise<T>,
): Promise<T> {
  return send(dispatcher, run.context.clock, {
    bucket: 'zones',
    lane: zone === null ? 'create' : 'change',
    group: run.object.metadata.namespace ?? '',
    zone,
    signal: run.signal,
    run: (attempt, onRate) => call({ signal: attempt, onRate, requestId: run.call.requestId }),
  });
}

/** @param intent from the status; with the uid its key is the Idempotency-Key, so that the service executes it once */
export function createAtService(
  run: ZoneRun,
  service: ServiceConnection,
  { key, owner, defaultTtl, denial, comment, newKey }: ZoneIntent,
): Promise<ZoneCreated> {
  const { object } = run;
  const { zoneName } = object.spec;
  const once = { idempotencyKey: `${object.metadata.uid}:${key}`, managedBy: formatZoneMark(object) };
  const settings = {
    ...(defaultTtl === undefined ? {} : { defaultTtl }),
    ...(denial === undefined ? {} : { denial }),
    ...(comment === undefined ? {} : { comment }),
    ...(newKey === undefined ? {} : { newKey }),
  };
  const body = { zoneName, owner, ...settings };
  return sendForZone(run, service, null, (options) =>
    service.client.call(createZone, { body }, { ...options, ...once }),
  );
}

/**
 * Repeats the exact request, and gets the first response if there was one.
 * @returns the zone; the refusal if the service refuses the request, which then created nothing the first time either,
 * because the service repeats a stored response; null if the zone of the stored response no longer exists
 */
export async function repeatCreation(
  run: ZoneRun,
  service: ServiceConnection,
  intent: ZoneIntent,
): Promise<(Zone & Pick<ZoneCreated, 'key'>) | ApiError | null> {
  try {
    const { id, key } = await createAtService(run, service, intent);
    const zone = await service.client.call(getZone, { params: { id } }, run.call);
    return key === undefined ? zone : { ...zone, key };
  } catch (error) {
    if (isAbsent(error)) return null;
    if (error instanceof ApiError && classifyFailure(error)?.kind === 'refused') return error;
    throw error;
  }
}

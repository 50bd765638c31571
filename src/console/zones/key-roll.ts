// The DNSSEC keys of a zone on the page of its delegation, and the buttons that begin and cancel a key roll.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { keyRollBody } from '#contract/zone-keys.ts';
import { algorithmName } from '#dns/dnssec/algorithms.ts';
import { readCaller, requireActor } from '#http/hooks/auth.ts';
import type { ServiceContext } from '#service/context.ts';
import { beginKeyRoll, cancelKeyRoll } from '#service/key-rolls/roll.ts';
import { readZoneKeys } from '#service/key-rolls/view.ts';
import type { ConsoleParts } from '../parts.ts';
import { judge, readTyped, textField } from '../shell/forms.ts';
import { done } from '../shell/views.ts';
import { whenOf } from '../shell/when.ts';
import { type OfZone, readZoneHead } from './head.ts';

export function keyRollForms(app: FastifyInstance, { context }: ConsoleParts): void {
  app.post<OfZone>('/zones/:zoneId/roll', { config: { counts: 'zones' } }, async (request, reply) => {
    const { zone, home } = await readHead(context, request);
    const { algorithm } = judge(keyRollBody, { algorithm: Number(textField(readTyped(request), 'algorithm')) });
    await beginKeyRoll(context, readCaller(request), zone.id, { algorithm });
    return done(request, reply, `${home}/delegation`, `A key roll of ${zone.zoneName} has begun.`);
  });
  app.post<OfZone>('/zones/:zoneId/roll/cancel', { config: { counts: 'zones' } }, async (request, reply) => {
    const { zone, home } = await readHead(context, request);
    await cancelKeyRoll(context, readCaller(request), zone.id);
    return done(request, reply, `${home}/delegation`, `The key roll of ${zone.zoneName} is cancelled.`);
  });
}

/** @throws Refusal rate_limited, no_zone */
async function readHead(context: ServiceContext, request: FastifyRequest<OfZone>) {
  if (request.limitRefusal) throw request.limitRefusal;
  return readZoneHead(context, request, request.params.zoneId);
}

/** The keys and the roll for the page. */
export async function showZoneKeys(context: ServiceContext, request: FastifyRequest<OfZone>) {
  const { keys, roll } = await readZoneKeys(context, requireActor(request), request.params.zoneId);
  const now = context.now();
  return {
    keys: keys.map((key) => ({ ...key, name: algorithmName(key.algorithm), when: whenOf(key.since, now) })),
    roll,
  };
}

// PATCH of a zone: all changes of the request or none, as one change of the zone.
import type { FastifyInstance } from 'fastify';
import { MAX_TTL, MIN_TTL } from '#dns/record.ts';
import type { ServiceContext } from '#service/context.ts';
import { editRrsets } from '#service/records/edit-rrsets.ts';
import { soaOf } from '#service/zones/named.ts';
import { callerOf } from '../hooks/auth.ts';
import { counterOf } from '../hooks/limits.ts';
import { workOf } from './plan.ts';
import { readRrsets } from './read-rrsets.ts';
import { fieldsOf, listOf, refused } from './values.ts';
import { ownRrsets } from './views.ts';
import { zoneOf } from './zones.ts';

/** A sentence about an accepted request that was changed. The answer has no body. */
const NOTE = 'zonestead-note';
const CLAMPED = `A TTL was moved into the range of the service, ${MIN_TTL} to ${MAX_TTL} seconds.`;

function isSoa(rrset: unknown): boolean {
  return String((rrset as { type?: unknown } | null)?.type).toUpperCase() === 'SOA';
}

export function patchRoute(app: FastifyInstance, context: ServiceContext): void {
  app.patch(
    '/zones/:zone',
    { config: { counts: { bucket: 'records', changes: 'operation' } } },
    async (request, reply) => {
      const zone = await zoneOf(context, request);
      const list = listOf(fieldsOf(request.body, 'The body'), 'rrsets', 'the body');
      if (list === null) throw refused('The body needs the field "rrsets", an array of RRsets.');
      const own = ownRrsets(zone, list.some(isSoa) ? await soaOf(context, zone) : '');
      const { changes, isClamped } = readRrsets(list, zone.zoneName, own);
      const count = counterOf(request);
      const places = { taken: 0, take: (writes: number) => count(writes) };
      const caller = { ...callerOf(request), once: null };
      const { serials } = await editRrsets(context, caller, zone.id, workOf(changes), places);
      reply.header('x-pdns-old-serial', serials.before).header('x-pdns-new-serial', serials.after);
      if (isClamped) reply.header(NOTE, CLAMPED);
      return reply.code(204).send();
    },
  );
}

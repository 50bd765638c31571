// PATCH of a zone: all changes of the request or none, as one change of the zone.
import type { FastifyInstance } from 'fastify';
import { MAX_TTL, MIN_TTL } from '#dns/record.ts';
import type { ServiceContext } from '#service/context.ts';
import type { Arrivals } from '#service/nodes/arrivals.ts';
import { untilChallengesServed } from '#service/nodes/living.ts';
import { editRrsets } from '#service/records/edit-rrsets.ts';
import { holderOf } from '#service/slots.ts';
import { soaOf } from '#service/zones/named.ts';
import { callerOf } from '../hooks/auth.ts';
import { whenClientLeaves } from '../hooks/leaving.ts';
import { counterOf } from '../hooks/limits.ts';
import { workOf } from './plan.ts';
import { readRrsets } from './read-rrsets.ts';
import { fieldsOf, listOf, refused } from './values.ts';
import { ownRrsets } from './views.ts';
import { zoneOf } from './zones.ts';

/** Sentences about an accepted request that was changed. The answer has no body. */
const NOTE = 'zonestead-note';
const CLAMPED = `A TTL was moved into the range of the service, ${MIN_TTL} to ${MAX_TTL} seconds.`;
const KEPT = 'The SOA and NS records of the zone apex are made by the service itself, and were not deleted.';

function isSoa(rrset: unknown): boolean {
  return String((rrset as { type?: unknown } | null)?.type).toUpperCase() === 'SOA';
}

/** A value of a challenge is answered when the name servers have it, or after this time, in ms. */
const SERVED_MS = 5_000;

/** @param arrivals undefined: no request waits for name servers */
export function patchRoute(app: FastifyInstance, context: ServiceContext, arrivals: Arrivals | undefined): void {
  app.patch(
    '/zones/:zone',
    { config: { counts: { bucket: 'records', changes: 'operation' } } },
    async (request, reply) => {
      const zone = await zoneOf(context, request);
      // Before any work, also of a request that turns out to change nothing.
      const count = counterOf(request);
      await count(1);
      const list = listOf(fieldsOf(request.body, 'The body'), 'rrsets', 'the body');
      if (list === null) throw refused('The body needs the field "rrsets", an array of RRsets.');
      const own = ownRrsets(zone, list.some(isSoa) ? await soaOf(context, zone) : '');
      const { changes, isClamped, isOwnKept } = readRrsets(list, zone.zoneName, own);
      const places = { taken: 1, take: count };
      const caller = { ...callerOf(request), once: null };
      const { serials } = await editRrsets(context, caller, zone.id, workOf(changes), places);
      const names = changes.filter(({ records }) => records !== null && records.length > 0).map(({ name }) => name);
      const arrival = { zoneId: zone.id, holder: holderOf(caller.actor), waitMs: SERVED_MS, names };
      await untilChallengesServed(context, arrivals, arrival, whenClientLeaves(reply));
      reply.header('x-pdns-old-serial', serials.before).header('x-pdns-new-serial', serials.after);
      const notes = [...(isClamped ? [CLAMPED] : []), ...(isOwnKept ? [KEPT] : [])];
      if (notes.length > 0) reply.header(NOTE, notes.join(' '));
      return reply.code(204).send();
    },
  );
}

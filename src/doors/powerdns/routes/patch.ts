// PATCH of a zone: all changes of the request or none, as one change of the zone.
import type { FastifyInstance } from 'fastify';
import { countChallenges } from '#dns/names/certified.ts';
import { finishInTurns } from '#dns/steps.ts';
import { requireCounter } from '#http/hooks/limits.ts';
import type { ServiceContext } from '#service/context.ts';
import type { Arrivals } from '#service/nodes/arrivals.ts';
import { readSoa } from '#service/zones/lookup.ts';
import { listNotes, sendNotes } from '../answer-notes.ts';
import { ownRrsets } from '../answer-views.ts';
import { readListField, refused, requireFields } from '../read-fields.ts';
import { isSoa, readRrsets } from '../read-rrsets.ts';
import { writeChanges } from './write-changes.ts';
import { findRequestedZone } from './zones.ts';

/** @param arrivals undefined: no request waits for name servers */
export function patchRoute(app: FastifyInstance, context: ServiceContext, arrivals: Arrivals | undefined): void {
  app.patch(
    '/zones/:zone',
    { config: { counts: { bucket: 'records', changes: 'operation' } } },
    async (request, reply) => {
      const zone = await findRequestedZone(context, request);
      // Before any work, also of a request that turns out to change nothing.
      const challenges = countChallenges((request.body as { rrsets?: unknown } | null | undefined)?.rrsets);
      await requireCounter(request)(1, challenges);
      const list = readListField(requireFields(request.body, 'The body'), 'rrsets', 'the body');
      if (list === null) throw refused('The body needs the field "rrsets", an array of RRsets.');
      const serviceRrsets = ownRrsets(zone, list.some(isSoa) ? await readSoa(context, zone) : '');
      const rrsetChanges = await finishInTurns(readRrsets(list, zone.zoneName, serviceRrsets));
      await writeChanges({ context, arrivals, request, reply, challenges }, zone, rrsetChanges.changes);
      sendNotes(reply, new Set(listNotes(rrsetChanges)));
      return reply.code(204).send();
    },
  );
}

// The page of a zone's dangling names: records whose target does not exist, with the next step for each.
import type { FastifyInstance } from 'fastify';
import { requireActor } from '#http/hooks/auth.ts';
import { readDanglingNames } from '#service/dangling/list.ts';
import type { ConsoleParts } from '../parts.ts';
import { showPage } from '../shell/views.ts';
import { whenOf } from '../shell/when.ts';
import { type OfZone, readZoneHead } from './head.ts';

const ON_PAGE = 100;

interface OfPage extends OfZone {
  Querystring: { cursor?: string };
}

export function danglingPages(app: FastifyInstance, { context }: ConsoleParts): void {
  app.get<OfPage>('/zones/:zoneId/dangling', async (request, reply) => {
    const actor = requireActor(request);
    const { zone, home } = await readZoneHead(context, request, request.params.zoneId);
    const { cursor } = request.query;
    const query = { zone: zone.id, limit: ON_PAGE, cursor: cursor === '' ? undefined : cursor };
    const { danglingNames, next } = await readDanglingNames(context, actor, query);
    const now = context.now();
    return showPage(request, reply, 'zones/dangling', {
      title: `Dangling names of ${zone.zoneName}`,
      ...{ zone, home },
      rows: danglingNames.map((each) => ({
        ...each,
        when: whenOf(each.since, now),
        checked: whenOf(each.checkedAt, now),
        record: `${home}/records/${encodeURIComponent(each.recordId)}/edit`,
      })),
      first: query.cursor === undefined ? null : `${home}/dangling`,
      next: next === undefined ? null : `${home}/dangling?cursor=${encodeURIComponent(next)}`,
    });
  });
}

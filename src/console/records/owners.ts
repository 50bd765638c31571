// The page of the owners in a zone: their records, and whether others changed them.
import type { FastifyInstance } from 'fastify';
import { requireActor } from '#http/hooks/auth.ts';
import { readOwners } from '#service/owners/list.ts';
import type { ConsoleParts } from '../parts.ts';
import { clipText, withQuery } from '../shell/shown.ts';
import { type Trail, trailLinks } from '../shell/trail.ts';
import { showPage } from '../shell/views.ts';
import { type OfZone, readZoneHead } from '../zones/head.ts';

const PAGE = 50;
/** The octets of a value that the list shows. */
const SHOWN = 120;
/** The values of an owner that the list shows. */
const VALUES = 5;
/** The longest owner. */
const PREFIX = 400;

export function ownerPages(app: FastifyInstance, { context }: ConsoleParts): void {
  app.get<OfZone & { Querystring: Trail & { prefix?: string } }>('/zones/:zoneId/owners', async (request, reply) => {
    const { cursor } = request.query;
    const prefix = (request.query.prefix ?? '').trim().slice(0, PREFIX);
    const { zone, home } = await readZoneHead(context, request, request.params.zoneId);
    const { owners, next } = await readOwners(context, requireActor(request), zone.id, { prefix, limit: PAGE, cursor });
    const here = `${home}/owners`;
    return showPage(request, reply, 'records/owners', {
      title: `Owners in ${zone.zoneName}`,
      zone,
      home,
      prefix,
      owners: owners.map((ownedSet) => ({
        ...ownedSet,
        records: ownedSet.records
          .slice(0, VALUES)
          .map(({ content, ttl }) => ({ content: clipText(content, SHOWN), ttl })),
        others: Math.max(0, ownedSet.records.length - VALUES),
      })),
      pages: trailLinks(request.query, next, (query) => withQuery(here, { prefix, ...query })),
    });
  });
}

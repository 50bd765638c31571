// The zones of the visitor: list with search, and a new one.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { actorOf, callerOf } from '../api/auth.ts';
import { zoneCreateBody } from '../api/schemas/zone.ts';
import type { ZoneState } from '../store/zones.ts';
import { createZone } from '../zones/create-zone.ts';
import { readStatus } from '../zones/delegation.ts';
import { readZoneRows } from '../zones/zones.ts';
import { attempt, type FormErrors, judge, type Typed, text, typedOf } from './forms.ts';
import type { ConsoleParts } from './parts.ts';
import { visitorOf } from './session.ts';
import { searchTexts, withQuery } from './shown.ts';
import { done, show } from './views.ts';
import { addressOfZone, headOf, type OfZone, shownZone } from './zone-head.ts';

const PAGE = 50;
const ADDRESS = '/console/zones';

interface ListQuery {
  Querystring: { q?: string; state?: string; cursor?: string };
}

export function zonesPages(app: FastifyInstance, { house, counts }: ConsoleParts): void {
  const isLooked = house.delegation?.look != null;

  app.get<ListQuery>('/zones', async (request, reply) => {
    const { q = '', state = '', cursor } = request.query;
    const query = { q: q.trim(), state: state === 'active' || state === 'parked' ? (state as ZoneState) : undefined };
    const { rows, next } = await readZoneRows(house, actorOf(request), {
      // The stored spelling, which is the only one that a zone has.
      ...(query.q === '' ? {} : { text: searchTexts(query.q).at(-1) }),
      ...(query.state === undefined ? {} : { state: query.state }),
      limit: PAGE,
      ...(cursor === undefined ? {} : { cursor }),
    });
    const teams = new Map(visitorOf(request).teams.map(({ teamId, teamName }) => [`org:${teamId}`, teamName]));
    const again = { q: query.q, state: query.state };
    return show(request, reply, 'zone/list', {
      title: 'Zones',
      zones: rows.map((row) => shownZone(row, house)),
      ownerName: (owner: string) => teams.get(owner) ?? owner,
      query: again,
      isLooked,
      pages: {
        first: cursor === undefined ? null : withQuery(ADDRESS, again),
        next: next === null ? null : withQuery(ADDRESS, { ...again, cursor: next }),
      },
    });
  });

  // Asked by the list for one row at a time: a parent that does not answer must not hold up the others.
  app.get<OfZone>('/zones/:zoneId/delegation', async (request, reply) => {
    const { row, zone, home } = await headOf(house, request, request.params.zoneId);
    const template = request.headers['hx-request'] === 'true' ? 'zone/delegation' : 'zone/delegation-page';
    const status = await readStatus(house, row);
    return show(request, reply, template, { title: `Delegation of ${zone.zoneName}`, zone, home, status, isLooked });
  });

  const newPage = (
    request: FastifyRequest,
    reply: FastifyReply,
    again: { typed?: Typed; errors?: FormErrors } = {},
  ) => {
    const owners = visitorOf(request).teams.map(({ teamId, teamName }) => [`org:${teamId}`, teamName]);
    return show(request, reply, 'zone/new', {
      title: 'New zone',
      owners: [...owners, ['personal', 'Personal: mine alone']],
      ...again,
    });
  };

  app.get('/zones/new', async (request, reply) => newPage(request, reply));

  app.post('/zones', async (request, reply) => {
    const typed = typedOf(request);
    return attempt(
      reply,
      ['zoneName', 'owner', 'defaultTtl'],
      async () => {
        await counts.zone(request, reply);
        const ttl = text(typed, 'defaultTtl');
        const body = judge(zoneCreateBody, {
          zoneName: text(typed, 'zoneName'),
          owner: text(typed, 'owner'),
          ...(ttl === '' ? {} : { defaultTtl: Number(ttl) }),
        });
        const zone = await createZone(house, callerOf(request), body);
        const word = zone.status === 'done' ? '' : ' Publish the name servers and the DS below at the parent.';
        return done(
          request,
          reply,
          `${addressOfZone(zone.id)}/settings`,
          `The zone ${zone.zoneName} is served.${word}`,
        );
      },
      (errors) => newPage(request, reply, { typed, errors }),
    );
  });
}

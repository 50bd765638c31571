// The zones of the visitor: the list with its search, and the form for a new zone.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { actorOf, callerOf } from '#api/hooks/auth.ts';
import { zoneCreateBody } from '#contract/zone.ts';
import { createZone } from '#service/zones/create.ts';
import { readManagedZones, readStatus } from '#service/zones/zones.ts';
import type { ConsoleParts } from '../parts.ts';
import { attempt, type FormErrors, judge, type Typed, text, typedOf } from '../shell/forms.ts';
import { visitorOf } from '../shell/session.ts';
import { searchTexts, withQuery } from '../shell/shown.ts';
import { done, show } from '../shell/views.ts';
import { addressOfZone, headOf, type OfZone, shownZone } from './head.ts';

const PAGE = 50;
const ADDRESS = '/console/zones';

interface ListQuery {
  Querystring: { q?: string; state?: string; cursor?: string };
}

export function zonesPages(app: FastifyInstance, { context }: ConsoleParts): void {
  const isChecked = context.delegation?.look != null;

  app.get<ListQuery>('/zones', async (request, reply) => {
    const { q = '', state = '', cursor } = request.query;
    const query = {
      q: q.trim(),
      state: state === 'active' || state === 'parked' ? (state as 'active' | 'parked') : undefined,
    };
    const { zones, next } = await readManagedZones(context, actorOf(request), {
      // The stored spelling is the only one that a zone has.
      ...(query.q === '' ? {} : { text: searchTexts(query.q).at(-1) }),
      ...(query.state === undefined ? {} : { state: query.state }),
      limit: PAGE,
      ...(cursor === undefined ? {} : { cursor }),
    });
    const teams = new Map(visitorOf(request).teams.map(({ teamId, teamName }) => [`org:${teamId}`, teamName]));
    const again = { q: query.q, state: query.state };
    return show(request, reply, 'zones/list', {
      title: 'Zones',
      zones: zones.map(shownZone),
      ownerName: (owner: string) => teams.get(owner) ?? owner,
      query: again,
      isChecked,
      pages: {
        first: cursor === undefined ? null : withQuery(ADDRESS, again),
        next: next === null ? null : withQuery(ADDRESS, { ...again, cursor: next }),
      },
    });
  });

  // The list requests this for each row, so that a parent zone that does not answer delays its own row only.
  app.get<OfZone>('/zones/:zoneId/delegation', async (request, reply) => {
    const { zone, home } = await headOf(context, request, request.params.zoneId);
    const template = request.headers['hx-request'] === 'true' ? 'zones/delegation' : 'zones/delegation-page';
    const status = await readStatus(context, actorOf(request), zone.id);
    return show(request, reply, template, { title: `Delegation of ${zone.zoneName}`, zone, home, status, isChecked });
  });

  const newPage = (
    request: FastifyRequest,
    reply: FastifyReply,
    again: { typed?: Typed; errors?: FormErrors } = {},
  ) => {
    const owners = visitorOf(request).teams.map(({ teamId, teamName }) => [`org:${teamId}`, teamName]);
    return show(request, reply, 'zones/new', {
      title: 'New zone',
      owners: [...owners, ['personal', 'Personal (only me)']],
      ...again,
    });
  };

  app.get('/zones/new', async (request, reply) => newPage(request, reply));

  app.post('/zones', { config: { counts: 'zones' } }, async (request, reply) => {
    const typed = typedOf(request);
    return attempt(
      reply,
      ['zoneName', 'owner', 'defaultTtl', 'comment'],
      async () => {
        const ttl = text(typed, 'defaultTtl');
        const body = judge(zoneCreateBody, {
          zoneName: text(typed, 'zoneName'),
          owner: text(typed, 'owner'),
          ...(ttl === '' ? {} : { defaultTtl: Number(ttl) }),
          comment: text(typed, 'comment'),
        });
        const zone = await createZone(context, callerOf(request), body);
        const word =
          zone.status === 'done' ? '' : ' Publish the name servers and the DS records below at the parent zone.';
        return done(
          request,
          reply,
          `${addressOfZone(zone.id)}/settings`,
          `The zone ${zone.zoneName} was created and is live.${word}`,
        );
      },
      (errors) => newPage(request, reply, { typed, errors }),
    );
  });
}

// One zone as a whole: what its parent needs, its default TTL, parking, deletion.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { callerOf } from '../api/auth.ts';
import { zoneChangeBody } from '../api/schemas/zone.ts';
import { readStatus } from '../zones/delegation.ts';
import { Refusal } from '../zones/refusal.ts';
import { removeZone, setDefaultTtl, setZoneState } from '../zones/zones.ts';
import { attempt, type FormErrors, judge, type Typed, text, typedOf } from './forms.ts';
import type { ConsoleParts } from './parts.ts';
import { done, show } from './views.ts';
import { headOf, mustMeanIt, type OfZone } from './zone-head.ts';

interface Again {
  typed?: Typed;
  errors?: FormErrors;
}

export function zonePages(app: FastifyInstance, { house, counts }: ConsoleParts): void {
  const settings = async (request: FastifyRequest<OfZone>, reply: FastifyReply, again: Again = {}) => {
    const { row, zone, home } = await headOf(house, request, request.params.zoneId);
    const status = await readStatus(house, row);
    const isLooked = house.delegation?.look != null;
    return show(request, reply, 'zone/settings', { title: zone.zoneName, zone, home, status, isLooked, ...again });
  };
  const deletePage = async (request: FastifyRequest<OfZone>, reply: FastifyReply, again: Again = {}) => {
    const { zone, home } = await headOf(house, request, request.params.zoneId);
    return show(request, reply, 'zone/delete', { title: `Delete ${zone.zoneName}?`, zone, home, ...again });
  };

  app.get<OfZone>('/zones/:zoneId/settings', async (request, reply) => settings(request, reply));

  app.post<OfZone>('/zones/:zoneId/ttl', async (request, reply) => {
    const typed = typedOf(request);
    const { row, home } = await headOf(house, request, request.params.zoneId);
    return attempt(
      reply,
      ['defaultTtl', 'anyway'],
      async () => {
        await counts.zone(request, reply);
        const { defaultTtl } = judge(zoneChangeBody, { defaultTtl: Number(text(typed, 'defaultTtl') || Number.NaN) });
        mustMeanIt(row.managedBy, typed);
        await setDefaultTtl(house, callerOf(request), row.id, defaultTtl);
        return done(request, reply, `${home}/settings`, `Records without a TTL of their own have ${defaultTtl} s now.`);
      },
      (errors) => settings(request, reply, { typed, errors }),
    );
  });

  for (const [verb, state] of [
    ['park', 'parked'],
    ['unpark', 'active'],
  ] as const) {
    app.post<OfZone>(`/zones/:zoneId/${verb}`, async (request, reply) => {
      const typed = typedOf(request);
      const { row, home } = await headOf(house, request, request.params.zoneId);
      return attempt(
        reply,
        [],
        async () => {
          await counts.zone(request, reply);
          mustMeanIt(row.managedBy, typed);
          await setZoneState(house, callerOf(request), row.id, state);
          const words = state === 'parked' ? 'is parked: only its apex answers' : 'answers again';
          return done(request, reply, `${home}/settings`, `${row.name} ${words}.`);
        },
        (errors) => settings(request, reply, { typed, errors }),
      );
    });
  }

  app.get<OfZone>('/zones/:zoneId/delete', async (request, reply) => deletePage(request, reply));

  app.post<OfZone>('/zones/:zoneId/delete', async (request, reply) => {
    const typed = typedOf(request);
    const { row } = await headOf(house, request, request.params.zoneId);
    return attempt(
      reply,
      ['confirm', 'anyway'],
      async () => {
        await counts.zone(request, reply);
        if (text(typed, 'confirm').replace(/\.$/, '').toLowerCase() !== row.name) {
          throw new Refusal('bad_request', `confirm: Write ${row.name} to confirm; nothing was deleted.`);
        }
        mustMeanIt(row.managedBy, typed);
        await removeZone(house, callerOf(request), row.id);
        return done(request, reply, '/console/zones', `The zone ${row.name} is deleted with all its records.`);
      },
      (errors) => deletePage(request, reply, { typed, errors }),
    );
  });
}

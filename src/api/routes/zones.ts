// The zone operations of SPEC section 4 over HTTP: schema, limit, call. What they mean stands in zones/.

import type { FastifyInstance } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { House } from '../../zones/change.ts';
import { createZone } from '../../zones/create-zone.ts';
import { Refusal } from '../../zones/refusal.ts';
import { zoneView } from '../../zones/view.ts';
import { findZone, readZone, readZones, removeZone, seeZone, setDefaultTtl, setZoneState } from '../../zones/zones.ts';
import { actorOf, callerOf } from '../auth.ts';
import type { WriteHook } from '../limits.ts';
import {
  dsList,
  zone,
  zoneChangeBody,
  zoneCreateBody,
  zoneCreated,
  zoneList,
  zoneListQuery,
  zoneParams,
} from '../schemas/zone.ts';
import { errorAnswers } from './answers.ts';

const TAGS = ['zones'];

export function zoneRoutes(app: FastifyInstance, house: House, countWrite: WriteHook): void {
  const routes = app.withTypeProvider<ZodTypeProvider>();

  routes.get(
    '/zones',
    {
      schema: {
        tags: TAGS,
        summary: 'List zones, or find the zone that encloses a name',
        querystring: zoneListQuery,
        response: { 200: z.union([zone, zoneList]), ...errorAnswers('bad_request', 'not_found') },
      },
    },
    async (request) => {
      const { suffix_of, zoneName, name, limit, cursor } = request.query;
      if (suffix_of !== undefined) return findZone(house, actorOf(request), suffix_of);
      if (zoneName !== undefined && name !== undefined && zoneName !== name) {
        throw new Refusal('bad_request', 'name: is an alias of zoneName; give one of them.');
      }
      return readZones(house, actorOf(request), { zoneName: zoneName ?? name, limit, cursor });
    },
  );

  routes.post(
    '/zones',
    {
      onRequest: countWrite,
      schema: {
        tags: TAGS,
        summary: 'Create a zone',
        body: zoneCreateBody,
        response: { 200: zoneCreated, ...errorAnswers('bad_request', 'forbidden', 'conflict', 'rate_limited', 'busy') },
      },
    },
    async (request) => createZone(house, callerOf(request), request.body),
  );

  routes.get(
    '/zones/:id',
    {
      schema: {
        tags: TAGS,
        summary: 'Get a zone with its delegation data',
        params: zoneParams,
        response: { 200: zone, ...errorAnswers('not_found') },
      },
    },
    async (request) => readZone(house, actorOf(request), request.params.id),
  );

  routes.patch(
    '/zones/:id',
    {
      onRequest: countWrite,
      schema: {
        tags: TAGS,
        summary: "Change a zone's default TTL",
        params: zoneParams,
        body: zoneChangeBody,
        response: { 200: zone, ...errorAnswers('bad_request', 'forbidden', 'no_zone', 'rate_limited', 'busy') },
      },
    },
    async (request) => setDefaultTtl(house, callerOf(request), request.params.id, request.body.defaultTtl),
  );

  routes.delete(
    '/zones/:id',
    {
      onRequest: countWrite,
      schema: {
        tags: TAGS,
        summary: 'Delete a zone with all its records, for good',
        params: zoneParams,
        response: { 204: z.null(), ...errorAnswers('forbidden', 'no_zone', 'rate_limited', 'busy') },
      },
    },
    async (request, reply) => {
      await removeZone(house, callerOf(request), request.params.id);
      return reply.code(204).send(null);
    },
  );

  for (const [verb, state] of [
    ['park', 'parked'],
    ['unpark', 'active'],
  ] as const) {
    routes.post(
      `/zones/:id/${verb}`,
      {
        onRequest: countWrite,
        schema: {
          tags: TAGS,
          summary: verb === 'park' ? 'Suspend resolution: only the apex answers' : 'Restore resolution',
          params: zoneParams,
          response: { 200: zone, ...errorAnswers('forbidden', 'no_zone', 'rate_limited', 'busy') },
        },
      },
      async (request) => setZoneState(house, callerOf(request), request.params.id, state),
    );
  }

  routes.get(
    '/zones/:id/ds',
    {
      schema: {
        tags: TAGS,
        summary: 'The DS records for the parent zone',
        params: zoneParams,
        response: { 200: dsList, ...errorAnswers('no_zone') },
      },
    },
    async (request) => {
      const row = await seeZone(house, actorOf(request), request.params.id, 'no_zone');
      return { ds: zoneView(row, house.nameservers).ds };
    },
  );
}

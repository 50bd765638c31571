// The zone operations over HTTP (contract Z3 to Z14): schema, limit, call. src/service/zones holds the rules.
import type { FastifyInstance } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { z } from 'zod';
import {
  dsList,
  zone,
  zoneChangeBody,
  zoneCreateBody,
  zoneCreated,
  zoneList,
  zoneListQuery,
  zoneParams,
} from '#contract/zone.ts';
import { zoneTag } from '#service/conditions/tags.ts';
import type { ServiceContext } from '#service/context.ts';
import { refusal } from '#service/refusal.ts';
import { createZone } from '#service/zones/create.ts';
import {
  changeProperties,
  findZone,
  readAllZones,
  readDs,
  readZone,
  readZones,
  removeZone,
  setZoneState,
} from '#service/zones/zones.ts';
import { actorOf, callerOf } from '../hooks/auth.ts';
import { conditionalCallerOf, isKnown, tagged } from '../hooks/conditions.ts';
import { JSON_TYPE, jsonList, sendInChunks } from '../hooks/large-answer.ts';
import { whenClientLeaves } from '../hooks/leaving.ts';
import { errorAnswers, needs, notModified } from './answers.ts';

const TAGS = ['zones'];

export function zoneRoutes(app: FastifyInstance, context: ServiceContext): void {
  const routes = app.withTypeProvider<ZodTypeProvider>();

  routes.get(
    '/zones',
    {
      schema: {
        tags: TAGS,
        operationId: 'listZones',
        summary: 'List zones, or find the zone that encloses a name',
        description: 'Lists the zones that the key may see. With `suffix_of`, the answer is a single zone.',
        querystring: zoneListQuery,
        response: { 200: z.union([zone, zoneList]), ...errorAnswers('bad_request', 'not_found', 'busy') },
      },
    },
    async (request, reply) => {
      const { suffix_of, zoneName, name, limit, cursor } = request.query;
      if (suffix_of !== undefined) return findZone(context, actorOf(request), suffix_of);
      if (zoneName !== undefined && name !== undefined && zoneName !== name) {
        throw refusal('two-names');
      }
      if (zoneName !== undefined || name !== undefined || limit !== undefined) {
        return readZones(context, actorOf(request), { zoneName: zoneName ?? name, limit, cursor });
      }
      const list = await readAllZones(context, actorOf(request), { cursor }, whenClientLeaves(reply));
      return 'whole' in list ? { zones: list.whole } : sendInChunks(reply, JSON_TYPE, jsonList('zones', list.pages));
    },
  );

  routes.post(
    '/zones',
    {
      config: { counts: 'zones' },
      schema: {
        tags: TAGS,
        operationId: 'createZone',
        summary: 'Create a zone',
        description:
          'When the answer arrives, the name servers answer for the zone. The answer names the name servers and the DS records for the parent zone.',
        security: needs('manageZones:write'),
        body: zoneCreateBody,
        response: { 200: zoneCreated, ...errorAnswers('bad_request', 'forbidden', 'conflict', 'rate_limited', 'busy') },
      },
    },
    async (request, reply) => {
      const created = await createZone(context, callerOf(request), request.body);
      tagged(reply, zoneTag(created, created.status));
      return created;
    },
  );

  routes.get(
    '/zones/:id',
    {
      schema: {
        tags: TAGS,
        operationId: 'getZone',
        summary: 'Get a zone',
        description:
          'The answer contains the name servers, the DS records for the parent zone, and in `status` whether a step of the delegation is missing.',
        params: zoneParams,
        response: { 200: zone, ...notModified, ...errorAnswers('not_found', 'precondition_failed') },
      },
    },
    async (request, reply) => {
      const read = await readZone(context, actorOf(request), request.params.id);
      return isKnown(request, reply, zoneTag(read, read.status)) ? reply.code(304).send(null) : read;
    },
  );

  routes.patch(
    '/zones/:id',
    {
      config: { counts: 'zones' },
      schema: {
        tags: TAGS,
        operationId: 'updateZone',
        summary: 'Change the default TTL or the comment of a zone',
        description:
          'A new default TTL applies to all records that have no TTL of their own. A new comment alone changes neither DNS nor the serial.',
        security: needs('manageZones:write'),
        params: zoneParams,
        body: zoneChangeBody,
        response: {
          200: zone,
          ...errorAnswers('bad_request', 'forbidden', 'no_zone', 'precondition_failed', 'rate_limited', 'busy'),
        },
      },
    },
    async (request, reply) => {
      const changed = await changeProperties(context, conditionalCallerOf(request), request.params.id, request.body);
      tagged(reply, zoneTag(changed));
      return changed;
    },
  );

  routes.delete(
    '/zones/:id',
    {
      config: { counts: 'zones' },
      schema: {
        tags: TAGS,
        operationId: 'deleteZone',
        summary: 'Delete a zone with all its records',
        description:
          'For some days, the name of the zone is reserved for its former owner, who can restore the zone with its records and its DNSSEC key.',
        security: needs('manageZones:write'),
        params: zoneParams,
        response: {
          204: z.null(),
          ...errorAnswers('forbidden', 'no_zone', 'precondition_failed', 'rate_limited', 'busy'),
        },
      },
    },
    async (request, reply) => {
      await removeZone(context, conditionalCallerOf(request), request.params.id);
      return reply.code(204).send(null);
    },
  );

  for (const { verb, state, summary, description } of [
    {
      verb: 'park',
      state: 'parked',
      summary: 'Suspend the resolution of a zone',
      description: 'Only the apex of a parked zone answers queries. Its records and its DNSSEC keys are kept.',
    },
    {
      verb: 'unpark',
      state: 'active',
      summary: 'Restore the resolution of a parked zone',
      description: 'The name servers answer with all records of the zone again.',
    },
  ] as const) {
    routes.post(
      `/zones/:id/${verb}`,
      {
        config: { counts: 'zones' },
        schema: {
          tags: TAGS,
          operationId: `${verb}Zone`,
          summary,
          description,
          security: needs('manageZones:write'),
          params: zoneParams,
          response: {
            200: zone,
            ...errorAnswers('forbidden', 'no_zone', 'precondition_failed', 'rate_limited', 'busy'),
          },
        },
      },
      async (request, reply) => {
        const changed = await setZoneState(context, conditionalCallerOf(request), request.params.id, state);
        tagged(reply, zoneTag(changed));
        return changed;
      },
    );
  }

  routes.get(
    '/zones/:id/ds',
    {
      schema: {
        tags: TAGS,
        operationId: 'listDsRecords',
        summary: 'List the DS records of a zone',
        description: 'Give these records to the operator of the parent zone, usually your registrar.',
        params: zoneParams,
        response: { 200: dsList, ...errorAnswers('no_zone') },
      },
    },
    async (request) => {
      return { ds: await readDs(context, actorOf(request), request.params.id) };
    },
  );
}

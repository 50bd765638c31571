// The record operations of SPEC section 4 over HTTP: schema, limit, call. What they mean stands in zones/.
import type { FastifyInstance } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { House } from '../../zones/change.ts';
import { createRecord, readAllRecords, readRecords, removeRecord, replaceRecord } from '../../zones/records.ts';
import { Refusal } from '../../zones/refusal.ts';
import { actorOf, callerOf } from '../auth.ts';
import { createJsonList } from '../json-list.ts';
import type { WriteHook } from '../limits.ts';
import { record, recordBody, recordList, recordListQuery, recordParams, recordReplaceBody } from '../schemas/record.ts';
import { zoneParams } from '../schemas/zone.ts';
import { errorAnswers } from './answers.ts';

const TAGS = ['records'];
const WRITE_ERRORS = errorAnswers('bad_request', 'forbidden', 'no_zone', 'conflict', 'rate_limited', 'busy');

export function recordRoutes(app: FastifyInstance, house: House, countWrite: WriteHook): void {
  const routes = app.withTypeProvider<ZodTypeProvider>();

  routes.get(
    '/zones/:id/records',
    {
      schema: {
        tags: TAGS,
        summary: "List a zone's records",
        params: zoneParams,
        querystring: recordListQuery,
        response: { 200: recordList, ...errorAnswers('bad_request', 'forbidden', 'no_zone') },
      },
    },
    async (request, reply) => {
      const { limit, ...query } = request.query;
      if (limit !== undefined) return readRecords(house, actorOf(request), request.params.id, { ...query, limit });
      const list = createJsonList('records');
      await readAllRecords(house, actorOf(request), request.params.id, query, list.add);
      return list.answer(reply);
    },
  );

  routes.post(
    '/zones/:id/records',
    {
      onRequest: countWrite,
      schema: {
        tags: TAGS,
        summary: 'Create a record',
        params: zoneParams,
        body: recordBody,
        response: { 201: record, ...WRITE_ERRORS },
      },
    },
    async (request, reply) => {
      const created = await createRecord(house, callerOf(request), request.params.id, request.body);
      return reply.code(201).send(created);
    },
  );

  routes.put(
    '/zones/:id/records/:recordId',
    {
      onRequest: countWrite,
      schema: {
        tags: TAGS,
        summary: "Replace a record's content, ttl and priority",
        params: recordParams,
        body: recordReplaceBody,
        response: { 200: record, ...WRITE_ERRORS },
      },
    },
    async (request) => {
      const { id, recordId } = request.params;
      const { id: sent = recordId, ...body } = request.body;
      if (sent !== recordId)
        throw new Refusal('bad_request', `id: must be ${recordId} as in the path, or be left out.`);
      return replaceRecord(house, callerOf(request), id, recordId, body);
    },
  );

  routes.delete(
    '/zones/:id/records/:recordId',
    {
      onRequest: countWrite,
      schema: {
        tags: TAGS,
        summary: 'Delete a record',
        params: recordParams,
        response: { 204: z.null(), ...WRITE_ERRORS },
      },
    },
    async (request, reply) => {
      await removeRecord(house, callerOf(request), request.params.id, request.params.recordId);
      return reply.code(204).send(null);
    },
  );
}

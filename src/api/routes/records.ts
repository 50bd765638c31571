// The record operations over HTTP (contract R2 to R5): schema, limit, call. src/service/records holds the rules.
import type { FastifyInstance } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { record, recordBody, recordList, recordListQuery, recordParams, recordReplaceBody } from '#contract/record.ts';
import { zoneParams } from '#contract/zone.ts';
import { recordTag } from '#service/conditions/tags.ts';
import type { ServiceContext } from '#service/context.ts';
import { readAllRecords, readOwnersOf, readRecord, readRecords } from '#service/records/records.ts';
import { createRecord, removeRecord, replaceRecord } from '#service/records/writer.ts';
import { refusal } from '#service/refusal.ts';
import { actorOf } from '../hooks/auth.ts';
import { conditionalCallerOf, isKnown, tagged } from '../hooks/conditions.ts';
import { JSON_TYPE, jsonList, sendInChunks } from '../hooks/large-answer.ts';
import { whenClientLeaves } from '../hooks/leaving.ts';
import { tellOwners } from '../hooks/owners-header.ts';
import { errorAnswers, needs, notModified, RECORD_CHANGE_ERRORS } from './answers.ts';

const TAGS = ['records'];
const WRITE_ERRORS = errorAnswers(...RECORD_CHANGE_ERRORS);

export function recordRoutes(app: FastifyInstance, context: ServiceContext): void {
  const routes = app.withTypeProvider<ZodTypeProvider>();

  routes.get(
    '/zones/:id/records',
    {
      schema: {
        tags: TAGS,
        operationId: 'listRecords',
        summary: 'List the records of a zone',
        security: needs('records:read'),
        description:
          'Without `limit`, the list is complete and shows the zone at one point in time. A long list is sent in chunks, without Content-Length. The service closes the connection of a client that reads nothing for 10 seconds, or less than 64 KiB a second. With `limit`, a page has fewer records, and has `next`, if their contents reach 1 MiB.',
        params: zoneParams,
        querystring: recordListQuery,
        response: {
          200: recordList,
          ...notModified,
          ...errorAnswers('bad_request', 'forbidden', 'no_zone', 'precondition_failed', 'busy'),
        },
      },
    },
    async (request, reply) => {
      const { limit, ...query } = request.query;
      const [actor, { id }] = [actorOf(request), request.params];
      const known = (tag: string) => isKnown(request, reply, tag);
      if (limit !== undefined) {
        return (await readRecords(context, actor, id, { ...query, limit }, known)) ?? reply.code(304).send(null);
      }
      const list = await readAllRecords(context, actor, id, query, known, whenClientLeaves(reply));
      if (list === null) return reply.code(304).send(null);
      if ('pages' in list) return sendInChunks(reply, JSON_TYPE, jsonList('records', list.pages));
      // Sent as text, because validating each record against its schema would cost more than the rest of the request.
      return reply.type(JSON_TYPE).send(JSON.stringify({ records: list.whole }) as never);
    },
  );

  routes.get(
    '/zones/:id/records/:recordId',
    {
      schema: {
        tags: TAGS,
        operationId: 'getRecord',
        summary: 'Get a record',
        security: needs('records:read'),
        description: 'Send the header ETag of the answer as If-Match of a change of this record.',
        params: recordParams,
        response: {
          200: record,
          ...notModified,
          ...errorAnswers('bad_request', 'forbidden', 'no_zone', 'not_found', 'precondition_failed'),
        },
      },
    },
    async (request, reply) => {
      const { id, recordId } = request.params;
      const read = await readRecord(context, actorOf(request), id, recordId);
      return isKnown(request, reply, recordTag(read)) ? reply.code(304).send(null) : read;
    },
  );

  routes.post(
    '/zones/:id/records',
    {
      config: { counts: 'records' },
      schema: {
        tags: TAGS,
        operationId: 'createRecord',
        summary: 'Create a record',
        description: 'When the answer arrives, the name servers answer with the new record.',
        security: needs('records:write'),
        params: zoneParams,
        body: recordBody,
        response: { 201: record, ...WRITE_ERRORS },
      },
    },
    async (request, reply) => {
      const created = await createRecord(context, conditionalCallerOf(request), request.params.id, request.body);
      return tagged(reply, recordTag(created)).code(201).send(created);
    },
  );

  routes.put(
    '/zones/:id/records/:recordId',
    {
      config: { counts: 'records' },
      schema: {
        tags: TAGS,
        operationId: 'replaceRecord',
        summary: 'Replace the content, TTL, priority and comment of a record',
        description:
          'The name and type of a record cannot change. You may send the complete record as you read it, with its id. With If-Match, a record that changed since you read it stays as it is: the answer is 412. A new comment alone changes neither DNS nor the serial. If the record has owners, which may revert the change, the header Zonestead-Owners and the field `owners` name them.',
        security: needs('records:write'),
        params: recordParams,
        body: recordReplaceBody,
        response: { 200: record, ...WRITE_ERRORS },
      },
    },
    async (request, reply) => {
      const { id, recordId } = request.params;
      const { id: sent = recordId, withdrawn: _withdrawn, owners: _owners, ...body } = request.body;
      if (sent !== recordId) throw refusal('path-mismatch', { id: recordId });
      const replaced = await replaceRecord(context, conditionalCallerOf(request), id, recordId, body);
      tagged(reply, recordTag(replaced));
      const owners = (await readOwnersOf(context, [recordId])).get(recordId);
      if (owners === undefined) return replaced;
      tellOwners(reply, owners);
      return { ...replaced, owners: [...owners] };
    },
  );

  routes.delete(
    '/zones/:id/records/:recordId',
    {
      config: { counts: 'records' },
      schema: {
        tags: TAGS,
        operationId: 'deleteRecord',
        summary: 'Delete a record',
        description:
          'When the answer arrives, the name servers no longer answer with the record. If the record had owners, which may create it again, the header Zonestead-Owners names them.',
        security: needs('records:write'),
        params: recordParams,
        response: { 204: z.null(), ...WRITE_ERRORS },
      },
    },
    async (request, reply) => {
      const { id, recordId } = request.params;
      const owners = await readOwnersOf(context, [recordId]);
      await removeRecord(context, conditionalCallerOf(request), id, recordId);
      tellOwners(reply, owners.get(recordId) ?? []);
      return reply.code(204).send(null);
    },
  );
}

// The record operations over HTTP (contract R2 to R5). src/service/records holds the rules.
import type { FastifyInstance } from 'fastify';
import * as api from '#contract/operations/records.ts';
import { isKnown } from '#http/hooks/conditions.ts';
import { JSON_TYPE, sendInChunks, streamJsonList } from '#http/hooks/large-answer.ts';
import { whenClientLeaves } from '#http/hooks/leaving.ts';
import { tellOwners } from '#http/hooks/owners-header.ts';
import { recordTag } from '#service/conditions/tags.ts';
import type { ServiceContext } from '#service/context.ts';
import { readAllRecords, readRecord, readRecordOwners, readRecords, withReverse } from '#service/records/records.ts';
import { createRecord, removeRecord, replaceRecord } from '#service/records/writer.ts';
import { refusal } from '#service/refusal.ts';
import { serveOn } from '../serve.ts';

export function recordRoutes(app: FastifyInstance, context: ServiceContext): void {
  const serve = serveOn(app);

  serve(api.listRecords, async ({ actor, params: { id }, query: { limit, ...query }, request, reply }) => {
    const isKnownTag = (tag: string) => isKnown(request, reply, tag);
    if (limit !== undefined) {
      return (await readRecords(context, actor(), id, { ...query, limit }, isKnownTag)) ?? reply.code(304).send(null);
    }
    const list = await readAllRecords(context, actor(), id, query, isKnownTag, whenClientLeaves(reply));
    if (list === null) return reply.code(304).send(null);
    if ('pages' in list) return sendInChunks(reply, JSON_TYPE, streamJsonList('records', list.pages));
    // Sent as text, because validating each record against its schema would cost more than the rest of the request.
    return reply.type(JSON_TYPE).send(JSON.stringify({ records: list.whole }));
  });

  serve(api.getRecord, ({ actor, params }) => readRecord(context, actor(), params.id, params.recordId), {
    tag: recordTag,
  });

  serve(
    api.createRecord,
    async ({ caller, params, body }) => withReverse(context, await createRecord(context, caller(), params.id, body)),
    { tag: recordTag },
  );

  serve(
    api.replaceRecord,
    async ({ caller, params: { id, recordId }, body, reply }) => {
      const {
        id: sentId = recordId,
        withdrawn: _withdrawn,
        failing: _failing,
        owners: _owners,
        reverseState: _reverseState,
        reverseOf: _reverseOf,
        ...wantedRecord
      } = body;
      if (sentId !== recordId) throw refusal('path-mismatch', { id: recordId });
      const writer = caller();
      const owners = (await readRecordOwners(context, [recordId])).get(recordId);
      const replacedRecord = await withReverse(
        context,
        await replaceRecord(context, writer, id, recordId, wantedRecord),
      );
      if (owners === undefined) return replacedRecord;
      tellOwners(reply, owners);
      return { ...replacedRecord, owners: [...owners] };
    },
    { tag: recordTag },
  );

  serve(api.deleteRecord, async ({ caller, params: { id, recordId }, reply }) => {
    const owners = await readRecordOwners(context, [recordId]);
    await removeRecord(context, caller(), id, recordId);
    tellOwners(reply, owners.get(recordId) ?? []);
  });
}

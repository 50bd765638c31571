// Many record changes in one request. src/service/records/batch-work.ts holds the rules.
import type { FastifyInstance } from 'fastify';
import type { z } from 'zod';
import * as schemas from '#contract/batch.ts';
import * as api from '#contract/operations/records.ts';
import { ENTITY_TAGS_RULE } from '#contract/shared.ts';
import { hashOfPost } from '#http/hooks/auth.ts';
import { readTags } from '#http/hooks/conditions.ts';
import { tellOwners } from '#http/hooks/owners-header.ts';
import type { LoggedPart } from '#http/hooks/write-log.ts';
import { bodyOf, statusOf } from '#http/refusals.ts';
import { recordTag } from '#service/conditions/tags.ts';
import type { ServiceContext } from '#service/context.ts';
import type { BatchResult, RecordChange } from '#service/records/batch.ts';
import { readOwnersOf } from '#service/records/records.ts';
import { applyBatch } from '#service/records/writer.ts';
import { Refusal, refuseIssues } from '#service/refusal.ts';
import { serveOn } from '../serve.ts';

export function batchRoutes(app: FastifyInstance, context: ServiceContext): void {
  serveOn(app)(api.applyBatch, async ({ caller, params, body: { atomic, changes }, request, reply }) => {
    const batch = {
      atomic,
      changes: changes.map((change) => readChange(change, request.url.replace(/:batch(\?.*)?$/, ''))),
    };
    const writer = caller();
    const owners = await readOwnersOf(context, batch.changes.flatMap(idOf));
    const results = await applyBatch(context, writer, params.id, batch);
    const answer = results.map((result, index) => resultOf(result, batch.changes[index]!, owners));
    tellOwners(reply, answer.flatMap(ownersIn));
    request.parts = answer.flatMap(({ status }, index) => partOf(batch.changes[index]!, status) ?? []);
    return { results: answer };
  });
}

/** @param url the address of the single POST that the change stands for */
function readChange(change: unknown, url: string): RecordChange | Refusal {
  const parsed = schemas.recordChange.safeParse(change);
  if (parsed.success) {
    if (parsed.data.action !== 'create') return withCondition(parsed.data);
    if (parsed.data.idempotencyKey === undefined) return parsed.data;
    const { record, idempotencyKey: token, requestId } = parsed.data;
    return { action: 'create', record, requestId, once: { token, requestHash: hashOfPost(url, record) } };
  }
  // The rules name a field without its parent: `content`, not `record.content`.
  const issues = parsed.error.issues.map(({ path, ...issue }) => ({
    ...issue,
    path: path[0] === 'record' && (path.length > 1 || 'keys' in issue) ? path.slice(1) : path,
  }));
  return refuseIssues(issues, 'invalid-value');
}

/** An update or deletion with its condition. */
function withCondition({
  ifMatch,
  ...change
}: Exclude<z.output<typeof schemas.recordChange>, { action: 'create' }>): RecordChange | Refusal {
  if (ifMatch === undefined) return change;
  const tags = readTags(ifMatch);
  if (tags === null) return refuseIssues([{ path: ['ifMatch'], message: ENTITY_TAGS_RULE }]);
  return { ...change, condition: { ifMatch: tags, ifNoneMatch: null, field: 'ifMatch' } };
}

/** The log entry of a change that has a request id of its own. */
function partOf(change: RecordChange | Refusal, status: number): LoggedPart | null {
  if (change instanceof Refusal || change.requestId === undefined) return null;
  return { requestId: change.requestId, action: change.action, status };
}

function idOf(change: RecordChange | Refusal): string[] {
  return change instanceof Refusal || change.action === 'create' ? [] : [change.id];
}

function ownersIn(result: schemas.BatchResult): readonly string[] {
  return ('record' in result ? result.record.owners : 'id' in result ? result.owners : undefined) ?? [];
}

/** @param owners those that the records had before the batch, by the id of the record */
function resultOf(
  result: BatchResult,
  change: RecordChange | Refusal,
  owners: ReadonlyMap<string, readonly string[]>,
): schemas.BatchResult {
  if (!result.ok) {
    const refused = new Refusal(result.refusal);
    return { status: statusOf(refused), ...bodyOf(refused) };
  }
  const [id = ''] = idOf(change);
  const own = owners.get(id);
  const told = own === undefined ? {} : { owners: [...own] };
  if (result.record !== null) {
    const record = { ...result.record, ...told } as schemas.BatchRecord;
    return { status: result.action === 'create' ? 201 : 200, record, etag: recordTag(result.record) };
  }
  return { status: 204, id, ...told };
}

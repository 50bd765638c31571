// Many record changes in one request. src/service/records/batch-work.ts holds the rules.
import type { FastifyInstance } from 'fastify';
import type * as schemas from '#contract/batch.ts';
import * as api from '#contract/operations/records.ts';
import { tellOwners } from '#http/hooks/owners-header.ts';
import type { LoggedPart } from '#http/hooks/write-log.ts';
import { recordTag } from '#service/conditions/tags.ts';
import type { ServiceContext } from '#service/context.ts';
import type { BatchChange, BatchChangeResult } from '#service/records/batch.ts';
import { readRecordOwners } from '#service/records/records.ts';
import { applyBatch } from '#service/records/writer.ts';
import { Refusal } from '#service/refusal.ts';
import { readChange } from '../read-parts.ts';
import { refusedPart } from '../refusals.ts';
import { serveOn } from '../serve.ts';

export function batchRoutes(app: FastifyInstance, context: ServiceContext): void {
  serveOn(app)(api.applyBatch, async ({ caller, params, body: { atomic, changes }, request, reply }) => {
    const batch = {
      atomic,
      changes: changes.map((change) => readChange(change, request.url.replace(/:batch(\?.*)?$/, ''))),
    };
    const writer = caller();
    const owners = await readRecordOwners(context, batch.changes.flatMap(idOf));
    const results = await applyBatch(context, writer, params.id, batch);
    const answer = results.map((result, index) => toBatchResult(result, batch.changes[index]!, owners));
    tellOwners(reply, answer.flatMap(ownersIn));
    request.parts = answer.flatMap(({ status }, index) => toLoggedPart(batch.changes[index]!, status) ?? []);
    return { results: answer };
  });
}

/** The log entry of a change that has a request id of its own. */
function toLoggedPart(change: BatchChange | Refusal, status: number): LoggedPart | null {
  if (change instanceof Refusal || change.requestId === undefined) return null;
  return { requestId: change.requestId, action: change.action, status };
}

function idOf(change: BatchChange | Refusal): string[] {
  return change instanceof Refusal || change.action === 'create' ? [] : [change.id];
}

function ownersIn(result: schemas.BatchResult): readonly string[] {
  return ('record' in result ? result.record.owners : 'id' in result ? result.owners : undefined) ?? [];
}

/** @param owners those that the records had before the batch, by the id of the record */
function toBatchResult(
  result: BatchChangeResult,
  change: BatchChange | Refusal,
  owners: ReadonlyMap<string, readonly string[]>,
): schemas.BatchResult {
  if (!result.ok) return refusedPart(result.refusal);
  const [id = ''] = idOf(change);
  const recordOwners = owners.get(id);
  const ownersField = recordOwners === undefined ? {} : { owners: [...recordOwners] };
  if (result.record !== null) {
    const record = { ...result.record, ...ownersField } as schemas.BatchRecord;
    return { status: result.action === 'create' ? 201 : 200, record, etag: recordTag(result.record) };
  }
  return { status: 204, id, ...ownersField };
}

// Many record changes in one request: schema, limit, call. What they mean stands in zones/batch.ts.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { validatorCompiler, type ZodTypeProvider } from 'fastify-type-provider-zod';
import type { z } from 'zod';
import { applyBatch, type BatchResult, type RecordChange } from '../../zones/batch.ts';
import type { House } from '../../zones/change.ts';
import { Refusal } from '../../zones/refusal.ts';
import { callerOf, hashOfPost } from '../auth.ts';
import { STATUS } from '../errors.ts';
import type { CountWrites } from '../limits.ts';
import * as schemas from '../schemas/batch.ts';
import { zoneParams } from '../schemas/zone.ts';
import type { Part } from '../write-log.ts';
import { errorAnswers } from './answers.ts';

export function batchRoutes(app: FastifyInstance, house: House, countWrites: CountWrites): void {
  app.withTypeProvider<ZodTypeProvider>().post(
    // A doubled colon is a colon, not a parameter (find-my-way).
    '/zones/:id/records::batch',
    {
      schema: {
        tags: ['records'],
        summary: 'Create, update and delete many records at once',
        description:
          'One transaction and one serial. Atomic: all or nothing. Not atomic: the answer is 200 and each result tells its own status. Each change counts as one record write; a batch for which the window has too few places left is answered 429 as a whole, with nothing written, and one that is larger than the window 400.',
        params: zoneParams,
        body: schemas.batchBody,
        response: {
          200: schemas.batchAnswer,
          ...errorAnswers('bad_request', 'forbidden', 'no_zone', 'not_found', 'conflict', 'rate_limited', 'busy'),
        },
      },
      validatorCompiler: (route) =>
        validatorCompiler(
          route.httpPart === 'body' ? { ...route, schema: schemas.batchEnvelope } : (route as typeof route & ZodRoute),
        ),
      // Before the body is judged: what is refused counts as well.
      preValidation: async (request, reply) => countWrites(request, reply, sizeOf(request)),
    },
    async (request) => {
      const { atomic, changes } = request.body as z.output<typeof schemas.batchEnvelope>;
      const batch = {
        atomic,
        changes: changes.map((change) => readChange(change, request.url.replace(/:batch(\?.*)?$/, ''))),
      };
      const results = await applyBatch(house, callerOf(request), request.params.id, batch);
      const answer = results.map((result, index) => resultOf(result, batch.changes[index]!));
      request.parts = answer.flatMap(({ status }, index) => partOf(batch.changes[index]!, status) ?? []);
      return { results: answer };
    },
  );
}

type ZodRoute = { schema: z.ZodType };

/** Counted as one when it is no list of a size that could be accepted. */
function sizeOf(request: FastifyRequest): number {
  const changes = (request.body as { changes?: unknown } | null | undefined)?.changes;
  const size = Array.isArray(changes) ? changes.length : 1;
  return size >= 1 && size <= schemas.MAX_CHANGES ? size : 1;
}

/** @param url where the change would be posted alone */
function readChange(change: unknown, url: string): RecordChange | Refusal {
  const parsed = schemas.recordChange.safeParse(change);
  if (parsed.success) {
    if (parsed.data.action !== 'create' || parsed.data.idempotencyKey === undefined) return parsed.data;
    const { record, managedBy, idempotencyKey: token, requestId } = parsed.data;
    return { action: 'create', record, managedBy, requestId, once: { token, requestHash: hashOfPost(url, record) } };
  }
  const sentences = parsed.error.issues.map(({ path, message }) => {
    // As the rules name their fields: `content`, not `record.content`.
    const field = (path[0] === 'record' && path.length > 1 ? path.slice(1) : path).join('.');
    return field === '' ? `${message}.` : `${field}: ${message}.`;
  });
  return new Refusal('bad_request', sentences.join(' '));
}

/** What the log tells of a change whose request has a name of its own. */
function partOf(change: RecordChange | Refusal, status: number): Part | null {
  if (change instanceof Refusal || change.requestId === undefined) return null;
  return { requestId: change.requestId, action: change.action, status };
}

function resultOf(result: BatchResult, change: RecordChange | Refusal): schemas.BatchResult {
  if (!result.ok) return { status: STATUS[result.code], error: result.code, message: result.message };
  if (result.record !== null) return { status: result.action === 'create' ? 201 : 200, record: result.record };
  return { status: 204, id: (change as Extract<RecordChange, { action: 'delete' }>).id };
}

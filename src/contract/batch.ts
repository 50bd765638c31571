// The contract of `POST /zones/{id}/records:batch`.
import { z } from 'zod';
import { countChallenges } from '#dns/names/certified.ts';
import { errorBody } from './error.ts';
import { owners, record, recordBody, recordId } from './record.ts';
import { ENTITY_TAGS_RULE, etag, IDEMPOTENCY_KEY, IDEMPOTENCY_KEY_RULE, REQUEST_ID } from './shared.ts';

/** The most changes that one request may hold, for every key. */
export const MAX_CHANGES = 1_000;

const ID_ERROR = 'must be the id of a record';
const CHANGES_ERROR = `must be a list of 1 to ${MAX_CHANGES} changes`;
const ATOMIC_ERROR = 'must be true or false';
const REQUEST_ID_ERROR = 'must be 1 to 128 letters, digits or ._:/-';

const id = z.string({ error: ID_ERROR }).min(1, { error: ID_ERROR }).max(64, { error: ID_ERROR }).meta({
  description: 'The id of a stored record. A record that the same batch creates has no id yet.',
});

const idempotencyKey = z
  .string({ error: IDEMPOTENCY_KEY_RULE })
  .regex(IDEMPOTENCY_KEY, { error: IDEMPOTENCY_KEY_RULE })
  .meta({
    description:
      'The Idempotency-Key of this creation alone. Within 24 hours, the service creates the record only once, even if the change is sent again in another batch or as a POST of its own.',
  });

const requestId = z.string({ error: REQUEST_ID_ERROR }).regex(REQUEST_ID, { error: REQUEST_ID_ERROR }).optional().meta({
  description:
    'The request id that the history shows for this change. If omitted, it is the `x-request-id` of the batch.',
});

const ifMatch = z.string({ error: ENTITY_TAGS_RULE }).optional().meta({
  description:
    'The ETag of the record as you read it, or a list as in the header If-Match. If the record has another ETag, the change is refused with the status 412. If omitted, the change has no condition.',
});

export const recordChange = z
  .discriminatedUnion(
    'action',
    [
      z.strictObject({
        action: z.literal('create').meta({ description: 'The change creates a record.' }),
        record: recordBody,
        idempotencyKey: idempotencyKey.optional(),
        requestId,
      }),
      z.strictObject({
        action: z
          .literal('update')
          .meta({ description: 'The change replaces the content, TTL, priority and comment of a record.' }),
        id,
        record: recordBody,
        ifMatch,
        requestId,
      }),
      z.strictObject({
        action: z.literal('delete').meta({ description: 'The change deletes a record.' }),
        id,
        ifMatch,
        requestId,
      }),
    ],
    { error: 'must be an object whose action is create, update or delete' },
  )
  .meta({
    id: 'RecordChange',
    description: 'One change of the batch. It has the effect of a single POST, PUT or DELETE of a record.',
  });

const atomic = z.boolean({ error: ATOMIC_ERROR }).default(true).meta({
  description:
    'If true, all changes are made or none, and an error names the first refused change as `changes.<index>`. If false, each change succeeds or fails alone and has its own result.',
});

/** The body as it is documented. */
export const batchBody = z
  .strictObject({
    atomic,
    changes: z.array(recordChange).min(1).max(MAX_CHANGES).meta({
      description:
        'The changes, in the order in which they are made. Each one is checked against the result of the changes before it, and counts as one record write.',
    }),
  })
  .meta({
    id: 'RecordBatch',
    description: 'Changes of the records of one zone.',
    examples: [
      {
        atomic: false,
        changes: [
          { action: 'create', record: { name: 'www', type: 'A', content: '192.0.2.10' } },
          { action: 'update', id: 'rec_9d0e4b7c', record: { name: '@', type: 'TXT', content: 'v=spf1 -all' } },
          { action: 'delete', id: 'rec_41cc07ab' },
        ],
      },
    ],
  });

/**
 * The body as it is checked first: one unreadable change must not refuse the other changes of a batch that is not
 * atomic.
 */
export const batchEnvelope = z.strictObject({
  atomic,
  changes: z
    .array(z.unknown(), { error: CHANGES_ERROR })
    .min(1, { error: CHANGES_ERROR })
    .max(MAX_CHANGES, { error: CHANGES_ERROR }),
});

/** The number of changes; 1 for a body that will be refused because it has no list of an accepted size. */
export function sizeOfBatch(body: unknown): number {
  const changes = (body as { changes?: unknown } | null | undefined)?.changes;
  const size = Array.isArray(changes) ? changes.length : 1;
  return size >= 1 && size <= MAX_CHANGES ? size : 1;
}

/** Only changes that create a record count: one by id may change any record of the zone. */
export function countBatchChallenges(body: unknown): number {
  const changes = (body as { changes?: unknown } | null | undefined)?.changes;
  if (!Array.isArray(changes) || changes.length > MAX_CHANGES) return 0;
  const named = changes as ({ action?: unknown; record?: unknown } | null)[];
  return countChallenges(named.map((change) => (change?.action === 'create' ? change.record : null)));
}

const batchResult = z
  .union([
    z.object({
      status: z
        .literal([200, 201])
        .meta({ description: 'The status: 201 for a created record, 200 for an updated one.' }),
      record: record.meta({ description: 'The record after the change.' }),
      // Optional, because a service of an earlier version does not send it.
      etag: etag.optional().meta({ description: 'The ETag of the record after the change.' }),
    }),
    z.object({
      status: z.literal(204).meta({ description: 'The status of a deletion is 204.' }),
      id: recordId.meta({ description: 'The id of the deleted record.' }),
      owners,
    }),
    z.object({
      status: z
        .int()
        .min(400)
        .max(599)
        .meta({ description: 'The HTTP status that the change would have received as a single request.' }),
      ...errorBody.shape,
    }),
  ])
  .meta({
    id: 'RecordBatchResult',
    description: 'The answer that the change would have received as a single request.',
  });

/** One result for each change, in the same order. */
export const batchAnswer = z
  .object({
    results: z.array(batchResult).meta({ description: 'One result for each change, in the order of the changes.' }),
  })
  .meta({ id: 'RecordBatchAnswer', description: 'The results of a batch.' });

export type RecordChange = z.infer<typeof recordChange>;
export type BatchRecord = z.infer<typeof record>;
export type BatchResult = z.infer<typeof batchResult>;

// The contract of `POST /zones/{id}/records:batch`. It must not know what a change means; zones/ judges that.
import { z } from 'zod';
import { ERROR_CODES } from './error.ts';
import { record, recordBody, recordId } from './record.ts';
import { IDEMPOTENCY_KEY, IDEMPOTENCY_KEY_RULE, MANAGED_BY, MANAGED_BY_RULE, REQUEST_ID } from './shared.ts';

/** Changes a request may hold, whatever the key's limit is. */
export const MAX_CHANGES = 1_000;

const ID_ERROR = 'must be the id of a record';
const CHANGES_ERROR = `must be a list of 1 to ${MAX_CHANGES} changes`;
const ATOMIC_ERROR = 'must be true or false';
const REQUEST_ID_ERROR = 'must be 1 to 128 letters, digits or ._:/-';

const id = z.string({ error: ID_ERROR }).min(1, { error: ID_ERROR }).max(64, { error: ID_ERROR }).meta({
  description: 'Id of a stored record. A record made in the same batch has none yet.',
});

const idempotencyKey = z
  .string({ error: IDEMPOTENCY_KEY_RULE })
  .regex(IDEMPOTENCY_KEY, { error: IDEMPOTENCY_KEY_RULE })
  .meta({
    description:
      'The Idempotency-Key of this creation alone: a change, or a POST of the same record, with the same key makes it at most once within 24 hours.',
  });

const managedBy = z.string({ error: MANAGED_BY_RULE }).regex(MANAGED_BY, { error: MANAGED_BY_RULE }).optional().meta({
  description: 'As the header Zonestead-Managed-By of this change alone.',
});

const requestId = z.string({ error: REQUEST_ID_ERROR }).regex(REQUEST_ID, { error: REQUEST_ID_ERROR }).optional().meta({
  description: 'What history calls the request of this change alone; the `x-request-id` of the batch when left out.',
});

export const recordChange = z
  .discriminatedUnion(
    'action',
    [
      z.strictObject({
        action: z.literal('create'),
        record: recordBody,
        idempotencyKey: idempotencyKey.optional(),
        managedBy,
        requestId,
      }),
      z.strictObject({ action: z.literal('update'), id, record: recordBody, managedBy, requestId }),
      z.strictObject({ action: z.literal('delete'), id, requestId }),
    ],
    { error: 'must be an object whose action is create, update or delete' },
  )
  .meta({ id: 'RecordChange', description: 'One change: what POST, PUT or DELETE would be asked for alone.' });

const atomic = z.boolean({ error: ATOMIC_ERROR }).default(true).meta({
  description:
    'True: all or nothing, and the error names the change at fault as `changes.<index>`. False: each change stands alone and has its own result.',
});

/** The body as it is documented. */
export const batchBody = z
  .strictObject({
    atomic,
    changes: z.array(recordChange).min(1).max(MAX_CHANGES).meta({
      description: 'In this order; each change sees what the ones before it left. Each counts as one record write.',
    }),
  })
  .meta({
    id: 'RecordBatch',
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

/** The body as it is checked at first: a change that cannot be read must not cost the others of a batch that is not atomic. */
export const batchEnvelope = z.strictObject({
  atomic,
  changes: z
    .array(z.unknown(), { error: CHANGES_ERROR })
    .min(1, { error: CHANGES_ERROR })
    .max(MAX_CHANGES, { error: CHANGES_ERROR }),
});

export const batchResult = z
  .union([
    z.object({ status: z.literal([200, 201]), record: record.meta({ description: 'The record as it is now.' }) }),
    z.object({ status: z.literal(204), id: recordId.meta({ description: 'The deleted record.' }) }),
    z.object({
      status: z.int().min(400).max(599),
      error: z.enum(ERROR_CODES),
      message: z.string().meta({ description: 'What is wrong with this change and how to mend it.' }),
    }),
  ])
  .meta({ id: 'RecordBatchResult', description: 'What the change would have been answered alone.' });

/** One result a change, in the same order. */
export const batchAnswer = z
  .object({ results: z.array(batchResult) })
  .meta({ id: 'RecordBatchAnswer', description: 'One result a change, in the order of the changes.' });

export type RecordChange = z.infer<typeof recordChange>;
export type BatchBody = z.input<typeof batchBody>;
export type BatchResult = z.infer<typeof batchResult>;

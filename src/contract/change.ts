// The contract of a zone's history, `GET /zones/{id}/changes`.
import { z } from 'zod';
import { moment, next, page } from './shared.ts';

export const DEFAULT_CHANGES = 100;

export const changeListQuery = z.strictObject({
  ...page,
  limit: page.limit.meta({
    description: `The largest number of changes in the answer, from 1 to 1000. If omitted: ${DEFAULT_CHANGES}.`,
  }),
});

const CHANGE_ACTIONS = [
  'zone.create',
  'zone.change',
  'zone.delete',
  'zone.restore',
  'zone.park',
  'zone.unpark',
  'zone.keys',
  'record.create',
  'record.update',
  'record.delete',
] as const;

export const change = z
  .object({
    id: z.int().meta({ description: 'The number of the change. It grows with every change in the service.' }),
    action: z.enum(CHANGE_ACTIONS).meta({ description: 'The kind of change.' }),
    keyId: z.string().meta({
      description:
        'The id of the API key that made the change, or `service` for a change that the service made itself: the end of a lease, a step of a key roll.',
    }),
    before: z.unknown().meta({ description: 'The record or zone before the change. Null for a creation.' }),
    after: z.unknown().meta({ description: 'The record or zone after the change. Null for a deletion.' }),
    serial: z.int().meta({
      description:
        'The serial of the zone after the change. The changes of one batch share one serial, and a change of comments alone leaves it.',
    }),
    requestId: z.string().meta({
      description:
        'The `x-request-id` of the request. For a change of a batch that has a `requestId` of its own, that one.',
    }),
    owner: z
      .string()
      .optional()
      .meta({
        description: 'The owner that applied or released the record. Absent for a change without an owner.',
        examples: ['k8s:prod/default/www'],
      }),
    undoes: z
      .array(z.int())
      .optional()
      .meta({ description: 'The ids of the changes that this one undid. Absent for a change that undid none.' }),
    restoredTo: moment.optional().meta({
      description: 'The time that a restore of the zone put the record back to. Absent for other changes.',
    }),
    at: moment.meta({ description: 'The time of the change.' }),
  })
  .meta({
    id: 'Change',
    description: 'One change of a zone or of one of its records.',
    examples: [
      {
        id: 4711,
        action: 'record.create',
        keyId: '3f0a9c71d2e4',
        before: null,
        after: { id: 'rec_9d0e4b7c', name: 'www', type: 'A', content: '192.0.2.10', ttl: 3600, priority: null },
        serial: 1795000000,
        requestId: '0b8e1b8e-7f0c-4f3e-9d0c-0c6d2d8b3c11',
        at: '2026-11-21T10:31:00.000Z',
      },
    ],
  });

export const changeList = z
  .object({ changes: z.array(change).meta({ description: 'The changes, newest first.' }), next })
  .meta({ id: 'ChangeList', description: 'A page of the history of a zone.' });

export type Change = z.infer<typeof change>;

// The contract of a zone's history, `GET /zones/{id}/changes`. It must not know how history is kept.
import { z } from 'zod';
import { moment, next, page } from './shared.ts';

export const DEFAULT_CHANGES = 100;

export const changeListQuery = z.strictObject({
  ...page,
  limit: page.limit.meta({ description: `At most this many changes, 1 to 1000; ${DEFAULT_CHANGES} when left out.` }),
});

export const CHANGE_ACTIONS = [
  'zone.create',
  'zone.change',
  'zone.delete',
  'zone.park',
  'zone.unpark',
  'record.create',
  'record.update',
  'record.delete',
] as const;

export const change = z
  .object({
    id: z.int().meta({ description: 'Grows with every change of the service.' }),
    action: z.enum(CHANGE_ACTIONS),
    keyId: z.string().meta({ description: 'The key that asked for it.' }),
    before: z.unknown().meta({ description: 'The record or zone before the change; null for a creation.' }),
    after: z.unknown().meta({ description: 'The record or zone after the change; null for a deletion.' }),
    serial: z.int().meta({ description: 'Serial of the zone with this change; the changes of one batch share it.' }),
    requestId: z.string().meta({
      description: '`x-request-id` of the request; of a change of a batch, its own `requestId` when it has one.',
    }),
    at: moment,
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

export const changeList = z.object({ changes: z.array(change), next }).meta({ id: 'ChangeList' });

export type Change = z.infer<typeof change>;
export type ChangeList = z.infer<typeof changeList>;

// The contract of undo and restore: `POST /zones/{id}/changes:undo`, `POST /zones/{id}:restore`, `POST /zones:restore`
// and `GET /zones:deleted`.
import { z } from 'zod';
import { recordType } from './record-type.ts';
import { moment, REQUEST_ID, writeCost } from './shared.ts';

/** The most changes that one request names. */
const MAX_UNDONE = 1_000;

const IDS_ERROR = `must be a list of 1 to ${MAX_UNDONE} ids of changes`;
const REQUEST_ID_ERROR = 'must be 1 to 128 letters, digits or ._:/-';
const KEY_ID_ERROR = 'must be the id of a key, as the history shows it';
const TIME_ERROR = 'must be a time in ISO 8601, for instance "2026-11-21T10:31:00Z"';
const DRY_RUN_ERROR = 'must be true or false';
const SELECTION_ERROR = 'must have exactly one of "changes", "requestId", and "keyId" with "since"';

const time = z.iso
  .datetime({ offset: true, error: TIME_ERROR })
  .meta({ examples: ['2026-11-21T10:31:00Z'], format: 'date-time' });

const dryRun = z.boolean({ error: DRY_RUN_ERROR }).default(false).meta({
  description: 'If true, the answer is a preview, and nothing is changed.',
});

export const undoBody = z
  .strictObject({
    changes: z
      .array(z.int({ error: IDS_ERROR }).min(1, { error: IDS_ERROR }), { error: IDS_ERROR })
      .min(1, { error: IDS_ERROR })
      .max(MAX_UNDONE, { error: IDS_ERROR })
      .optional()
      .meta({ description: `The ids of the changes, as the history shows them: 1 to ${MAX_UNDONE}.` }),
    requestId: z
      .string({ error: REQUEST_ID_ERROR })
      .regex(REQUEST_ID, { error: REQUEST_ID_ERROR })
      .optional()
      .meta({ description: 'Undo all changes of records with this request id in the zone.' }),
    keyId: z
      .string({ error: KEY_ID_ERROR })
      .min(1, { error: KEY_ID_ERROR })
      .max(64, { error: KEY_ID_ERROR })
      .regex(/^[\x20-\x7e]+$/, { error: KEY_ID_ERROR })
      .optional()
      .meta({ description: 'Undo all changes of records in the zone that this key made since the time in `since`.' }),
    since: time.optional().meta({ description: 'The time of the oldest change of the key to undo.' }),
    dryRun,
  })
  .refine(
    ({ changes, requestId, keyId, since }) =>
      [changes, requestId, keyId].filter((each) => each !== undefined).length === 1 &&
      (keyId === undefined) === (since === undefined),
    { error: SELECTION_ERROR },
  )
  .meta({
    id: 'UndoRequest',
    description: 'The changes to undo: exactly one of `changes`, `requestId`, and `keyId` with `since`.',
    oneOf: [{ required: ['changes'] }, { required: ['requestId'] }, { required: ['keyId', 'since'] }],
    dependentRequired: { since: ['keyId'], keyId: ['since'] },
    examples: [{ changes: [4711, 4712], dryRun: true }],
  });

export const restoreBody = z
  .strictObject({
    at: time.meta({ description: 'The records of the zone become as they were at this time.' }),
    dryRun,
  })
  .meta({
    id: 'RestoreRequest',
    description: 'The time to go back to.',
    examples: [{ at: '2026-11-21T10:31:00Z', dryRun: true }],
  });

const place = {
  name: z.string().meta({ description: 'The name, relative to the zone; `@` is the apex.', examples: ['www'] }),
  type: recordType.meta({ description: 'The type of the records.' }),
};

const shownValue = z
  .object({
    content: z.string().meta({ description: 'The content of the record.' }),
    ttl: z.int().meta({ description: 'The TTL in effect, in seconds.' }),
    priority: z.int().optional().meta({ description: 'The priority. Absent for types without one.' }),
    comment: z.string().optional().meta({ description: 'The comment. Absent if there is none.' }),
  })
  .meta({ id: 'DifferenceRecord', description: 'A record of a difference.' });

export const difference = z
  .object({
    ...place,
    before: z.array(shownValue).meta({ description: 'All records at this name and type now, or before the change.' }),
    after: z.array(shownValue).meta({ description: 'All records at this name and type afterwards.' }),
  })
  .meta({ id: 'Difference', description: 'The records at one name and type, before and after.' });

const undoConflict = z
  .object({
    change: z
      .int()
      .meta({ description: 'The id of the change that cannot be undone, or of a later one that prevents it.' }),
    ...place,
    message: z.string().meta({ description: 'Why these records cannot be put back, and what you can do.' }),
  })
  .meta({ id: 'UndoConflict', description: 'Records that cannot be put back.' });

const ownedRrset = z
  .object({
    ...place,
    owner: z.string().meta({ description: 'The owner of the records.', examples: ['k8s:prod/shop/web'] }),
    message: z.string().meta({ description: 'Says which change at the owner brings back the earlier records.' }),
  })
  .meta({ id: 'OwnedRecords', description: 'Records that an owner keeps, which a restore leaves as they are.' });

const LISTED = 'The first 1,000 are listed.';

export const undoAnswer = z
  .object({
    dryRun: z.boolean().meta({ description: 'Whether this is a preview.' }),
    serial: z.int().meta({ description: 'The serial of the zone after the change; in a preview, the serial now.' }),
    total: z
      .object({
        differences: z.int().meta({ description: 'The number of differences.' }),
        conflicts: z.int().meta({ description: 'The number of conflicts.' }),
        owned: z.int().meta({ description: 'The number of entries in `owned`.' }),
      })
      .meta({ description: 'The number of entries of each list.' }),
    differences: z
      .array(difference)
      .meta({ description: `The names and types whose records change. ${LISTED} Empty: all is as it was.` }),
    conflicts: z.array(undoConflict).meta({
      description: `The names and types that cannot be put back. ${LISTED} Empty unless it is a preview: a request with conflicts is answered 409.`,
    }),
    owned: z.array(ownedRrset).meta({
      description: `The records of owners that a restore leaves as they are. ${LISTED} Empty for an undo, of which they are conflicts.`,
    }),
    cost: writeCost.optional().meta({
      description: 'The price of the change, in a preview. Absent if the key has no write limit, or nothing changes.',
    }),
  })
  .meta({ id: 'UndoAnswer', description: 'The effect of an undo or a restore.' });

const ZONE_NAME_ERROR = 'must be the name of the deleted zone';
const ZONE_ID_ERROR = 'must be the id of the deleted zone';

export const zoneRestoreBody = z
  .strictObject({
    zoneName: z
      .string({ error: ZONE_NAME_ERROR })
      .min(1, { error: ZONE_NAME_ERROR })
      .meta({ description: 'The name of the deleted zone.', examples: ['example.com'] }),
    zoneId: z
      .string({ error: ZONE_ID_ERROR })
      .min(1, { error: ZONE_ID_ERROR })
      .max(64, { error: ZONE_ID_ERROR })
      .regex(/^[\x20-\x7e]+$/, { error: ZONE_ID_ERROR })
      .optional()
      .meta({
        description:
          'The id of the deleted zone, if several with this name were deleted. If omitted: the one that was deleted last.',
      }),
    dryRun,
  })
  .meta({
    id: 'ZoneRestoreRequest',
    description: 'The deleted zone to bring back.',
    examples: [{ zoneName: 'example.com' }],
  });

export const zoneRestorePreview = z
  .object({
    dryRun: z.literal(true).meta({ description: 'This is a preview.' }),
    zoneName: z.string().meta({ description: 'The name of the deleted zone.' }),
    zoneId: z.string().meta({ description: 'The id of the deleted zone, which it gets back.' }),
    deletedAt: moment.meta({ description: 'The time of the deletion.' }),
    until: moment.meta({ description: 'The zone can be restored until this time.' }),
    records: z.int().meta({ description: 'The number of records that come back.' }),
    keyTag: z.int().min(0).max(65_535).meta({ description: 'The tag of the DNSSEC key that comes back.' }),
  })
  .meta({ id: 'ZoneRestorePreview', description: 'The deleted zone that a restore would bring back.' });

const deletedZone = z
  .object({
    zoneId: z.string().meta({ description: 'The id of the deleted zone, which it gets back.' }),
    zoneName: z.string().meta({ description: 'The name of the zone.', examples: ['example.com'] }),
    owner: z.string().meta({ description: 'As in a zone: `org:<teamId>`, or `personal`.' }),
    deletedAt: moment.meta({ description: 'The time of the deletion.' }),
    until: moment.meta({ description: 'The zone can be restored until this time.' }),
    records: z.int().meta({ description: 'The number of records that come back.' }),
  })
  .meta({ id: 'DeletedZone', description: 'A deleted zone that can be restored.' });

export const deletedZoneList = z
  .object({ zones: z.array(deletedZone).meta({ description: 'Those that were deleted last are first; at most 100.' }) })
  .meta({ id: 'DeletedZoneList', description: 'The deleted zones that the key can bring back.' });

export type DeletedZone = z.infer<typeof deletedZone>;
export type UndoAnswer = z.infer<typeof undoAnswer>;
export type Difference = z.infer<typeof difference>;

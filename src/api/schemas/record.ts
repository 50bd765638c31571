// The contract of records: what a caller may send and what the service answers. It must not know what a content means;
// dns/ judges that against the zone.
import { z } from 'zod';
import { RECORD_TYPES, type RecordType } from '../../dns/types/record-type.ts';
import { next, page, ttl } from './shared.ts';
import { zoneParams } from './zone.ts';

const NAME_ERROR = 'must be a name of 1 to 255 characters relative to the zone; "@" is the zone itself';
const TYPE_ERROR = `must be one of ${RECORD_TYPES.join(', ')}`;
const CONTENT_ERROR = 'must be a text of 1 to 260000 characters';
const PRIORITY_ERROR = 'must be a whole number from 0 to 65535, and only on MX';

const type = z.enum(RECORD_TYPES, { error: TYPE_ERROR });

export const recordId = z
  .string()
  .min(1)
  .max(64)
  .meta({ description: 'Id of a record.', examples: ['rec_9d0e4b7c'] });

export const recordParams = zoneParams.extend({ recordId: z.string().meta({ description: 'Id of the record.' }) });

/** `GET /zones/{id}/records`: filters that are given must all match. */
export const recordListQuery = z.strictObject({
  name: z
    .string()
    .min(1, { error: NAME_ERROR })
    .max(255, { error: NAME_ERROR })
    .optional()
    .meta({ description: 'Only records of this name, relative to the zone.' }),
  type: type.optional().meta({ description: 'Only records of this type.' }),
  content: z
    .string()
    .min(1, { error: CONTENT_ERROR })
    .max(260_000, { error: CONTENT_ERROR })
    .optional()
    .meta({ description: 'Only records of this value; with `type`, however it is spelt.' }),
  ...page,
});

const recordShape = {
  name: z
    .string({ error: NAME_ERROR })
    .min(1, { error: NAME_ERROR })
    .max(255, { error: NAME_ERROR })
    .meta({ description: 'Relative to the zone; `@` is the apex.', examples: ['www', '@', '*.dev'] }),
  type: type.meta({ description: 'Record type.' }),
  content: z
    .string({ error: CONTENT_ERROR })
    .min(1, { error: CONTENT_ERROR })
    .max(260_000, { error: CONTENT_ERROR })
    .meta({ description: 'The value; its form depends on the type.', examples: ['192.0.2.10'] }),
};

const priority = z
  .int({ error: PRIORITY_ERROR })
  .min(0, { error: PRIORITY_ERROR })
  .max(65_535, { error: PRIORITY_ERROR })
  .nullable();

/** `POST /zones/{id}/records` and `PUT /zones/{id}/records/{recordId}`. Null as priority is the same as none. */
export const recordBody = z
  .strictObject({
    ...recordShape,
    ttl: ttl.optional().meta({ description: 'Seconds; the default of the zone when left out.' }),
    priority: priority
      .optional()
      .meta({ description: 'Preference of a mail exchanger, lower first; MX only, 10 when left out.' }),
  })
  .meta({
    id: 'RecordWrite',
    description: 'A record to be created, or what replaces a stored one (its name and type must stay).',
    examples: [
      { name: '_acme-challenge', type: 'TXT', content: 'x4MZk9GhR0y1Jp3aPqkqWq1T3VtqzE8hBf2sVd6uL7M', ttl: 60 },
    ],
  });

/** `PUT /zones/{id}/records/{recordId}`: also what a read-modify-write client sends back, with the id that it was given. */
export const recordReplaceBody = recordBody
  .extend({ id: recordId.optional().meta({ description: 'Need not be sent; must be the id in the path.' }) })
  .meta({ id: 'RecordReplace', description: 'What replaces a stored record. Its name and type must stay.' });

/** A stored record. `ttl` is the one in force: the zone's default is filled in. */
export const record = z
  .object({
    id: recordId,
    ...recordShape,
    ttl: ttl.meta({ description: "Seconds in force; the zone's default where the record carries none." }),
    priority: priority.meta({ description: 'Null on every type but MX.' }),
  })
  .meta({
    id: 'Record',
    description: 'A stored record.',
    examples: [{ id: 'rec_9d0e4b7c', name: 'www', type: 'A', content: '192.0.2.10', ttl: 3600, priority: null }],
  });

export const recordList = z.object({ records: z.array(record), next }).meta({ id: 'RecordList' });

export type { RecordType };
export type RecordListQuery = z.infer<typeof recordListQuery>;
export type RecordBody = z.infer<typeof recordBody>;
export type DnsRecord = z.infer<typeof record>;

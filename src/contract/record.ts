// The contract of records: the bodies that a caller may send and the bodies that the service answers.
import { z } from 'zod';
import { MAX_TIER, MAX_WEIGHT, WHEN_ALL_FAIL } from '#dns/members.ts';
import { REVERSE_STATES } from '#dns/reverse.ts';
import type { RecordType } from '#dns/types/record-type.ts';
import { checkName } from './checks.ts';
import { recordType } from './record-type.ts';
import { comment, etag, newComment, next, page, ttl } from './shared.ts';
import { zoneParams } from './zone.ts';

const NAME_ERROR = 'must be a name of 1 to 255 characters relative to the zone; "@" is the zone itself';
const CONTENT_ERROR = 'must be a string of 1 to 260000 characters';
const NAMES_ERROR = 'must be a comma-separated list of 1 to 100 names relative to the zone, of at most 8000 characters';
const TIER_ERROR = `must be a whole number from 0 to ${MAX_TIER}`;
const WEIGHT_ERROR = `must be a whole number from 1 to ${MAX_WEIGHT}, or null`;
const WHEN_ALL_FAIL_ERROR = 'must be ServeAll or ServeNone';
const PRIORITY_ERROR = 'must be a whole number from 0 to 65535, and is allowed for MX only';

export const recordId = z
  .string()
  .min(1)
  .max(64)
  .meta({ description: 'The id of the record.', examples: ['rec_9d0e4b7c'] });

export const recordParams = zoneParams.extend({ recordId: z.string().meta({ description: 'The id of the record.' }) });

/** `GET /zones/{id}/records`: a record must match all filters that are given. */
export const recordListQuery = z.strictObject({
  name: z
    .string()
    .min(1, { error: NAME_ERROR })
    .max(255, { error: NAME_ERROR })
    .optional()
    .meta({ description: 'Return only records of this name, relative to the zone.' }),
  type: recordType.optional().meta({ description: 'Return only records of this type.' }),
  names: z
    .string()
    .max(8_000, { error: NAMES_ERROR })
    .transform((text) => text.split(','))
    .pipe(
      z
        .array(z.string().min(1, { error: NAMES_ERROR }).max(255, { error: NAMES_ERROR }))
        .max(100, { error: NAMES_ERROR }),
    )
    .optional()
    .meta({
      description:
        'Return only records of these names: a comma-separated list of at most 100 names, relative to the zone.',
    }),
  content: z.string().min(1, { error: CONTENT_ERROR }).max(260_000, { error: CONTENT_ERROR }).optional().meta({
    description: 'Return only records of this value. With `type`, other spellings of the same value match too.',
  }),
  etags: z
    .enum(['true', 'false'], { error: 'must be true or false' })
    .transform((text) => text === 'true')
    .optional()
    .meta({ description: 'If true, each record has its `etag`, for conditional changes. If omitted: false.' }),
  owners: z
    .enum(['true', 'false'], { error: 'must be true or false' })
    .transform((text) => text === 'true')
    .optional()
    .meta({ description: 'If true, each record that has owners has its `owners`. If omitted: false.' }),
  ...page,
});

const recordShape = {
  name: z
    .string({ error: NAME_ERROR })
    .min(1, { error: NAME_ERROR })
    .max(255, { error: NAME_ERROR })
    .meta({
      description: 'The name of the record, relative to the zone. `@` is the apex of the zone.',
      examples: ['www', '@', '*.dev'],
    }),
  type: recordType.meta({ description: 'The type of the record.' }),
  content: z
    .string({ error: CONTENT_ERROR })
    .min(1, { error: CONTENT_ERROR })
    .max(260_000, { error: CONTENT_ERROR })
    .meta({ description: 'The value of the record. Its form depends on the type.', examples: ['192.0.2.10'] }),
};

const priority = z
  .int({ error: PRIORITY_ERROR })
  .min(0, { error: PRIORITY_ERROR })
  .max(65_535, { error: PRIORITY_ERROR })
  .nullable();

/** The health of a record; see #dns/members.ts. */
export const newHealth = {
  check: z
    .union([checkName, z.null()])
    .optional()
    .meta({
      description:
        'The check that probes the address of this A or AAAA record. While the address is unhealthy, answers omit the record, unless nothing else would be left. Null: none. If this and `tier`, `whenAllFail`, `weight` and `reverse` are omitted, a stored record keeps all of them.',
      examples: ['web'],
    }),
  tier: z
    .int({ error: TIER_ERROR })
    .min(0, { error: TIER_ERROR })
    .max(MAX_TIER, { error: TIER_ERROR })
    .optional()
    .meta({
      description:
        'For failover: of the records at a name and type, only those of the lowest tier with one that works are answered. If omitted: 0.',
    }),
  whenAllFail: z.enum(WHEN_ALL_FAIL, { error: WHEN_ALL_FAIL_ERROR }).optional().meta({
    description:
      'The answer while all records at the name and type fail. `ServeAll`: the lowest tier as a whole. `ServeNone`: nothing, if all of them say so. If omitted: `ServeAll`.',
  }),
  weight: z
    .int({ error: WEIGHT_ERROR })
    .min(1, { error: WEIGHT_ERROR })
    .max(MAX_WEIGHT, { error: WEIGHT_ERROR })
    .nullable()
    .optional()
    .meta({
      description:
        'If an A or AAAA record at a name has a weight, each answer contains one of the records of this type: the chance of a record is its weight divided by the sum of the weights, and a record without a weight has 1. Name servers with Knot DNS 3.2 and secondaries answer with all records. A TTL above 60 is served as 60. If null or omitted: none.',
    }),
  reverse: z.boolean({ error: 'must be true or false' }).optional().meta({
    description:
      'If true, the service writes the PTR record for the address of this A or AAAA record into the reverse zone that contains the address, if your team or you have that zone and the key may write there. If omitted together with `check`, `tier` and `whenAllFail`, a stored record keeps all four; otherwise: false.',
  }),
};

/** `POST /zones/{id}/records` and `PUT /zones/{id}/records/{recordId}`. A null priority equals an omitted one. */
export const recordBody = z
  .strictObject({
    ...recordShape,
    ttl: ttl
      .optional()
      .meta({ description: 'The time to live in seconds. If omitted, the default TTL of the zone applies.' }),
    priority: priority.optional().meta({
      description:
        'The preference of a mail exchanger; lower values are tried first. Only for MX records. If omitted: 10.',
    }),
    ...newHealth,
    comment: newComment.meta({
      description:
        'A line of text for people, of at most 500 characters, which is not in DNS. Null or an empty text removes it. If omitted, a stored record keeps its comment, and a new record has none.',
    }),
  })
  .meta({
    id: 'RecordWrite',
    description: 'A record to create, or the new content of a stored record, whose name and type cannot change.',
    examples: [
      { name: '_acme-challenge', type: 'TXT', content: 'x4MZk9GhR0y1Jp3aPqkqWq1T3VtqzE8hBf2sVd6uL7M', ttl: 60 },
    ],
  });

/** The owners of a record, in answers that tell them. */
export const owners = z
  .array(z.string({ error: 'must be a list of owners' }), { error: 'must be a list of owners' })
  .optional()
  .meta({
    description:
      'The owners of the record, which may revert a change by another client. Absent for a record without an owner, and in a list without `owners=true`.',
    examples: [['k8s:prod/default/www']],
  });

/** The mark of a record whose clusters are drained or lost. */
export const withdrawn = z.boolean({ error: 'must be true or false' }).optional().meta({
  description:
    'True if all owners of the record are withdrawn, because their clusters are drained or lost: the record is served only if no other record is at its name and type. Absent otherwise.',
});

/** The mark of a record whose address does not work. */
export const failing = z.boolean({ error: 'must be true or false' }).optional().meta({
  description:
    'True if the check of the record says that its address does not work, or a person pinned it so: the record is served only if no other record at its name and type works. Absent otherwise.',
});

/** Whether the PTR record is written, or why not. */
export const reverseState = z.enum(REVERSE_STATES, { error: 'must be a state of a reverse record' }).optional().meta({
  description:
    'For a record with `reverse`: `Written` if the PTR record points to it, or why there is none. `NoReverseZone`: its owner has no zone with the reverse name of the address. `Delegated`: that name is delegated, or an alias of a name outside of the reverse zones of the owner. `HandWritten`: a client wrote a PTR record there. `NotPermitted`: the key that wrote the record last may not write the PTR record. `OtherName`: another record has the address, and was first. `Wildcard`, `NotAHostName`: no PTR record can point to its name. `ReverseZone`: it is in a reverse zone itself. `Withdrawn`: its clusters are drained or lost.',
});

/** The mark of a PTR record that the service wrote. */
export const reverseOf = z
  .string({ error: 'must be an address' })
  .optional()
  .meta({
    description: 'The address for which the service wrote this PTR record. Absent for every other record.',
    examples: ['192.0.2.10'],
  });

/** `PUT /zones/{id}/records/{recordId}`: a read-modify-write client may send the id back that it received. */
export const recordReplaceBody = recordBody
  .extend({
    id: recordId
      .optional()
      .meta({ description: 'The id of the record. It may be omitted; if sent, it must be the id in the path.' }),
    withdrawn: withdrawn.meta({ description: 'Ignored: a client may send back what a list contains.' }),
    failing: failing.meta({ description: 'Ignored: a client may send back what a list contains.' }),
    owners: owners.meta({ description: 'Ignored: a client may send back what it read.' }),
    reverseState: reverseState.meta({ description: 'Ignored: a client may send back what it read.' }),
    reverseOf: reverseOf.meta({ description: 'Ignored: a client may send back what it read.' }),
  })
  .meta({ id: 'RecordReplace', description: 'The new content of a stored record. Its name and type cannot change.' });

/** A stored record. `ttl` is the effective one: the default TTL of the zone is filled in. */
export const record = z
  .object({
    id: recordId,
    ...recordShape,
    ttl: ttl.meta({
      description:
        'The effective time to live in seconds. It is the default TTL of the zone if the record has none of its own.',
    }),
    priority: priority.meta({ description: 'The preference of a mail exchanger. Null for every type except MX.' }),
    check: z.string().optional().meta({ description: 'The check that probes its address. Absent if there is none.' }),
    tier: z.int().optional().meta({ description: 'Its tier, from 1 to 9. Absent for the tier 0.' }),
    whenAllFail: z
      .enum(WHEN_ALL_FAIL)
      .optional()
      .meta({ description: '`ServeNone`, as it was written. Absent for `ServeAll`.' }),
    weight: z.int().optional().meta({ description: 'Its weight, from 1 to 255. Absent if it has none.' }),
    reverse: z
      .literal(true)
      .optional()
      .meta({ description: 'True if the record wants a PTR record for its address. Absent otherwise.' }),
    reverseState,
    reverseOf,
    comment,
    owners,
  })
  .meta({
    id: 'Record',
    description: 'A stored record.',
    examples: [{ id: 'rec_9d0e4b7c', name: 'www', type: 'A', content: '192.0.2.10', ttl: 3600, priority: null }],
  });

const listedRecord = record
  .extend({
    withdrawn,
    failing,
    etag: etag.optional().meta({ description: 'The ETag of the record. Present with `etags=true`.' }),
  })
  .meta({ id: 'ListedRecord', description: 'A stored record in a list.' });

export const recordList = z
  .object({ records: z.array(listedRecord).meta({ description: 'The records.' }), next })
  .meta({ id: 'RecordList', description: 'The records of a zone, or a page of them.' });

export type { RecordType };
export type RecordBody = z.infer<typeof recordBody>;
export type DnsRecord = z.infer<typeof record>;
export type ListedRecord = z.infer<typeof listedRecord>;

// The contract of `POST /zones/{id}/records:apply` and `GET /zones/{id}/owners`.
import { z } from 'zod';
import { errorBody } from './error.ts';
import { failing, newHealth, record, recordBody, recordId, withdrawn } from './record.ts';
import { recordType } from './record-type.ts';
import { moment, newComment, next, page, REQUEST_ID, ttl } from './shared.ts';
import { zoneId } from './zone.ts';

/** The most sets that one request may hold, for every key. */
export const MAX_SETS = 1_000;
/** The most values of one set. */
const MAX_SET_VALUES = 200;

const OWNER = /^(?=.{3,400}$)[a-z][a-z0-9-]{0,62}:[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/;
const OWNER_ERROR =
  'must be a kind in lower case, a colon and a name, for instance "k8s:prod/default/www": at most 400 printable ASCII characters, without a space at an end';
const SETS_ERROR = `must be a list of 1 to ${MAX_SETS} sets`;
const VALUES_ERROR = `must be a list of at most ${MAX_SET_VALUES} values`;
const BOOLEAN_ERROR = 'must be true or false';
const GENERATION_ERROR = 'must be a whole number from 0 to 9007199254740991';
const INSTANCE_ERROR = 'must be 1 to 64 printable ASCII characters without spaces';
const NAME_ERROR = 'must be a name of 1 to 255 characters relative to the zone; "@" is the zone itself';
const EXPIRES_ERROR = 'must be a time in ISO 8601 with its zone, for instance "2026-11-21T10:31:00Z"';
const PREFIX_ERROR = 'must be a string of 1 to 400 characters';
const ONLY_AMONG_ERROR =
  'must be the beginning of an owner, for instance "external-dns:prod/": 1 to 400 printable ASCII characters';

export const owner = z
  .string({ error: OWNER_ERROR })
  .regex(OWNER, { error: OWNER_ERROR })
  .meta({
    description:
      'The owner: a kind, a colon and a name. It belongs to the team or person of the zone: the same text in another team is another owner.',
    examples: ['k8s:prod/default/www'],
  });

const flag = (description: string) => z.boolean({ error: BOOLEAN_ERROR }).optional().meta({ description });
const DRIFT = ['Enforce', 'Report', 'Ignore'] as const;
const WHEN_LOST = ['Keep', 'Withdraw'] as const;
const ADOPT = ['Never', 'IfIdentical'] as const;
const oneOf = <const T extends readonly [string, ...string[]]>(texts: T) =>
  z.enum(texts, { error: `must be one of ${texts.join(', ')}` });

const MAX_REVERSE_ZONES = 64;
const REVERSE_IN_ERROR = `must be a list of at most ${MAX_REVERSE_ZONES} ids of zones`;

const value = z.strictObject({
  content: recordBody.shape.content,
  priority: recordBody.shape.priority,
  ...newHealth,
  reverseIn: z
    .array(zoneId, { error: REVERSE_IN_ERROR })
    .max(MAX_REVERSE_ZONES, { error: REVERSE_IN_ERROR })
    .optional()
    .meta({
      description:
        'The ids of the only zones in which the PTR record of `reverse` may be, for a client that knows more about the rights than its key. If omitted: every zone in which the key may write.',
    }),
});

const generation = z
  .int({ error: GENERATION_ERROR })
  .min(0, { error: GENERATION_ERROR })
  .optional()
  .meta({
    description:
      'The version of the object that the owner stands for. A generation that is lower than the one applied last is refused, and so is the same one with another TTL or other values.',
    examples: [3],
  });

const instance = z
  .string({ error: INSTANCE_ERROR })
  .regex(/^[\x21-\x7e]{1,64}$/, { error: INSTANCE_ERROR })
  .optional()
  .meta({
    description:
      'The object that the generations count, for instance its uid. Generations of different instances are not compared.',
  });

const REQUEST_ID_ERROR = 'must be 1 to 128 letters, digits or ._:/-';

const ofRequest = z.string({ error: REQUEST_ID_ERROR }).regex(REQUEST_ID, { error: REQUEST_ID_ERROR }).meta({
  description:
    'The request id that the history shows for this set. If omitted, it is the `x-request-id` of the request.',
});

const ONLY_WITH_VALUES = [
  'ttl',
  'comment',
  'adopt',
  'share',
  'onlyAmong',
  'drift',
  'whenClusterLost',
  'expires',
] as const;
const NOT_WITH_RELEASE = ['name', 'type', 'values', 'exact', 'retain', ...ONLY_WITH_VALUES] as const;

/** A rule says which fields belong together, so that a refusal names the wrong one. */
export const recordSet = z
  .strictObject({
    owner,
    generation,
    instance,
    release: flag(
      'If true, everything that the owner has in the zone is released. The set has no fields for records then.',
    ),
    name: z
      .string({ error: NAME_ERROR })
      .min(1, { error: NAME_ERROR })
      .max(255, { error: NAME_ERROR })
      .optional()
      .meta({
        description: 'The name of the records, relative to the zone. Required without `release`.',
        examples: ['www'],
      }),
    type: recordBody.shape.type
      .optional()
      .meta({ description: 'The type of the records. Required without `release`.' }),
    ttl: ttl.optional().meta({
      description:
        'The time to live of the records in seconds. If omitted, the default TTL of the zone. A record that several owners share has the lowest of theirs.',
    }),
    comment: newComment.meta({
      description:
        'A line of text for people, of at most 500 characters, which becomes the comment of the records when it differs from the one that this owner applied before. It is not drift if others change the comment of a record. If omitted: none.',
    }),
    values: z.array(value, { error: VALUES_ERROR }).max(MAX_SET_VALUES, { error: VALUES_ERROR }).optional().meta({
      description:
        "The values that are this owner's at the name and type: other records of the owner there are deleted. An empty list releases all of them. Required without `release`.",
    }),
    exact: flag(
      'If true, the sets of this owner in this request are everything that it has in the zone: the rest is released in the same transaction. These sets succeed or fail together. If omitted: false.',
    ),
    adopt: oneOf(ADOPT).optional().meta({
      description:
        "`IfIdentical`: a record with the same value and the same effective TTL, but without an owner, becomes this owner's. `Never`: it is a conflict. If omitted: Never.",
    }),
    share: flag(
      'If true, other owners that share as well may own the same values. A record stays until its last owner releases it. If omitted: false.',
    ),
    onlyAmong: z
      .string({ error: ONLY_AMONG_ERROR })
      .regex(/^[\x20-\x7e]{1,400}$/, { error: ONLY_AMONG_ERROR })
      .optional()
      .meta({
        description:
          'The beginning of owners. An owner that has nothing at the name and type yet is refused if records are there that belong to other owners or have no owner; A, AAAA, ALIAS and CNAME count as one type. If omitted: values are added to those of others.',
        examples: ['external-dns:prod/'],
      }),
    retain: flag(
      'If true, a release leaves the records without an owner instead of deleting them. With empty `values`, it applies to this release. If omitted: false, or as the set was applied.',
    ),
    drift: oneOf(DRIFT).optional().meta({
      description:
        'The treatment of changes by others since the same set was applied. `Enforce`: they are undone. `Report`: they are reported. `Ignore`: neither. If omitted: Enforce.',
    }),
    whenClusterLost: oneOf(WHEN_LOST).optional().meta({
      description:
        '`Withdraw`: while the cluster of the owner (`k8s:<cluster>/…`) is lost, the records are served only if no other record is at their name and type. `Keep`: they are served. If omitted: `Keep`.',
    }),
    requestId: ofRequest.optional(),
    expires: z.iso
      .datetime({ offset: true, error: EXPIRES_ERROR })
      .optional()
      .meta({
        description:
          'The end of a lease, at most 24 hours ahead: the service then releases the set. To renew it, apply it with a later time. If omitted, the set has no end.',
        examples: ['2026-11-21T10:31:00Z'],
      }),
  })
  .superRefine((set, issues) => {
    const add = (field: string, message: string) => issues.addIssue({ code: 'custom', path: [field], message });
    if (set.release === true) {
      for (const field of NOT_WITH_RELEASE)
        if (set[field] !== undefined) add(field, 'must be omitted, because "release" releases everything of the owner');
      return;
    }
    for (const field of ['name', 'type', 'values'] as const)
      if (set[field] === undefined) add(field, 'is required; only "release": true goes without it');
    if (set.values?.length !== 0) return;
    for (const field of ONLY_WITH_VALUES)
      if (set[field] !== undefined) add(field, 'must be omitted, because a set without values releases the records');
  })
  .meta({
    id: 'RecordSetApply',
    description: "Exactly these records at the name and type are the owner's.",
    examples: [
      {
        owner: 'k8s:prod/default/www',
        generation: 3,
        name: 'www',
        type: 'A',
        ttl: 300,
        values: [{ content: '192.0.2.10' }],
      },
    ],
  });

const atomic = z.boolean({ error: BOOLEAN_ERROR }).default(false).meta({
  description:
    'If true, all sets are applied or none, and an error names the first refused set as `sets.<index>`. If false, each set succeeds or fails alone and has its own result.',
});

/** The body as it is documented. */
export const applyBody = z
  .strictObject({
    atomic,
    sets: z.array(recordSet).min(1).max(MAX_SETS).meta({
      description:
        'The sets, in the order in which they are applied. Each is checked against the result of those before it.',
    }),
  })
  .meta({ id: 'RecordApply', description: 'Sets of records of one zone, with their owners.' });

/** The body as it is checked first: one unreadable set must not refuse the others. */
export const applyEnvelope = z.strictObject({
  atomic,
  sets: z.array(z.unknown(), { error: SETS_ERROR }).min(1, { error: SETS_ERROR }).max(MAX_SETS, { error: SETS_ERROR }),
});

const driftItem = z
  .object({
    kind: z.enum(['deleted', 'replaced', 'changed', 'ttl']).meta({
      description:
        '`deleted`: the record is missing. `replaced`: another record without an owner has its value. `changed`: the record has another value. `ttl`: it has another TTL.',
    }),
    id: recordId.optional().meta({ description: 'The id of the record. Absent if the record is missing.' }),
    content: z.string().meta({ description: 'The value as it is now, or the missing one.' }),
    ttl: z.int().optional().meta({ description: 'The effective TTL as it is now. Present for `ttl` only.' }),
  })
  .meta({ id: 'Drift', description: 'One change that another client made to the records of an owner.' });

const applyResult = z
  .union([
    z.object({
      status: z.literal(200).meta({ description: 'The status of a set that was applied is 200.' }),
      records: z
        .array(record)
        .meta({ description: 'The records of the owner at the name and type. Empty after a release.' }),
      changed: z.boolean().meta({ description: 'Whether records in DNS changed.' }),
      drift: z.array(driftItem).meta({
        description: 'The changes by others since the same set was applied. `Enforce` has undone them.',
      }),
    }),
    z.object({
      status: z.int().min(400).max(599).meta({ description: 'The HTTP status of the refusal.' }),
      ...errorBody.shape,
    }),
  ])
  .meta({ id: 'RecordSetResult', description: 'The result of one set.' });

export const applyAnswer = z
  .object({
    results: z.array(applyResult).meta({ description: 'One result for each set, in the order of the sets.' }),
  })
  .meta({ id: 'RecordApplyAnswer', description: 'The results of the sets.' });

export const ownerListQuery = z.strictObject({
  prefix: z
    .string()
    .min(1, { error: PREFIX_ERROR })
    .max(400, { error: PREFIX_ERROR })
    .optional()
    .meta({
      description: 'Return only owners that begin with this text.',
      examples: ['k8s:prod/'],
    }),
  ...page,
  limit: page.limit.meta({
    description: 'The largest number of items in the answer, from 1 to 1000. If omitted: 1000.',
  }),
});

const ownedRecord = record
  .extend({ withdrawn, failing })
  .meta({ id: 'OwnedRecord', description: 'A stored record of an owner.' });

const ownedSet = z
  .object({
    owner,
    name: z.string().meta({ description: 'The name of the records, relative to the zone.' }),
    type: recordType.meta({ description: 'The type of the records.' }),
    generation: z.int().nullable().meta({ description: 'The generation that was applied last. Null: none was sent.' }),
    instance: z
      .string()
      .nullable()
      .meta({ description: 'The object that the generation counts. Null: none was sent.' }),
    digest: z.string().meta({
      description: 'SHA-256 of the TTL and the values as applied. It stays the same until the owner applies others.',
    }),
    ttl: ttl.nullable().meta({ description: 'The TTL as applied. Null: the default TTL of the zone.' }),
    comment: z.string().nullable().meta({ description: 'The comment as applied. Null: none.' }),
    share: z.boolean().meta({ description: 'Whether other owners may own the same values.' }),
    retain: z.boolean().meta({ description: 'Whether a release leaves the records.' }),
    drift: z.enum(DRIFT).meta({ description: 'The treatment of changes by others.' }),
    whenClusterLost: z
      .enum(WHEN_LOST)
      .meta({ description: 'Whether the records are withdrawn while the cluster of the owner is lost.' }),
    expires: moment.nullable().meta({ description: 'The end of the lease. Null: the set has no end.' }),
    appliedAt: moment.meta({ description: 'When the owner last changed something in this set.' }),
    records: z
      .array(ownedRecord)
      .meta({ description: 'The records of the owner at the name and type, as they are now.' }),
    drifted: z.boolean().meta({ description: 'Whether others changed or deleted records since the set was applied.' }),
  })
  .meta({ id: 'OwnedSet', description: 'The records of an owner at one name and type.' });

export const ownerList = z
  .object({
    owners: z.array(ownedSet).meta({
      description:
        'One item for each owner, name and type, in the order of the owners. A page has fewer than `limit` if it reaches 1 MiB of contents.',
    }),
    next,
  })
  .meta({ id: 'OwnerList', description: 'A page of the owners in a zone.' });

export type RecordSet = z.input<typeof recordSet>;
export type ApplyResult = z.infer<typeof applyResult>;
export type OwnedSet = z.infer<typeof ownedSet>;

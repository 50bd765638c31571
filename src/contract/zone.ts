// The contract of zones: the bodies that a caller may send and the bodies that the service answers.
import { z } from 'zod';
import { DENIALS } from '#dns/dnssec/denial.ts';
import { MAX_KEY_TEXT } from '#dns/dnssec/key-file.ts';
import { chosenOwner, comment, moment, newComment, next, page, ttl } from './shared.ts';

const NAME_ERROR = 'must be a domain name of 1 to 255 characters, for instance example.org';

// Checks the length only. The rules of src/dns judge the syntax, because they also lower-case names and convert
// international ones.
const domainName = z.string({ error: NAME_ERROR }).min(1, { error: NAME_ERROR }).max(255, { error: NAME_ERROR });

export const zoneId = z
  .string()
  .min(1)
  .max(64)
  .meta({ description: 'The id of the zone.', examples: ['zone_5f2c1e8a'] });

const denial = z.enum(DENIALS, { error: `must be ${DENIALS.join(' or ')}` });
const DENIAL =
  'The records that prove that a name or type does not exist: `NSEC`, or `NSEC3`, with which the names of the zone cannot be listed without effort.';

// Accepts any text: a malformed id is answered like the id of a zone that does not exist.
export const zoneParams = z.object({ id: z.string().meta({ description: 'The id of the zone.' }) });

/** `GET /zones`. `name` is an alias of `zoneName`; `suffix_of` answers one Zone instead of a list. */
export const zoneListQuery = z.strictObject({
  zoneName: domainName.optional().meta({ description: 'Return only the zone of exactly this name.' }),
  name: domainName.optional().meta({ description: 'An alias of `zoneName`.' }),
  suffix_of: domainName.optional().meta({
    description:
      'Return the zone with the longest name that encloses this name, which must have at least two labels. The answer is a single Zone, or 404.',
  }),
  ...page,
});

const keyText = (most: number) =>
  z.string({ error: 'must be a text' }).max(most, { error: `must have at most ${most} characters` });

/** The key of a zone that moves in. */
const keyImport = z
  .strictObject({
    privateKey: keyText(MAX_KEY_TEXT).meta({
      description:
        'The private key: the text of a `K….private` file of BIND, the output of `pdnsutil export-zone-key`, or PEM (PKCS#8). Algorithms 8 (RSA of 2,048 to 4,096 bits), 13, 14 and 15. No answer returns it.',
    }),
    dnskey: keyText(MAX_KEY_TEXT).optional().meta({
      description:
        'The DNSKEY record of the key, such as the text of a `K….key` file of BIND. If given, it must fit the private key and the zone, and have the flags 257.',
    }),
  })
  .meta({ id: 'KeyImport', description: 'The DNSSEC key with which a zone moves in from other name servers.' });

/** `POST /zones`. */
export const zoneCreateBody = z
  .strictObject({
    zoneName: domainName.meta({ description: 'The domain name of the zone.', examples: ['example.org'] }),
    owner: chosenOwner.optional().meta({
      description:
        'The owner of the zone: `org:<teamId>` or `personal`. If omitted: `personal`. Keys of app accounts must name their own team.',
      examples: ['org:team_7b1f'],
    }),
    defaultTtl: ttl
      .optional()
      .meta({ description: 'The TTL in seconds of records that have none of their own. If omitted: 3600.' }),
    denial: denial.optional().meta({ description: `${DENIAL} If omitted: \`NSEC\`.` }),
    comment: newComment.meta({
      description: 'A line of text for people, of at most 500 characters, which is not in DNS. If omitted: none.',
    }),
    newKey: z.boolean({ error: 'must be true or false' }).optional().meta({
      description:
        'A zone gets back the DNSSEC key of the zone of this name that its owner deleted, as long as the name is in quarantine, so that the DS records at the parent zone stay valid. If true, it gets a new key, and the DS records must be replaced. If omitted: false.',
    }),
    key: keyImport.optional().meta({
      description:
        'The key of the zone at its present name servers, which must have signed all its records. The zone gets this key and no other one, so that the DS records at the parent zone stay valid while it moves. If omitted, the service makes a key.',
    }),
  })
  .refine(({ key, newKey }) => key === undefined || newKey !== true, {
    path: ['newKey'],
    error: 'must be false or omitted if key gives the key of the zone',
  })
  .meta({ id: 'ZoneCreate', description: 'A zone to create.' });

/** `PATCH /zones/{id}`: the properties of a zone that can change, except its state. */
export const zoneChangeBody = z
  .strictObject({
    defaultTtl: ttl
      .optional()
      .meta({ description: 'The TTL in seconds of records that have none of their own. If omitted, it stays.' }),
    denial: denial.optional().meta({ description: `${DENIAL} If omitted, it stays.` }),
    comment: newComment.meta({
      description:
        'A line of text for people, of at most 500 characters, which is not in DNS. Null or an empty text removes it. If omitted, it stays.',
    }),
  })
  .refine((change) => Object.values(change).some((value) => value !== undefined), {
    error: 'must have at least one of defaultTtl, denial and comment',
  })
  .meta({ id: 'ZoneChange', description: 'The changes to a zone, at least one.', minProperties: 1 });

const dsRecord = z
  .object({
    keyTag: z.int().min(0).max(65_535).meta({ description: 'The tag of the DNSKEY that the DS record refers to.' }),
    algorithm: z
      .int()
      .min(0)
      .max(255)
      .meta({ description: 'The number of the DNSSEC algorithm. 13 is ECDSA P-256 with SHA-256.' }),
    digestType: z.int().min(0).max(255).meta({ description: 'The number of the digest algorithm. 2 is SHA-256.' }),
    digest: z.string().meta({ description: 'The digest of the DNSKEY in lower-case hexadecimal.' }),
    record: z.string().meta({ description: 'The DS record as a line of a zone file, without a TTL.' }),
  })
  .meta({
    id: 'Ds',
    description:
      'A DS record (RFC 4034 section 5). The parent zone must publish it so that resolvers trust the key of the zone.',
    examples: [
      {
        keyTag: 20326,
        algorithm: 13,
        digestType: 2,
        digest: 'e06d44b80b8f1d39a95c0b0d7c65d08458e880409bbc683457104237c7f8ec8d',
        record: 'example.org. IN DS 20326 13 2 e06d44b80b8f1d39a95c0b0d7c65d08458e880409bbc683457104237c7f8ec8d',
      },
    ],
  });

const ZONE_STATES = ['active', 'parked'] as const;

/** `done`, or the step that the owner must take before resolvers can use the zone. */
const ZONE_CREATION_STATUSES = ['done', 'handshake_claim_required', 'ds_required'] as const;

const zoneShape = {
  id: zoneId,
  zoneName: z
    .string()
    .meta({ description: 'The domain name of the zone, in lower case, with A-labels and without a trailing dot.' }),
  owner: z.string().meta({ description: 'The owner of the zone: `org:<teamId>` or `personal`.' }),
  state: z
    .enum(ZONE_STATES)
    .meta({ description: 'The state of the zone. A parked zone answers queries for its apex only.' }),
  nameservers: z.array(z.string()).meta({ description: 'The host names of the name servers to delegate the zone to.' }),
  ds: z.array(dsRecord).meta({ description: 'The DS records for the parent zone, those with SHA-256 first.' }),
  defaultTtl: ttl.meta({ description: 'The TTL in seconds of records that have none of their own.' }),
  denial: denial.meta({ description: DENIAL }),
  serial: z
    .int()
    .min(0)
    .max(4_294_967_295)
    .meta({ description: 'The serial of the SOA record. Compare serials with RFC 1982 arithmetic.' }),
  records: z.int().min(0).meta({ description: 'The number of records in the zone.' }),
  createdAt: moment.meta({ description: 'The time at which the zone was created.' }),
  updatedAt: moment.meta({ description: 'The time of the last change of the zone or its records.' }),
  comment,
};

const zoneExample = {
  id: 'zone_5f2c1e8a',
  zoneName: 'example.org',
  owner: 'org:team_7b1f',
  state: 'active' as const,
  nameservers: ['ns1.example.net', 'ns2.example.net'],
  ds: [],
  defaultTtl: 3600,
  denial: 'NSEC' as const,
  serial: 17,
  records: 5,
  createdAt: '2026-11-21T10:31:00.000Z',
  updatedAt: '2026-11-21T10:32:11.000Z',
};

const creationStatus = z.enum(ZONE_CREATION_STATUSES).meta({
  description: '`done`, or the step that is still required: a DS record at the parent zone or a Handshake claim.',
});

/**
 * `GET /zones/{id}` answers the current `status`. Lists, `suffix_of`, park and unpark omit it, because the service may
 * have to query the parent's name servers for it.
 */
export const zone = z.object({ ...zoneShape, status: creationStatus.optional() }).meta({
  id: 'Zone',
  description: 'A zone, with the data that its parent zone needs to delegate to it.',
  examples: [zoneExample],
});

const createdKey = z
  .object({
    keyTag: z.int().min(0).max(65_535).meta({ description: 'The tag of the DNSKEY of the zone.' }),
    kept: z.boolean().meta({
      description:
        'True: it is the key of the zone of this name that the owner deleted, so DS records that refer to it are valid again. False: it is a new key, or the imported one.',
    }),
    imported: z.literal(true).optional().meta({
      description: 'True: it is the key that the request gave, so DS records that refer to it stay valid.',
    }),
    formerKeyTag: z.int().min(0).max(65_535).optional().meta({
      description:
        'The tag of the key of the deleted zone, which this zone does not use because of `newKey` or `key`. Replace DS records that refer to it.',
    }),
  })
  .meta({ id: 'CreatedKey', description: 'The DNSSEC key of a new zone.' });

/** Answer of `POST /zones`. */
export const zoneCreated = z
  .object({
    ...zoneShape,
    status: creationStatus,
    key: createdKey.optional().meta({ description: 'The DNSSEC key of the zone. Absent if the zone was restored.' }),
  })
  .meta({
    id: 'ZoneCreated',
    description: 'A new zone.',
    examples: [{ ...zoneExample, status: 'done' as const, key: { keyTag: 20326, kept: false } }],
  });

export const zoneList = z
  .object({ zones: z.array(zone).meta({ description: 'The zones.' }), next })
  .meta({ id: 'ZoneList', description: 'The zones that the key may see, or a page of them.' });

/** Answer of `GET /zones/{id}/ds`. */
export const dsList = z
  .object({ ds: z.array(dsRecord).meta({ description: 'The DS records, those with SHA-256 first.' }) })
  .meta({ id: 'DsList', description: 'The DS records for the parent zone.' });

export type ZoneCreateBody = z.infer<typeof zoneCreateBody>;
export type ZoneChangeBody = z.infer<typeof zoneChangeBody>;
export type DsRecord = z.infer<typeof dsRecord>;
export type Zone = z.infer<typeof zone>;
export type CreatedKey = z.infer<typeof createdKey>;
export type ZoneCreated = z.infer<typeof zoneCreated>;

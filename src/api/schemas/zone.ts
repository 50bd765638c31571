// The contract of zones: what a caller may send and what the service answers. It must not know how a name is judged
// (dns/) nor how a zone is stored.
import { z } from 'zod';
import { moment, next, page, ttl } from './shared.ts';

const NAME_ERROR = 'must be a domain name of 1 to 255 characters, for instance example.org';

// Only bounds: dns/ judges the syntax, because it also lower-cases and converts international names.
const domainName = z.string({ error: NAME_ERROR }).min(1, { error: NAME_ERROR }).max(255, { error: NAME_ERROR });

export const zoneId = z
  .string()
  .min(1)
  .max(64)
  .meta({ description: 'Id of a zone.', examples: ['zone_5f2c1e8a'] });

// Any text: an id that cannot be is a zone that does not exist, not a malformed request.
export const zoneParams = z.object({ id: z.string().meta({ description: 'Id of the zone.' }) });

/** `GET /zones`. `name` is an alias of `zoneName`; `suffix_of` answers one Zone instead of a list. */
export const zoneListQuery = z.strictObject({
  zoneName: domainName.optional().meta({ description: 'Only the zone of exactly this name.' }),
  name: domainName.optional().meta({ description: 'Alias of zoneName.' }),
  suffix_of: domainName.optional().meta({
    description:
      'The longest zone that encloses this name, which needs at least two labels. Answers a single Zone, or 404.',
  }),
  ...page,
});

/** `POST /zones`. */
export const zoneCreateBody = z
  .strictObject({
    zoneName: domainName.meta({ description: 'Name of the apex.', examples: ['example.org'] }),
    owner: z
      .string({ error: 'must be "org:<teamId>" or "personal"' })
      .max(128, { error: 'must be "org:<teamId>" or "personal"' })
      .optional()
      .meta({
        description: '`org:<teamId>` or `personal` (default). Keys of app accounts must name their own team.',
        examples: ['org:team_7b1f'],
      }),
    defaultTtl: ttl.optional().meta({ description: 'Seconds; for records that carry none. 3600 when left out.' }),
  })
  .meta({ id: 'ZoneCreate', description: 'A zone to be created.' });

/** `PATCH /zones/{id}`: what of a zone can change beside its state. */
export const zoneChangeBody = z
  .strictObject({ defaultTtl: ttl.meta({ description: 'Seconds; for records that carry none.' }) })
  .meta({ id: 'ZoneChange', description: 'What shall change of a zone.' });

export const dsRecord = z
  .object({
    keyTag: z.int().min(0).max(65_535),
    algorithm: z
      .int()
      .min(0)
      .max(255)
      .meta({ description: 'DNSSEC algorithm number; 13 is ECDSA P-256 with SHA-256.' }),
    digestType: z.int().min(0).max(255).meta({ description: '2 is SHA-256.' }),
    digest: z.string().meta({ description: 'Hexadecimal, lower case.' }),
    record: z.string().meta({ description: "The line for the parent's zone file, without TTL." }),
  })
  .meta({
    id: 'Ds',
    description: "What the parent zone must publish so that resolvers trust this zone's key (RFC 4034 section 5).",
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

export const ZONE_STATES = ['active', 'parked'] as const;

/** `done`, or what the owner has still to do before the world can use the zone. */
export const ZONE_CREATION_STATUSES = ['done', 'handshake_claim_required', 'ds_required'] as const;

const zoneShape = {
  id: zoneId,
  zoneName: z.string().meta({ description: 'Name of the apex: lower case, A-labels, no final dot.' }),
  owner: z.string().meta({ description: '`org:<teamId>` or `personal`.' }),
  state: z.enum(ZONE_STATES).meta({ description: 'A parked zone answers only at its apex.' }),
  nameservers: z.array(z.string()).meta({ description: 'Host names to delegate the zone to.' }),
  ds: z.array(dsRecord).meta({ description: 'For the parent zone; SHA-256 first.' }),
  defaultTtl: ttl.meta({ description: 'Seconds; for records that carry none.' }),
  serial: z.int().min(0).max(4_294_967_295).meta({ description: 'Serial of the SOA (RFC 1982 arithmetic).' }),
  createdAt: moment,
  updatedAt: moment,
};

const zoneExample = {
  id: 'zone_5f2c1e8a',
  zoneName: 'example.org',
  owner: 'org:team_7b1f',
  state: 'active' as const,
  nameservers: ['ns1.example.net', 'ns2.example.net'],
  ds: [],
  defaultTtl: 3600,
  serial: 17,
  createdAt: '2026-11-21T10:31:00.000Z',
  updatedAt: '2026-11-21T10:32:11.000Z',
};

const creationStatus = z
  .enum(ZONE_CREATION_STATUSES)
  .meta({ description: 'Whether a DS at the parent or a Handshake claim is still required.' });

/** `GET /zones/{id}` tells the current `status`; lists, `suffix_of`, park and unpark leave it out, as it may have to be asked. */
export const zone = z
  .object({ ...zoneShape, status: creationStatus.optional() })
  .meta({ id: 'Zone', description: 'A zone and what its parent needs to delegate to it.', examples: [zoneExample] });

/** Answer of `POST /zones`. */
export const zoneCreated = z
  .object({ ...zoneShape, status: creationStatus })
  .meta({ id: 'ZoneCreated', description: 'A new zone.', examples: [{ ...zoneExample, status: 'done' as const }] });

export const zoneList = z.object({ zones: z.array(zone), next }).meta({ id: 'ZoneList' });

/** Answer of `GET /zones/{id}/ds`. */
export const dsList = z.object({ ds: z.array(dsRecord) }).meta({ id: 'DsList' });

export type ZoneCreateBody = z.infer<typeof zoneCreateBody>;
export type ZoneChangeBody = z.infer<typeof zoneChangeBody>;
export type ZoneListQuery = z.infer<typeof zoneListQuery>;
export type DsRecord = z.infer<typeof dsRecord>;
export type Zone = z.infer<typeof zone>;
export type ZoneCreated = z.infer<typeof zoneCreated>;

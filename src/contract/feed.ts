// The contract of the feed that name server nodes follow, and of their reports. A stream is NDJSON: one JSON object in each line.
//
//   GET  /v1/feed?after=CURSOR          the stream of changes; without a usable cursor, first the list of all zones
//   GET  /v1/feed/zones/{id}            one zone as it is now, with its key: a `zone` line, `sets` lines, an `end` line
//   GET  /v1/feed/zones/{id}/digest     the digest of one zone, for a comparison
//   POST /v1/feed/report                how far the node is
//
// A cursor is opaque to the node. It contains the identity of the database; one that is too old, or of another database or
// timeline, is answered with the list of all zones (`begin` with `resumed: false`).
import { z } from 'zod';

const zoneId = z.string();
const zoneName = z.string().meta({ description: 'Lower case, absolute, without a final dot.' });
const version = z.string().meta({
  description:
    'Changes with everything that the zone serves, including the addresses of ALIAS targets. Compared for equality only.',
});
const serial = z
  .int()
  .meta({ description: 'The serial of the zone. The SOA that a node serves has this serial or a later one.' });
const cursor = z.string().max(200).meta({ description: 'The position in the stream up to which everything was said.' });

/** `ServedSet` of src/dns/served.ts. */
export const servedSet = z.object({
  name: z.string().meta({ description: 'Relative to the zone; `@` is the apex.' }),
  type: z.string(),
  ttl: z.int(),
  rdata: z.array(z.string()).min(1),
});

const soa = z.object({
  mname: z.string(),
  rname: z.string(),
  refresh: z.int(),
  retry: z.int(),
  expire: z.int(),
  minimum: z.int(),
  ttl: z.int(),
});

const zoneHead = { id: zoneId, name: zoneName, version, serial };

/** The lines of `GET /v1/feed`. */
export const feedLine = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('begin'), epoch: z.string(), resumed: z.boolean(), cursor }).meta({
    description:
      'The first line. With `resumed: false`, one `listed` line for each zone and one `list-end` line follow; a zone that is not listed does not exist. `cursor` is the position of the list.',
  }),
  z.object({ kind: z.literal('listed'), ...zoneHead }),
  z.object({ kind: z.literal('list-end'), zones: z.int(), cursor }),
  z
    .object({
      kind: z.literal('change'),
      ...zoneHead,
      names: z.array(z.string()).min(1),
      sets: z.array(servedSet),
      cursor,
    })
    .meta({
      description:
        'The RRsets of these names are now exactly `sets`. A name without an RRset in `sets` has none any more. Applying a line twice changes nothing.',
    }),
  z.object({ kind: z.literal('reload'), ...zoneHead, cursor }).meta({
    description:
      'The zone is new, or changed as a whole (parked, other name servers, a large import): read it with GET /v1/feed/zones/{id}.',
  }),
  z.object({ kind: z.literal('gone'), id: zoneId, name: zoneName, cursor }).meta({
    description: 'The zone was deleted. A zone of the same name with another id may exist.',
  }),
  z.object({ kind: z.literal('beat'), cursor }).meta({
    description: 'Sent every second. A node that hears nothing for five seconds connects again.',
  }),
]);
export type FeedLine = z.infer<typeof feedLine>;

/** The lines of `GET /v1/feed/zones/{id}`. */
export const zoneLine = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('zone'),
    ...zoneHead,
    soa,
    key: z.object({
      privateKey: z.string().meta({ description: 'The private key of the zone in PEM (PKCS#8).' }),
      algorithm: z.literal(13),
      flags: z.literal(257),
    }),
  }),
  z.object({ kind: z.literal('sets'), sets: z.array(servedSet).min(1).max(500) }),
  z.object({ kind: z.literal('end'), sets: z.int(), digest: z.string() }).meta({
    description: 'An answer without this line is incomplete and must not be applied.',
  }),
]);
export type ZoneLine = z.infer<typeof zoneLine>;

export const zoneDigest = z.object({ ...zoneHead, sets: z.int(), digest: z.string() }).meta({
  id: 'ZoneDigest',
  description: 'The digest of the RRsets of a zone, without SOA and DNSSEC records.',
});
export type ZoneDigest = z.infer<typeof zoneDigest>;

const NODE_NAME = /^[a-z0-9]([a-z0-9.-]{0,61}[a-z0-9])?$/;

export const nodeName = z
  .string()
  .regex(NODE_NAME, { error: 'must be a name like "ns1-eu": lower-case letters, digits, hyphens and dots' });

/** The longest list of failing zones in a report; `failingCount` counts all of them. */
export const MAX_FAILING = 100;

export const nodeReport = z
  .strictObject({
    node: nodeName,
    instance: z.uuid().meta({ description: 'Made with the state of the node. Two nodes with one name differ in it.' }),
    startedAt: z.iso.datetime(),
    version: z.string().max(64),
    engine: z.string().max(64).meta({ description: 'For instance `Knot DNS 3.2.6`.' }),
    cursor: cursor.nullable().meta({
      description:
        'Everything up to here is applied, except for failing zones. Null before the first list was applied.',
    }),
    zones: z.int().min(0),
    failingCount: z.int().min(0),
    failing: z
      .array(z.object({ id: zoneId, error: z.string().max(500) }))
      .max(MAX_FAILING)
      .meta({ description: 'Zones that the node does not serve as the feed says.' }),
  })
  .meta({ id: 'NodeReport', description: 'How far a name server node is.' });
export type NodeReport = z.infer<typeof nodeReport>;

export const reportAnswer = z.object({
  duplicate: z.boolean().meta({ description: 'Another instance reported under this name within the last 30 seconds.' }),
  compare: z.string().nullable().meta({
    description: 'Changes when an operator asks for a comparison of all zones; the node compares once for each value.',
  }),
});
export type ReportAnswer = z.infer<typeof reportAnswer>;

export const zoneNodes = z
  .object({
    nodes: z.array(
      z.object({
        node: nodeName,
        current: z.boolean().meta({ description: 'Whether the name server has applied every change of the zone.' }),
        reportedAt: z.iso.datetime(),
        error: z
          .string()
          .optional()
          .meta({ description: 'Why it does not serve the zone as it should, in the words of the name server.' }),
      }),
    ),
  })
  .meta({ id: 'ZoneNodes', description: 'The name servers that reported within the last 30 seconds.' });

// The contract of the feed that name server nodes follow, and of their reports. A stream is NDJSON: one JSON object in
// each line.
//
// A cursor is opaque to the node. It contains the identity of the database; one that is too old, or of another database
// or timeline, is answered with the list of all zones (`begin` with `resumed: false`).
//
// Nodes and apis of different versions work together. A request says with `understands` which kinds of lines the node
// knows. The api sends no other kind: it says "reload" in place of a newer line about a zone. A node that gets an
// unknown kind nevertheless reads the zone or the list again, unless the line says that it can be skipped.
import { z } from 'zod';
import { NODE_NAME, NODE_NAME_RULE } from '#base/part-names.ts';
import { MAX_BEHIND } from '#dns/secondaries/follow.ts';
import {
  count,
  cursor,
  denial,
  kind,
  seconds,
  serial,
  sets,
  storedCount,
  storedTime,
  understands,
  version,
  zoneId,
  zoneName,
} from './feed-forms.ts';
import { salvageRequest } from './salvage-request.ts';
import { zoneSecondary } from './secondary.ts';
import { servedKeys } from './zone-key-forms.ts';
import { zoneOrigin } from './zone-origin.ts';

/** The content type of a stream: one JSON object in each line. */
export const LINES = 'application/x-ndjson';

const soa = z
  .object({
    mname: z.string().meta({ description: 'The first name server, absolute with a final dot.' }),
    rname: z.string().meta({ description: 'The mailbox of the administrator as a name, absolute with a final dot.' }),
    refresh: seconds('REFRESH in seconds.'),
    retry: seconds('RETRY in seconds.'),
    expire: seconds('EXPIRE in seconds.'),
    minimum: seconds('MINIMUM in seconds: the TTL of negative answers.'),
    ttl: seconds('The TTL of the SOA record in seconds.'),
  })
  .meta({ description: 'The SOA record of the zone, without its serial.' });

const zoneHead = { id: zoneId, name: zoneName, version, serial };

/** The lines of `GET /v1/feed`. */
export const feedLine = z.discriminatedUnion('kind', [
  z
    .object({
      kind: kind('begin'),
      epoch: z.string().meta({ description: 'The identity of the database.' }),
      resumed: z.boolean().meta({ description: 'Whether the stream continues after the cursor of the request.' }),
      cursor,
    })
    .meta({
      description:
        'The first line. With `resumed: false`, one `listed` line for each zone and one `list-end` line follow; a zone that is not listed does not exist. `cursor` is the position of the list.',
    }),
  z.object({ kind: kind('listed'), ...zoneHead }),
  z.object({ kind: kind('list-end'), zones: count('The number of `listed` lines.'), cursor }),
  z
    .object({
      kind: kind('change'),
      ...zoneHead,
      names: z.array(z.string()).min(1).meta({ description: 'The changed names, relative to the zone.' }),
      sets,
      cursor,
    })
    .meta({
      description:
        'The RRsets of these names are now exactly `sets`. A name without an RRset in `sets` has none any more. Applying a line twice changes nothing.',
    }),
  z.object({ kind: kind('reload'), ...zoneHead, cursor }).meta({
    description:
      'The zone is new, or changed as a whole (parked, other name servers, another denial of names, a large import): read it with GET /v1/feed/zones/{id}.',
  }),
  z.object({ kind: kind('gone'), id: zoneId, name: zoneName, cursor }).meta({
    description: 'The zone was deleted. A zone of the same name with another id may exist.',
  }),
  z.object({ kind: kind('beat'), cursor }).meta({
    description: 'Sent every second. A node that hears nothing for five seconds connects again.',
  }),
]);
export type FeedLine = z.infer<typeof feedLine>;

export const setCount = count('The number of RRsets.');
export const digest = z.string().meta({
  description:
    'The sum of the SHA-256 hashes of all RRsets modulo 2^256, in hexadecimal digits. Each hash is that of the JSON array of name, type, ttl, rdata and weights if there are some, without blanks.',
});

/** The lines of `GET /v1/feed/zones/{id}`. */
export const zoneLine = z.discriminatedUnion('kind', [
  z.object({
    kind: kind('zone'),
    ...zoneHead,
    soa,
    keys: servedKeys,
    denial,
    origin: zoneOrigin,
  }),
  z.object({ kind: kind('sets'), sets: sets.min(1).max(500) }),
  z.object({ kind: kind('end'), sets: setCount, digest }).meta({
    description: 'An answer without this line is incomplete and must not be applied.',
  }),
]);
export type ZoneLine = z.infer<typeof zoneLine>;

export const zoneDigest = z.object({ ...zoneHead, sets: setCount, digest }).meta({
  id: 'ZoneDigest',
  description: 'The digest of the RRsets of a zone, without SOA and DNSSEC records.',
});
export type ZoneDigest = z.infer<typeof zoneDigest>;

export const nodeName = z
  .string()
  .regex(NODE_NAME, { error: NODE_NAME_RULE })
  .meta({ description: 'The name of the node.' });

const reportingName = nodeName
  .optional()
  .meta({ description: 'The name of the node, as in its reports. The default is the name of its key.' });

/** `GET /v1/feed`. A parameter of a later node is ignored. */
export const feedQuery = z.object({
  after: z.string().max(200).optional().meta({
    description: 'The cursor to continue after. Without one, the stream begins with the list of all zones.',
  }),
  node: reportingName,
  understands,
});

/** `GET /v1/feed/zones/{id}`. A parameter of a later node is ignored. */
export const servedZoneQuery = z.object({ understands });

/** `GET /v1/feed/transfers`. */
export const nodeQuery = z.strictObject({ node: reportingName });

/** The longest list of failing zones in a report; `failingCount` counts all of them. */
export const MAX_FAILING = 100;

/** The longest list of held zones with their times in a report; `count` counts all of them. */
export const MAX_HELD = 300;

/** The longest list of the names of further held zones. If a node holds more, no zone can be created. */
export const MAX_HELD_NAMES = 10_000;

/** The results that are counted apart; all others are `other`. */
export const ANSWER_RESULTS = ['noerror', 'nxdomain', 'servfail', 'refused', 'other'] as const;
const answerCounts = z
  .strictObject({
    noerror: count('NOERROR: the name exists.'),
    nxdomain: count('NXDOMAIN: the name does not exist.'),
    servfail: count('SERVFAIL: the name server has no answer.'),
    refused: count('REFUSED: the name server does not serve the zone.'),
    other: count('All other response codes.'),
  })
  .meta({
    description:
      'The answers since the start of the name server, by response code. Sent only if the answer to the last report had `answers`.',
  });
export type AnswerCounts = z.infer<typeof answerCounts>;

export const nodeReport = z
  .strictObject({
    node: nodeName,
    instance: z.uuid().meta({ description: 'Made with the state of the node. Two nodes with one name differ in it.' }),
    startedAt: storedTime.meta({ description: 'The time when the node started.' }),
    version: z.string().max(64).meta({ description: 'The version of Zonestead that the node runs.' }),
    engine: z
      .string()
      .max(64)
      .meta({ description: 'The DNS server, as `Knot DNS 3.2.6 (without weights and NSEC3)`.' }),
    cursor: cursor.nullable().meta({
      description:
        'Everything up to here is applied, except for failing zones. Null before the first list was applied.',
    }),
    zones: storedCount('The number of zones that the node serves.'),
    failingCount: storedCount('The number of zones that the node does not serve as the feed says.'),
    failing: z
      .array(
        z.strictObject({
          id: zoneId,
          error: z.string().max(500).meta({ description: 'The cause, in the words of the node.' }),
        }),
      )
      .max(MAX_FAILING)
      .meta({ description: 'Zones that the node does not serve as the feed says.' }),
    held: z
      .strictObject({
        count: storedCount('The number of these zones.'),
        zones: z
          .array(
            z.strictObject({
              name: zoneName.max(253),
              since: storedTime.meta({ description: 'The time since which the node keeps the zone.' }),
            }),
          )
          .max(MAX_HELD)
          .meta({ description: `The zones, the first ${MAX_HELD} of them.` }),
        more: z
          .array(zoneName.max(253))
          .max(MAX_HELD_NAMES)
          .optional()
          .meta({ description: `The names of the next ${MAX_HELD_NAMES}. Absent if there are none.` }),
      })
      .optional()
      .meta({
        description:
          'Zones that the list lacks, and that the node keeps because the database is another one or the list lacks too many. Absent if there are none.',
      }),
    answers: answerCounts.optional(),
    leaving: z.literal(true).optional().meta({
      description:
        'The process of the node ends in an orderly way, so no alert waits for its next report. The node counts for 30 s more. Absent: the node continues.',
    }),
  })
  .meta({ id: 'NodeReport', description: 'How far a name server node is.' });
export type NodeReport = z.infer<typeof nodeReport>;

export const reportAnswer = z.object({
  duplicate: z.boolean().meta({ description: 'Another instance reported under this name within the last 30 seconds.' }),
  compare: z.string().nullable().meta({
    description: 'Changes when an operator asks for a comparison of all zones; the node compares once for each value.',
  }),
  transfers: z.string().nullable().meta({
    description: 'The version of GET /v1/feed/transfers; the node reads it again when it changes.',
  }),
  removals: z.string().nullable().meta({
    description:
      'The epoch of the database whose removals an administrator accepts: the node removes the zones that it holds and a list of this epoch lacks.',
  }),
  salvage: salvageRequest,
  endings: z.string().max(200).meta({
    description: 'The version of GET /v1/feed/endings; the node reads the next ones when it changes.',
  }),
  // Absent in the answer of an older api, which refuses the field in a report.
  answers: z.boolean().optional().meta({ description: 'Whether the service takes `answers` in reports.' }),
});
export type ReportAnswer = z.infer<typeof reportAnswer>;

/** The longest wait of a question for the nodes of a zone, in seconds. */
const MAX_NODES_WAIT = 5;
const WAIT_ERROR = `must be a number of seconds from 0 to ${MAX_NODES_WAIT}, with at most three decimals`;

export const zoneNodesQuery = z.strictObject({
  wait: z
    .string({ error: WAIT_ERROR })
    // 0 to MAX_NODES_WAIT, as the description of the API has it for generated clients.
    .regex(/^([0-4](\.[0-9]{1,3})?|5(\.0{1,3})?)$/, { error: WAIT_ERROR })
    .optional()
    .meta({
      description: `Waits so many seconds, at most ${MAX_NODES_WAIT} and with up to three decimals, until every name server has the changes that were committed when the request arrived, or is starting. The answer may come sooner. The default is 0.`,
    }),
});

const zoneNode = z.object({
  node: nodeName,
  current: z.boolean().meta({
    description:
      'Whether the name server has applied every change of the zone that was committed when the request arrived.',
  }),
  starting: z.literal(true).optional().meta({
    description: 'The name server has not applied its first list of zones. It counts when it has.',
  }),
  reportedAt: z.iso.datetime().meta({ description: 'The time of the last report.' }),
  behindSince: z.iso.datetime().optional().meta({
    description: 'The time of the oldest change of any zone that the name server has not applied.',
  }),
  behindSeconds: z.int().min(0).optional().meta({ description: 'The age of that change in seconds.' }),
  error: z
    .string()
    .optional()
    .meta({ description: 'Why it does not serve the zone as it should, in the words of the name server.' }),
  evenly: z.literal(true).optional().meta({
    description: 'Its DNS server cannot draw: it answers records with weights with all of them, evenly.',
  }),
});
export type ZoneNode = z.infer<typeof zoneNode>;

const addresses = z.array(
  z.object({
    address: z.string().meta({ description: 'An IPv4 or IPv6 address.' }),
    port: z.int().min(1).max(65_535).meta({ description: 'The port.' }),
  }),
);

const secondary = z
  .object({
    name: z.string().meta({ description: 'The name of the secondary.' }),
    addresses: addresses.meta({ description: 'Where it answers and gets NOTIFY.' }),
    transfersFrom: z.array(z.string()).meta({ description: 'Further addresses and networks that it transfers from.' }),
    key: z
      .object({
        name: z.string().meta({ description: 'The name of the key, without a final dot.' }),
        algorithm: z.enum(['hmac-sha256', 'hmac-sha384', 'hmac-sha512']).meta({ description: 'The algorithm.' }),
        secret: z.string().meta({ description: 'The secret in base64.' }),
      })
      .meta({ description: 'Its TSIG key (RFC 8945).' }),
    zones: z.union([z.literal('all'), z.array(zoneName)]).meta({ description: 'The names of its zones, or `all`.' }),
    catalog: z.boolean().meta({ description: 'Whether it gets a catalog zone (RFC 9432).' }),
    notify: z.boolean().meta({ description: 'Whether it gets NOTIFY (RFC 1996).' }),
    requireTls: z.boolean().meta({ description: 'Whether it may transfer over TLS only (RFC 9103).' }),
    pins: z.array(z.string()).meta({
      description:
        'It must have a certificate with one of these pins: the SHA-256 of the public key in base64. Empty: any client with the key may transfer.',
    }),
  })
  .meta({ description: 'A third-party name server that transfers zones.' });

export const transferPlan = z
  .object({
    version: z.string().meta({ description: 'Changes with this answer. Compared for equality only.' }),
    role: z.enum(['source', 'standby', 'none']).meta({
      description:
        'The part of the node: `source` tells secondaries of changes, `standby` only lets them transfer, `none` has no part.',
    }),
    slot: z.int().min(0).max(3).nullable().meta({ description: 'Serials of the node are congruent to it modulo 4.' }),
    generation: z.int().min(0).meta({ description: 'Counts the changes of the source.' }),
    secondaries: z.array(secondary).meta({ description: 'The secondaries. Empty for a node without a part.' }),
  })
  .meta({ id: 'TransferPlan', description: 'The part of a node in zone transfers, and the secondaries.' });
export type TransferPlan = z.infer<typeof transferPlan>;

const secondaryBehind = z
  .strictObject({
    zone: zoneId,
    state: z.enum(['behind', 'ahead', 'absent']).meta({
      description: 'Its serial is older than that of the source, or later, or it does not serve the zone.',
    }),
    serial: z.int().optional().meta({ description: 'The serial that it answers.' }),
    reason: z.string().max(300).optional().meta({ description: 'Why it has no serial.' }),
    since: z.iso.datetime().meta({ description: 'The time since which it is not current.' }),
  })
  .meta({ description: 'A zone that is not current at a secondary.' });

export const transferReport = z
  .strictObject({
    node: nodeName,
    secondaries: z
      .array(
        z.strictObject({
          name: z.string().max(32).meta({ description: 'The name of the secondary.' }),
          zones: storedCount('The number of its zones.'),
          current: storedCount('The number of its zones that are current.'),
          cursor: cursor.nullable().optional().meta({
            description:
              'The position of the node when it compared the serials: every zone has them from this position or a later one.',
          }),
          silent: z.string().max(300).optional().meta({ description: 'Why it does not answer. Absent: it answers.' }),
          behind: z.array(secondaryBehind).max(MAX_BEHIND).meta({ description: 'Zones that are not current.' }),
        }),
      )
      .max(256)
      .meta({ description: 'The secondaries.' }),
  })
  .meta({ id: 'TransferReport', description: 'How far the secondaries are.' });
export type TransferReport = z.infer<typeof transferReport>;

const cordon = z
  .object({
    name: z.string().meta({ description: 'The name of a name server, one of its addresses, or the name of a node.' }),
    until: z.iso.datetime().meta({ description: 'The time when the cordon ends.' }),
    reason: z.string().optional().meta({ description: 'The reason, in the words of the administrator.' }),
  })
  .meta({ id: 'Cordon', description: 'A name server that is planned to be down, so no proof waits for it.' });
export type Cordon = z.infer<typeof cordon>;

export const zoneNodes = z
  .object({
    nodes: z.array(zoneNode).meta({ description: 'The name servers, by name.' }),
    // Absent in the answer of an older api.
    secondaries: z
      .array(zoneSecondary)
      .default([])
      .meta({ description: 'The secondaries that have the zone, by name.' }),
    cordons: z
      .array(cordon)
      .optional()
      .meta({ description: 'The name servers that the administrator has cordoned, by name. Absent without any.' }),
  })
  .meta({
    id: 'ZoneNodes',
    description: 'The name servers that reported within the last 30 seconds, and the secondaries of the zone.',
  });

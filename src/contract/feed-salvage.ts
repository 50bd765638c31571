// The contract of the data that nodes send for a restored database: zones that it lacks, and endings that it does not
// know.
import { z } from 'zod';
import { digest, setCount } from './feed.ts';
import { kind, serial, sets, zoneId, zoneName } from './feed-forms.ts';
import { salvageToken } from './salvage-request.ts';
import { MAX_ZONE_KEYS } from './zone-key-forms.ts';
import { zoneOrigin } from './zone-origin.ts';

/** The most parts of one zone. */
export const MAX_SALVAGE_PARTS = 256;
/** The most RRsets in one part; a part also ends at half of the limit of a request. */
export const MAX_SALVAGE_SETS = 5_000;
/** The longest request with a part, in octets. */
export const MAX_SALVAGE_BYTES = 1024 * 1024;

/** The most endings in one answer or part. */
export const MAX_ENDINGS = 1_000;

export const ending = z
  .strictObject({
    action: z
      .enum([
        'key.revoke',
        'trust.revoke',
        'member.remove',
        'user.suspend',
        'user.remove',
        'cluster.drain',
        'cluster.restore',
      ])
      .meta({ description: 'The action, as in the history of teams.' }),
    subject: z
      .string()
      .max(100)
      .meta({ description: 'The id of the key, trust or person, or the name of the cluster.' }),
    team: z.string().max(100).nullable().meta({ description: 'The id of the team, if one is concerned.' }),
    at: z.iso.datetime().meta({ description: 'The time.' }),
    seal: z.string().max(100).meta({ description: 'Proves to the service that it wrote this.' }),
  })
  .meta({ description: 'The end of a right, or a change of a cluster.' });
export type SealedEnding = z.infer<typeof ending>;

/** `GET /v1/feed/endings`. */
export const endingsQuery = z.strictObject({
  after: z
    .string()
    .regex(/^[0-9]{1,18}$/, { error: 'must be the number of the last answer' })
    .optional()
    .meta({ description: 'The number `last` of the answer before. The default is the beginning.' }),
});

export const endings = z
  .object({
    endings: z.array(ending).max(MAX_ENDINGS).meta({ description: 'The endings, the oldest first.' }),
    last: z.string().nullable().meta({ description: 'Where the next answer begins. Null: this is the last one.' }),
  })
  .meta({ id: 'Endings', description: 'The endings of the last 35 days.' });
export type Endings = z.infer<typeof endings>;

const privateKeys = z
  .array(z.string().max(4_000))
  .min(1)
  .max(MAX_ZONE_KEYS)
  .meta({ description: 'The private keys of the zone in PEM (PKCS#8).' });

/** `POST /v1/feed/salvage`. */
export const salvagePart = z
  .strictObject({
    token: salvageToken,
    instance: z.uuid().meta({ description: 'The instance of the node, as in its reports.' }),
    zone: zoneName.max(253),
    content: z
      .discriminatedUnion('kind', [
        z.strictObject({
          kind: kind('sets'),
          part: z.int().min(1).max(MAX_SALVAGE_PARTS).meta({ description: 'The number of the part.' }),
          sets: sets.max(MAX_SALVAGE_SETS),
        }),
        z.strictObject({
          kind: kind('zone'),
          id: zoneId.max(100),
          serial: serial.min(1).max(2 ** 32 - 1),
          privateKeys,
          origin: zoneOrigin
            .nullable()
            .meta({ description: 'The values that the service gave with the zone. Null: the node has lost them.' }),
          parts: z
            .int()
            .min(0)
            .max(MAX_SALVAGE_PARTS)
            .meta({ description: 'The number of the parts before this one.' }),
          sets: setCount,
          digest,
        }),
        z.strictObject({ kind: kind('keys'), privateKeys }),
        z.strictObject({
          kind: kind('endings'),
          part: z.int().min(0).max(MAX_SALVAGE_PARTS).meta({ description: 'The number of the part; 0 is the last.' }),
          endings: z.array(ending).max(MAX_ENDINGS).meta({ description: 'The endings that the node remembers.' }),
        }),
        z.strictObject({
          kind: kind('failed'),
          error: z.string().max(500).meta({ description: 'Why the node does not send the zone.' }),
        }),
      ])
      .meta({
        description: 'The records of the zone, its end with the key, or the reason why the node does not send it.',
      }),
  })
  .meta({ id: 'SalvagePart', description: 'A part of a zone that a node holds and the database lacks.' });
export type SalvagePart = z.infer<typeof salvagePart>;

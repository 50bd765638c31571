// The forms that lines of the feed, reports and parts of zones share.
import { z } from 'zod';
import { DENIALS } from '#dns/dnssec/denial.ts';
import { MAX_WEIGHT, MAX_WEIGHTED } from '#dns/members.ts';
import { MAX_INTEGER } from './zone-origin.ts';

export const zoneId = z.string().meta({ description: 'The id of the zone.' });
export const zoneName = z
  .string()
  .meta({ description: 'The name of the zone: lower case, absolute, without a final dot.' });
export const version = z.string().meta({
  description:
    'Changes with everything that the zone serves, including the addresses of ALIAS targets. Compared for equality only.',
});
export const serial = z
  .int()
  .meta({ description: 'The serial of the zone. The SOA that a node serves has this serial or a later one.' });
export const denial = z.enum(DENIALS).meta({
  description:
    'The records that prove that a name or type does not exist: NSEC, or NSEC3 without salt, extra iterations and opt-out (RFC 9276).',
});
export const cursor = z
  .string()
  .max(200)
  .meta({ description: 'The position in the stream up to which everything was said.' });

/** `ServedSet` of src/dns/served.ts. */
export const servedSet = z.object({
  name: z.string().meta({ description: 'The owner name relative to the zone; `@` is the apex.' }),
  type: z.string().meta({ description: 'The type of the RRset, for instance `AAAA`.' }),
  ttl: z.int().meta({ description: 'The TTL in seconds.' }),
  rdata: z.array(z.string()).min(1).meta({
    description:
      'The canonical text of each RDATA with absolute names, without duplicates, sorted by UTF-16 code unit.',
  }),
  weights: z.array(z.int().min(1).max(MAX_WEIGHT)).min(2).max(MAX_WEIGHTED).optional().meta({
    description:
      'The weight of each RDATA, in the same order: a name server that can answers with one of them, drawn by its weight. Absent: it answers with all.',
  }),
});

export const sets = z.array(servedSet).meta({ description: 'RRsets, without SOA and DNSSEC records.' });
export const seconds = (description: string) => z.int().meta({ description });
export const count = (description: string) => z.int().min(0).meta({ description });
export const storedCount = (description: string) => z.int().min(0).max(MAX_INTEGER).meta({ description });
/** The times of Postgres begin with the year 1. */
export const storedTime = z.iso
  .datetime()
  .refine((text) => !text.startsWith('0000'), { error: 'must be a year from 1' });
export const kind = <const Kind extends string>(name: Kind) =>
  z.literal(name).meta({ description: 'The kind of the line.' });

export const understands = z.coerce
  .number({ error: 'must be a number from 1' })
  .int({ error: 'must be a whole number from 1' })
  .min(1, { error: 'must be a number from 1' })
  .max(1_000_000)
  .default(1)
  .meta({ description: 'The level of the lines that the node knows. The api sends no line of a higher level.' });

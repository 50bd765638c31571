// The values of a zone that a restored database needs of a node.
import { z } from 'zod';
import { DENIALS } from '#dns/dnssec/denial.ts';
import { keyAlgorithm, keyState, MAX_ZONE_KEYS } from './zone-key-forms.ts';

/** The most that a column `integer` of the database holds. */
export const MAX_INTEGER = 2 ** 31 - 1;

export const zoneOrigin = z
  .strictObject({
    team: z.string().max(100).nullable().meta({ description: 'The id of the team that owns the zone.' }),
    user: z.string().max(100).nullable().meta({ description: 'The id of the person that owns the zone.' }),
    state: z.enum(['active', 'parked']).meta({ description: 'Whether the records of the zone are served.' }),
    defaultTtl: z.int().min(0).max(MAX_INTEGER).meta({ description: 'The TTL of records without one, in seconds.' }),
    denial: z.enum(DENIALS).meta({ description: 'How the zone denies names.' }),
    keys: z
      .array(
        z.strictObject({
          publicKey: z.string().max(1_000).meta({ description: 'The public key as in the DNSKEY record.' }),
          algorithm: keyAlgorithm,
          state: keyState,
        }),
      )
      .min(1)
      .max(MAX_ZONE_KEYS)
      .meta({ description: 'The DNSSEC keys of the zone.' }),
    seal: z.string().max(100).meta({ description: 'Proves to the service that it wrote these values.' }),
  })
  .meta({
    description: 'The node keeps this for the case that the database is restored to a time before the zone was made.',
  });
export type ZoneOrigin = z.infer<typeof zoneOrigin>;

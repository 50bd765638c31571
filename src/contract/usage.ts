// The contract of `GET /v1/account/usage`: the usage of a team or a person, and the limits.
import { z } from 'zod';
import { share, zoneQuota } from './people.ts';
import { moment } from './shared.ts';

const writes = (kind: string) =>
  z
    .object({
      used: z.int().meta({ description: 'The writes in the last 60 seconds. A refused write may count too.' }),
      limit: z.int().nullable().meta({ description: 'The limit of the key; null: there is none.' }),
    })
    .meta({ description: `The ${kind} writes of the key of the request.` });

const ownerUsage = z
  .object({
    owner: z.string().meta({ description: '`org:` and the id of a team, or `personal`.' }),
    name: z.string().meta({ description: 'The name of the team or person.' }),
    quota: zoneQuota,
    deletedZones: z
      .object({
        zones: z.int().meta({ description: 'Deleted zones that can be restored.' }),
        records: z.int().meta({ description: 'Their records.' }),
        bytes: share('Octets of their records'),
      })
      .meta({ description: 'The deleted zones that are kept for a restore.' }),
    history: z
      .object({
        zones: share('Octets of the history of zones and records'),
        account: share('Octets of the history of members, keys and trusts'),
        since: moment.nullable().meta({
          description: 'Changes of zones and records before this time were deleted. Null means that none were.',
        }),
      })
      .meta({ description: 'The history. It is counted a few minutes after a change.' }),
    answers: share('Octets of stored answers to `Idempotency-Key` headers'),
  })
  .meta({ id: 'OwnerUsage', description: 'The usage of a team or a person, next to the limits.' });

/** Answer of `GET /v1/account/usage`. */
export const accountUsage = z
  .object({
    owners: z.array(ownerUsage).meta({
      description: 'The team of an app key or token; for a personal key, personal zones and then the teams by name.',
    }),
    writes: z
      .object({ zones: writes('zone'), records: writes('record') })
      .meta({ description: 'The sliding window of the write limits.' }),
  })
  .meta({ id: 'AccountUsage', description: 'The usage of the owners that the key belongs to.' });

export type AccountUsage = z.infer<typeof accountUsage>;

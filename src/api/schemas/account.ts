// The contract of "who am I": the key of the request and whose it is. It must not know how keys are minted or kept.
import { z } from 'zod';
import { email, level, personName, role, teamId, userId } from './people.ts';
import { moment } from './shared.ts';

export { LEVELS } from './people.ts';

/** Answer of `GET /v1/account`. */
export const account = z
  .object({
    key: z.object({
      id: z.string(),
      name: z.string(),
      records: level.meta({ description: 'Right on the records of all zones; a zone may override it.' }),
      manageZones: level.meta({ description: 'Right to read, create, park and delete zones.' }),
      onlyNames: z.array(z.string()).nullable().meta({ description: 'Record names the key is restricted to.' }),
      onlyTypes: z.array(z.string()).nullable().meta({ description: 'Record types the key is restricted to.' }),
      expiresAt: moment.nullable(),
    }),
    team: z
      .object({ id: z.string(), name: z.string() })
      .optional()
      .meta({ description: "Of an app account's key (`yk_…`): the team it belongs to." }),
    user: z
      .object({ id: userId, email, name: personName })
      .optional()
      .meta({ description: "Of a person's key (`yu_…`): whose it is." }),
    teams: z
      .array(z.object({ id: teamId, name: z.string(), role }))
      .optional()
      .meta({ description: "Of a person's key: the teams that the person is a member of." }),
  })
  .meta({
    id: 'Account',
    description: 'The key of the request and the team or the person it belongs to.',
    examples: [
      {
        key: {
          id: '3kx8',
          name: 'operator',
          records: 'write',
          manageZones: 'write',
          onlyNames: null,
          onlyTypes: null,
          expiresAt: null,
        },
        team: { id: 'team_7b1f', name: 'platform' },
      },
    ],
  });

export type Account = z.infer<typeof account>;

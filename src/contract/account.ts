// The contract of `GET /v1/account`: the key of the request, and the team or the person that the key belongs to.
import { z } from 'zod';
import {
  clusterRight,
  email,
  level,
  personName,
  role,
  teamId,
  teamName,
  teamQuota,
  userId,
  zoneQuota,
} from './people.ts';
import { moment } from './shared.ts';

export { LEVELS } from './people.ts';

const writes = (kind: string) =>
  z
    .int()
    .nullable()
    .meta({
      description: `The ${kind} writes that the key may make in 60 seconds. Null means that there is no limit.`,
    });

/** Answer of `GET /v1/account`. */
export const account = z
  .object({
    key: z
      .object({
        id: z.string().meta({ description: 'The id of the key, as the history and the logs show it.' }),
        name: z.string().meta({ description: 'The name of the key, chosen by the person who created it.' }),
        records: level.meta({
          description: 'Permission on the records of all zones. A grant for a single zone overrides it.',
        }),
        manageZones: level.meta({
          description: 'Permission on zones: `read` lists them; `write` also creates, parks and deletes them.',
        }),
        clusters: clusterRight.meta({
          description: 'Permission on clusters: `write` sends heartbeats and lists clusters.',
        }),
        signals: z.array(z.string()).meta({
          description: 'Checks that the key may send signals for: names, and patterns of names.',
        }),
        onlyNames: z.array(z.string()).nullable().meta({
          description:
            'Patterns of record names that the key is restricted to. Null means that there is no restriction.',
        }),
        onlyTypes: z.array(z.string()).nullable().meta({
          description: 'Record types that the key is restricted to. Null means that there is no restriction.',
        }),
        zoneWrites: writes('zone'),
        recordWrites: writes('record'),
        expiresAt: moment
          .nullable()
          .meta({ description: 'The time at which the key expires. Null means that it never expires.' }),
      })
      .meta({ description: 'The API key of the request.' }),
    trust: z
      .object({
        id: z.string().meta({ description: 'The id of the trust.' }),
        name: z.string().meta({ description: 'The name of the trust.' }),
        subject: z.string().meta({ description: 'The subject of the token (`sub`).' }),
      })
      .optional()
      .meta({
        description:
          'The trust that accepted the token of the request. Present for tokens only; `key` then has the rights of the token, and the id of its subject.',
      }),
    team: z
      .object({
        id: teamId,
        name: teamName,
        quota: teamQuota,
      })
      .optional()
      .meta({
        description: 'The team that the key belongs to. Present for keys of app accounts (`yk_…`) and for tokens.',
      }),
    user: z
      .object({ id: userId, email, name: personName, quota: zoneQuota })
      .optional()
      .meta({ description: 'The person that the key belongs to. Present for personal keys (`yu_…`) only.' }),
    teams: z
      .array(z.object({ id: teamId, name: teamName, role }))
      .optional()
      .meta({ description: 'The teams that the person is a member of. Present for personal keys (`yu_…`) only.' }),
  })
  .meta({
    id: 'Account',
    description: 'The API key of the request, and the team or the person that it belongs to.',
    examples: [
      {
        key: {
          id: '3kx8',
          name: 'operator',
          records: 'write',
          manageZones: 'write',
          clusters: 'write',
          signals: [],
          onlyNames: null,
          onlyTypes: null,
          expiresAt: null,
        },
        team: {
          id: 'team_7b1f',
          name: 'platform',
          quota: {
            zones: { used: 12, limit: 1_000 },
            records: { used: 3_400, limit: 500_000 },
            bytes: { used: 210_450, limit: 1_073_741_824 },
            keys: { used: 7, limit: 200 },
            members: { used: 4, limit: 200 },
          },
        },
      },
    ],
  });

export type Account = z.infer<typeof account>;

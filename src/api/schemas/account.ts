// The contract of "who am I": the key of the request and its team. It must not know how keys are minted or kept.
import { z } from 'zod';
import { moment } from './shared.ts';

export const LEVELS = ['none', 'read', 'write'] as const;

const level = z.enum(LEVELS);

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
    team: z.object({ id: z.string(), name: z.string() }),
  })
  .meta({
    id: 'Account',
    description: 'The key of the request and the team it belongs to.',
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

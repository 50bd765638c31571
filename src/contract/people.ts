// The contract of teams and their members.
import { z } from 'zod';
import { moment, next } from './shared.ts';

export const LEVELS = ['none', 'read', 'write'] as const;
const RIGHT_ERROR = 'must be none or write';
/** The right on clusters. */
export const clusterRight = z.enum(['none', 'write'], { error: RIGHT_ERROR });

export const level = z.enum(LEVELS, { error: `must be one of ${LEVELS.join(', ')}` });

export const ROLES = ['owner', 'member'] as const;
export const role = z.enum(ROLES, { error: `must be one of ${ROLES.join(', ')}` }).meta({
  description:
    'The role in the team. Members have all permissions on zones, records and app keys. Owners can also rename the team and change its members.',
});

const id = (what: string, example: string) =>
  z
    .string({ error: `must be the id of a ${what}` })
    .min(1, { error: `must be the id of a ${what}` })
    .max(64, { error: `must be the id of a ${what}` })
    .meta({ description: `The id of the ${what}.`, examples: [example] });

export const teamId = id('team', 'team_7b1f');
export const userId = id('person', 'user_2c9a');

const NAME_ERROR = 'must be 1 to 64 characters on one line, without spaces at its ends';

/** The name of a team or a key. It is shown in terminals and pages, so control characters are refused. */
export const displayName = z
  .string({ error: NAME_ERROR })
  .min(1, { error: NAME_ERROR })
  .max(64, { error: NAME_ERROR })
  // A pattern in the schema would need Unicode properties, which many tools that read OpenAPI do not support.
  .refine((text) => /^[^\s\p{C}]([^\p{C}\p{Zl}\p{Zp}]*[^\s\p{C}])?$/u.test(text), { error: NAME_ERROR });

export const email = z
  .string()
  .meta({ description: 'The e-mail address.', format: 'email', examples: ['ada@example.org'] });
export const personName = z.string().meta({ description: 'The name of the person.', examples: ['Ada'] });
export const teamName = z.string().meta({ description: 'The name of the team.' });

/** Accepts any text: a malformed id is answered like the id of something that does not exist. */
export const pathId = z.string();
export const teamParams = z.object({ teamId: pathId.meta({ description: 'The id of the team.' }) });
export const memberParams = teamParams.extend({ userId: pathId.meta({ description: 'The id of the person.' }) });

/** `POST /account/teams`, `PATCH /account/teams/{teamId}`. */
export const teamBody = z
  .strictObject({ name: displayName.meta({ description: 'The name of the team. It must be unique in the service.' }) })
  .meta({ id: 'TeamWrite', description: 'The name of a team.', examples: [{ name: 'platform' }] });

export const share = (of: string) =>
  z
    .object({
      used: z.number().int().meta({ description: 'The amount in use.' }),
      limit: z.number().int().meta({ description: 'The amount that is allowed.' }),
    })
    .meta({
      description: `${of}: the amount in use, and the limit. After the limit was lowered, the amount in use can exceed it.`,
    });

/** The quota of a person, for personal zones. */
export const zoneQuota = z
  .object({
    zones: share('Zones'),
    records: share('Records in all zones'),
    bytes: share('Octets of the names, contents and comments of these records'),
  })
  .meta({ id: 'ZoneQuota', description: 'The quota of the personal zones of a person.' });

/** The quota of a team. */
export const teamQuota = zoneQuota
  .extend({ keys: share('App keys that are neither revoked nor expired'), members: share('Members') })
  .meta({ id: 'TeamQuota', description: 'The quota of a team. An administrator of the service can change it.' });

export const team = z
  .object({
    id: teamId,
    name: teamName,
    role,
    createdAt: moment.meta({ description: 'The time at which the team was created.' }),
  })
  .meta({ id: 'Team', description: 'A team, with the role that the caller has in it.' });

/** `GET /account/teams/{teamId}`. */
export const teamDetail = team
  .extend({ quota: teamQuota })
  .meta({ id: 'TeamDetail', description: 'A team, with its quota and the role that the caller has in it.' });

export const teamList = z
  .object({ teams: z.array(team).meta({ description: 'The teams.' }) })
  .meta({ id: 'TeamList', description: 'The teams that the caller is a member of.' });

/** `PATCH /account/teams/{teamId}/members/{userId}`. */
export const memberChangeBody = z
  .strictObject({ role })
  .meta({ id: 'MemberChange', description: 'The new role of a member.', examples: [{ role: 'owner' }] });

export const member = z
  .object({
    userId,
    email,
    name: personName,
    role,
    createdAt: moment.meta({ description: 'The time at which the person became a member.' }),
  })
  .meta({ id: 'Member', description: 'A member of a team.' });

const listedMember = member
  .extend({
    validKeys: z.int().meta({
      description:
        'The number of valid app keys and trusts of the team that the member created. Revoked and expired ones are not counted.',
    }),
  })
  .meta({
    id: 'ListedMember',
    description: 'A member of a team, with the number of app keys and trusts that the member created.',
  });

export const memberList = z
  .object({ members: z.array(listedMember).meta({ description: 'The members.' }) })
  .meta({ id: 'MemberList', description: 'The members of a team.' });

/** `DELETE /account/teams/{teamId}/members/{userId}`. */
export const memberRemoval = z.object({
  revokeKeys: z
    .enum(['true', 'false'], { error: 'must be true or false' })
    .default('false')
    .transform((text) => text === 'true')
    .meta({
      description:
        'Whether to revoke the app keys and trusts that the member created. The member may have kept the secrets of the keys.',
    }),
});

const accountChange = z
  .object({
    id: z.string().meta({ description: 'The number of the change.' }),
    at: moment.meta({ description: 'The time of the change.' }),
    keyId: z.string().nullable().meta({
      description: 'The id of the API key that made the change. Null means that it was made on the command line.',
    }),
    action: z.string().meta({ description: 'The kind of change.', examples: ['key.mint', 'invitation.create'] }),
    subject: z.string().meta({ description: 'The id of the team, person, invitation or key that was changed.' }),
    before: z.unknown().meta({ description: 'The state before the change. Null for a creation.' }),
    after: z.unknown().meta({ description: 'The state after the change. Null for a deletion.' }),
    requestId: z.string().meta({ description: 'The `x-request-id` of the request.' }),
  })
  .meta({ id: 'AccountChange', description: 'One change in the history of a team. It never contains a secret.' });

export const accountChangeList = z
  .object({ changes: z.array(accountChange).meta({ description: 'The changes, newest first.' }), next })
  .meta({ id: 'AccountChangeList', description: 'A page of the history of a team.' });

export type Team = z.infer<typeof team>;
export type Member = z.infer<typeof member>;

// The contract of teams and their members. It must not know who may do what; zones/ judges that.
import { z } from 'zod';
import { moment, next } from './shared.ts';

export const LEVELS = ['none', 'read', 'write'] as const;
export const level = z.enum(LEVELS, { error: `must be one of ${LEVELS.join(', ')}` });

export const ROLES = ['owner', 'member'] as const;
export const role = z.enum(ROLES, { error: `must be one of ${ROLES.join(', ')}` }).meta({
  description: 'A member has all rights on zones, records and app keys; an owner also changes members and the name.',
});

const id = (what: string, example: string) =>
  z
    .string({ error: `must be the id of a ${what}` })
    .min(1, { error: `must be the id of a ${what}` })
    .max(64, { error: `must be the id of a ${what}` })
    .meta({ description: `Id of a ${what}.`, examples: [example] });

export const teamId = id('team', 'team_7b1f');
export const userId = id('person', 'user_2c9a');

const NAME_ERROR = 'must be a text of 1 to 64 characters on one line, without spaces at its ends';

/** A name for people to read: of a team, a key. No control characters: it is shown in terminals and pages. */
export const displayName = z
  .string({ error: NAME_ERROR })
  .min(1, { error: NAME_ERROR })
  .max(64, { error: NAME_ERROR })
  // Not a pattern of the schema: many tools that read OpenAPI know no Unicode properties.
  .refine((text) => /^[^\s\p{C}]([^\p{C}\p{Zl}\p{Zp}]*[^\s\p{C}])?$/u.test(text), { error: NAME_ERROR });

export const email = z.string().meta({ format: 'email', examples: ['ada@example.org'] });
export const personName = z.string().meta({ examples: ['Ada'] });

const EMAIL_ERROR = 'must be an e-mail address';

/** Any text: what cannot be an id is the id of nothing. */
export const pathId = z.string();
export const teamParams = z.object({ teamId: pathId.meta({ description: 'Id of a team.' }) });
export const memberParams = teamParams.extend({ userId: pathId.meta({ description: 'Id of a person.' }) });

/** `POST /account/teams`, `PATCH /account/teams/{teamId}`. */
export const teamBody = z
  .strictObject({ name: displayName.meta({ description: 'Unique in the service.' }) })
  .meta({ id: 'TeamWrite', description: 'The name of a team.', examples: [{ name: 'platform' }] });

export const team = z
  .object({ id: teamId, name: z.string(), role, createdAt: moment })
  .meta({ id: 'Team', description: 'A team, with the role of whoever asks.' });

export const teamList = z.object({ teams: z.array(team) }).meta({ id: 'TeamList' });

/** `POST /account/teams/{teamId}/members`. */
export const memberBody = z
  .strictObject({
    userId: userId.optional().meta({ description: 'Either this or `email`.' }),
    email: z
      .email({ error: EMAIL_ERROR })
      .max(254, { error: EMAIL_ERROR })
      .optional()
      .meta({ description: 'Either this or `userId`. Capitals do not matter.' }),
    role: role.default('member'),
  })
  .meta({
    id: 'MemberAdd',
    description: 'A person to be added to the team.',
    examples: [{ email: 'ada@example.org', role: 'member' }],
  });

/** `PATCH /account/teams/{teamId}/members/{userId}`. */
export const memberChangeBody = z
  .strictObject({ role })
  .meta({ id: 'MemberChange', description: 'The new role of a member.', examples: [{ role: 'owner' }] });

export const member = z
  .object({ userId, email, name: personName, role, createdAt: moment.meta({ description: 'Since when.' }) })
  .meta({ id: 'Member', description: 'A person in a team.' });

export const memberList = z.object({ members: z.array(member) }).meta({ id: 'MemberList' });

export const accountChange = z
  .object({
    id: z.string(),
    at: moment,
    keyId: z.string().nullable().meta({ description: 'The key that did it; null: the command line.' }),
    action: z.string().meta({ examples: ['key.mint', 'member.remove'] }),
    subject: z.string().meta({ description: 'Id of the team, person or key that was changed.' }),
    before: z.unknown(),
    after: z.unknown(),
    requestId: z.string(),
  })
  .meta({ id: 'AccountChange', description: 'One entry of the history of a team. Never holds a secret.' });

export const accountChangeList = z.object({ changes: z.array(accountChange), next }).meta({ id: 'AccountChangeList' });

export type Team = z.infer<typeof team>;
export type Member = z.infer<typeof member>;

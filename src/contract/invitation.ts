// The contract of invitations, as the members of the team and as the invited person see them.
import { z } from 'zod';
import { email, pathId, role, teamId, teamName, teamParams } from './people.ts';
import { moment } from './shared.ts';

const EMAIL_ERROR = 'must be an e-mail address';

const invitationId = z
  .string()
  .min(1)
  .max(64)
  .meta({ description: 'The id of the invitation.', examples: ['inv_5e07c1a9d2b4'] });
const pathInvitationId = pathId.meta({ description: 'The id of the invitation.' });

export const invitationParams = z.object({ invitationId: pathInvitationId });
export const teamInvitationParams = teamParams.extend({ invitationId: pathInvitationId });

/** `POST /account/teams/{teamId}/members`. */
export const inviteBody = z
  .strictObject({
    email: z.email({ error: EMAIL_ERROR }).max(254, { error: EMAIL_ERROR }).meta({
      description:
        'The e-mail address of the person. Upper and lower case are equal. The person need not have signed in before.',
    }),
    role: role.default('member'),
  })
  .meta({
    id: 'MemberInvite',
    description: 'An invitation to a team. The person becomes a member by accepting it.',
    examples: [{ email: 'ada@example.org', role: 'member' }],
  });

const invitationFields = {
  id: invitationId,
  role,
  invitedBy: email.meta({ description: 'The e-mail address of the owner who sent the invitation.' }),
  createdAt: moment.meta({ description: 'The time at which the invitation was sent.' }),
  expiresAt: moment.meta({ description: 'The time at which the invitation expires: 30 days after it was sent.' }),
};

export const teamInvitation = z
  .object({ ...invitationFields, email })
  .meta({ id: 'TeamInvitation', description: 'An open invitation to a team, as the team sees it.' });

export const teamInvitationList = z
  .object({ invitations: z.array(teamInvitation).meta({ description: 'The invitations, sorted by e-mail address.' }) })
  .meta({ id: 'TeamInvitationList', description: 'The open invitations of a team.' });

export const invitation = z
  .object({
    ...invitationFields,
    team: z.object({ id: teamId, name: teamName }).meta({ description: 'The team that the person is invited to.' }),
  })
  .meta({ id: 'Invitation', description: 'An open invitation, as the invited person sees it.' });

export const invitationList = z
  .object({ invitations: z.array(invitation).meta({ description: 'The invitations, newest first.' }) })
  .meta({ id: 'InvitationList', description: 'The open invitations of the person that the key belongs to.' });

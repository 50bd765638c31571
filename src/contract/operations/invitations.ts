// The REST API of invitations: those of a team for its members, and those to a person.
import { z } from 'zod';
import {
  invitationList,
  invitationParams,
  inviteBody,
  teamInvitation,
  teamInvitationList,
  teamInvitationParams,
} from '../invitation.ts';
import { operation } from '../operation.ts';
import { team, teamParams } from '../people.ts';

const WRITE_ERRORS = ['bad_request', 'forbidden', 'not_found', 'conflict', 'rate_limited', 'busy'] as const;

export const inviteMember = operation({
  id: 'inviteMember',
  method: 'POST',
  path: '/v1/account/teams/{teamId}/members',
  tag: 'account',
  summary: 'Invite a person to a team',
  description:
    'The service sends no e-mail: the person sees the invitation after signing in. The answer does not reveal whether a person with this address exists.',
  needs: 'owner',
  counts: 'account',
  params: teamParams,
  body: inviteBody,
  answers: { 201: teamInvitation },
  errors: WRITE_ERRORS,
});

export const listTeamInvitations = operation({
  id: 'listTeamInvitations',
  method: 'GET',
  path: '/v1/account/teams/{teamId}/invitations',
  tag: 'account',
  summary: 'List the open invitations of a team',
  description: 'Accepted, declined, revoked and expired invitations are not listed.',
  needs: 'member',
  params: teamParams,
  answers: { 200: teamInvitationList },
  errors: ['bad_request', 'forbidden', 'not_found'],
});

export const revokeInvitation = operation({
  id: 'revokeInvitation',
  method: 'DELETE',
  path: '/v1/account/teams/{teamId}/invitations/{invitationId}',
  tag: 'account',
  summary: 'Revoke an invitation',
  description: 'The invited person can no longer accept it.',
  needs: 'owner',
  counts: 'account',
  params: teamInvitationParams,
  answers: { 204: z.null() },
  errors: ['bad_request', 'forbidden', 'not_found', 'rate_limited', 'busy'],
});

export const listInvitations = operation({
  id: 'listInvitations',
  method: 'GET',
  path: '/v1/account/invitations',
  tag: 'account',
  summary: 'List your open invitations',
  description: 'Lists the invitations to the e-mail address of the person that the key belongs to.',
  needs: 'person',
  answers: { 200: invitationList },
  errors: ['forbidden'],
});

export const acceptInvitation = operation({
  id: 'acceptInvitation',
  method: 'POST',
  path: '/v1/account/invitations/{invitationId}/accept',
  tag: 'account',
  summary: 'Accept an invitation',
  description: 'You become a member of the team, with the role that the invitation names.',
  needs: 'person',
  counts: 'account',
  params: invitationParams,
  answers: { 200: team },
  errors: WRITE_ERRORS,
});

export const declineInvitation = operation({
  id: 'declineInvitation',
  method: 'POST',
  path: '/v1/account/invitations/{invitationId}/decline',
  tag: 'account',
  summary: 'Decline an invitation',
  description: 'The invitation is removed. An owner of the team can invite you again.',
  needs: 'person',
  counts: 'account',
  params: invitationParams,
  answers: { 204: z.null() },
  errors: ['bad_request', 'forbidden', 'not_found', 'rate_limited', 'busy'],
});

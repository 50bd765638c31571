// The REST API of teams and their members.
import { z } from 'zod';
import { operation } from '../operation.ts';
import {
  accountChangeList,
  member,
  memberChangeBody,
  memberList,
  memberParams,
  memberRemoval,
  team,
  teamBody,
  teamDetail,
  teamList,
  teamParams,
} from '../people.ts';
import { pageQuery } from '../shared.ts';

const MEMBER_CHANGE_ERRORS = ['bad_request', 'forbidden', 'not_found', 'conflict', 'rate_limited', 'busy'] as const;

export const listTeams = operation({
  id: 'listTeams',
  method: 'GET',
  path: '/v1/account/teams',
  tag: 'account',
  summary: 'List your teams',
  description: 'Lists the teams that the person is a member of, with the role in each.',
  needs: 'person',
  answers: { 200: teamList },
  errors: ['forbidden'],
});

export const createTeam = operation({
  id: 'createTeam',
  method: 'POST',
  path: '/v1/account/teams',
  tag: 'account',
  summary: 'Create a team',
  description: 'You become the first owner of the team.',
  needs: 'person',
  counts: 'account',
  body: teamBody,
  answers: { 201: team },
  errors: ['bad_request', 'forbidden', 'conflict', 'rate_limited', 'busy'],
});

export const getTeam = operation({
  id: 'getTeam',
  method: 'GET',
  path: '/v1/account/teams/{teamId}',
  tag: 'account',
  summary: 'Get a team and its quota',
  description: 'The answer includes the role that you have in the team.',
  needs: 'member',
  params: teamParams,
  answers: { 200: teamDetail },
  errors: ['bad_request', 'forbidden', 'not_found'],
});

export const renameTeam = operation({
  id: 'renameTeam',
  method: 'PATCH',
  path: '/v1/account/teams/{teamId}',
  tag: 'account',
  summary: 'Rename a team',
  description: 'The new name must be unique in the service.',
  needs: 'owner',
  counts: 'account',
  params: teamParams,
  body: teamBody,
  answers: { 200: team },
  errors: ['bad_request', 'forbidden', 'not_found', 'conflict', 'rate_limited', 'busy'],
});

export const listTeamChanges = operation({
  id: 'listTeamChanges',
  method: 'GET',
  path: '/v1/account/teams/{teamId}/changes',
  tag: 'account',
  summary: 'List the changes of a team, newest first',
  description:
    'The history covers the team, its members, invitations and app keys. If `limit` is omitted, a page has 100 changes.',
  needs: 'member',
  params: teamParams,
  query: pageQuery,
  answers: { 200: accountChangeList },
  errors: ['bad_request', 'forbidden', 'not_found'],
});

export const listMembers = operation({
  id: 'listMembers',
  method: 'GET',
  path: '/v1/account/teams/{teamId}/members',
  tag: 'account',
  summary: 'List the members of a team',
  description: 'Each member is listed with the role and the number of valid app keys that the member created.',
  needs: 'member',
  params: teamParams,
  answers: { 200: memberList },
  errors: ['bad_request', 'forbidden', 'not_found'],
});

export const updateMember = operation({
  id: 'updateMember',
  method: 'PATCH',
  path: '/v1/account/teams/{teamId}/members/{userId}',
  tag: 'account',
  summary: 'Change the role of a member',
  description: 'A team must keep at least one owner.',
  needs: 'owner',
  counts: 'account',
  params: memberParams,
  body: memberChangeBody,
  answers: { 200: member },
  errors: MEMBER_CHANGE_ERRORS,
});

export const removeMember = operation({
  id: 'removeMember',
  method: 'DELETE',
  path: '/v1/account/teams/{teamId}/members/{userId}',
  tag: 'account',
  summary: 'Remove a member from a team, or leave it',
  description: 'Owners can remove every member. Members can remove themselves. A team must keep at least one owner.',
  needs: 'owner',
  counts: 'account',
  params: memberParams,
  query: memberRemoval,
  answers: { 204: z.null() },
  errors: MEMBER_CHANGE_ERRORS,
});

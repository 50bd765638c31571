// The REST API of the trusts of a team.
import { z } from 'zod';
import { operation } from '../operation.ts';
import { teamParams } from '../people.ts';
import {
  acceptBody,
  trust,
  trustBody,
  trustChangeBody,
  trustList,
  trustParams,
  trustSubjects,
  trustTest,
  trustTestBody,
} from '../trust.ts';

const READ_ERRORS = ['bad_request', 'forbidden', 'not_found'] as const;
const CHANGE_ERRORS = ['bad_request', 'forbidden', 'not_found', 'no_zone', 'conflict', 'rate_limited', 'busy'] as const;

export const listTrusts = operation({
  id: 'listTrusts',
  method: 'GET',
  path: '/v1/account/teams/{teamId}/trusts',
  tag: 'account',
  summary: 'List the trusts of a team',
  description: 'The list includes revoked and expired trusts.',
  needs: 'member',
  params: teamParams,
  answers: { 200: trustList },
  errors: READ_ERRORS,
});

export const createTrust = operation({
  id: 'createTrust',
  method: 'POST',
  path: '/v1/account/teams/{teamId}/trusts',
  tag: 'account',
  summary: 'Create a trust',
  description:
    'Tokens of the issuer with the claims in `match` are accepted in the place of an app key. A trust that would open names to every holder of a token of the issuer is refused. A trust counts as one key in the quota.',
  needs: 'member',
  counts: 'account',
  params: teamParams,
  body: trustBody,
  answers: { 201: trust },
  errors: CHANGE_ERRORS,
});

export const testTrusts = operation({
  id: 'testTrusts',
  method: 'POST',
  path: '/v1/account/teams/{teamId}/trusts/test',
  tag: 'account',
  summary: 'Test a token',
  description: 'Says which trust of the team accepts the token, and for each other trust why not. Nothing is stored.',
  changesNothing: true,
  needs: 'member',
  params: teamParams,
  body: trustTestBody,
  answers: { 200: trustTest },
  errors: READ_ERRORS,
});

export const getTrust = operation({
  id: 'getTrust',
  method: 'GET',
  path: '/v1/account/teams/{teamId}/trusts/{trustId}',
  tag: 'account',
  summary: 'Get a trust',
  description: 'The answer contains the terms of the trust, and how many subjects have used it.',
  needs: 'member',
  params: trustParams,
  answers: { 200: trust },
  errors: READ_ERRORS,
});

export const updateTrust = operation({
  id: 'updateTrust',
  method: 'PATCH',
  path: '/v1/account/teams/{teamId}/trusts/{trustId}',
  tag: 'account',
  summary: 'Change a trust',
  description:
    'Changes the claims, permissions, restrictions, keys or expiry of a trust, from the next request on. An omitted field keeps its value. The issuer cannot change.',
  needs: 'member',
  counts: 'account',
  params: trustParams,
  body: trustChangeBody,
  answers: { 200: trust },
  errors: CHANGE_ERRORS,
});

export const revokeTrust = operation({
  id: 'revokeTrust',
  method: 'DELETE',
  path: '/v1/account/teams/{teamId}/trusts/{trustId}',
  tag: 'account',
  summary: 'Revoke a trust permanently',
  description: 'Its tokens are refused at once. A revoked trust cannot be restored.',
  needs: 'member',
  counts: 'account',
  params: trustParams,
  answers: { 204: z.null() },
  errors: ['bad_request', 'forbidden', 'not_found', 'rate_limited', 'busy'],
});

export const listTrustSubjects = operation({
  id: 'listTrustSubjects',
  method: 'GET',
  path: '/v1/account/teams/{teamId}/trusts/{trustId}/subjects',
  tag: 'account',
  summary: 'List the subjects of a trust',
  description: 'The holders of tokens that have used the trust, with the last use of each.',
  needs: 'member',
  params: trustParams,
  answers: { 200: trustSubjects },
  errors: READ_ERRORS,
});

export const acceptTrustSubject = operation({
  id: 'acceptTrustSubject',
  method: 'POST',
  path: '/v1/account/teams/{teamId}/trusts/{trustId}/subjects/accept',
  tag: 'account',
  summary: 'Accept a service account that was created again',
  description:
    'A trust that pins its subjects refuses the tokens of a service account with another UID than at its first request. This operation replaces the UID.',
  needs: 'member',
  counts: 'account',
  params: trustParams,
  body: acceptBody,
  answers: { 204: z.null() },
  errors: ['bad_request', 'forbidden', 'not_found', 'conflict', 'rate_limited', 'busy'],
});

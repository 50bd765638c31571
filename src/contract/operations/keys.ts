// The REST API of the app keys of a team.
import { z } from 'zod';
import { appKey, appKeyList, appKeyMinted, keyBody, keyChangeBody, keyParams } from '../app-key.ts';
import { operation } from '../operation.ts';
import { teamParams } from '../people.ts';

const READ_ERRORS = ['bad_request', 'forbidden', 'not_found'] as const;

export const listAppKeys = operation({
  id: 'listAppKeys',
  method: 'GET',
  path: '/v1/account/teams/{teamId}/keys',
  tag: 'account',
  summary: 'List the app keys of a team',
  description: 'The list includes revoked and expired keys. It never contains a secret.',
  needs: 'member',
  params: teamParams,
  answers: { 200: appKeyList },
  errors: READ_ERRORS,
});

export const createAppKey = operation({
  id: 'createAppKey',
  method: 'POST',
  path: '/v1/account/teams/{teamId}/keys',
  tag: 'account',
  summary: 'Create an app key',
  description: 'The answer contains the secret of the key. It cannot be read again later.',
  needs: 'member',
  counts: 'account',
  params: teamParams,
  body: keyBody,
  answers: { 201: appKeyMinted },
  errors: ['bad_request', 'forbidden', 'not_found', 'no_zone', 'rate_limited', 'busy'],
  secret: true,
});

export const getAppKey = operation({
  id: 'getAppKey',
  method: 'GET',
  path: '/v1/account/teams/{teamId}/keys/{keyId}',
  tag: 'account',
  summary: 'Get an app key',
  description: 'The answer does not contain the secret of the key.',
  needs: 'member',
  params: keyParams,
  answers: { 200: appKey },
  errors: READ_ERRORS,
});

export const updateAppKey = operation({
  id: 'updateAppKey',
  method: 'PATCH',
  path: '/v1/account/teams/{teamId}/keys/{keyId}',
  tag: 'account',
  summary: 'Change an app key',
  description: 'Changes the name, permissions, restrictions or expiry of a key. An omitted field keeps its value.',
  needs: 'member',
  counts: 'account',
  params: keyParams,
  body: keyChangeBody,
  answers: { 200: appKey },
  errors: ['bad_request', 'forbidden', 'not_found', 'no_zone', 'conflict', 'rate_limited', 'busy'],
});

export const revokeAppKey = operation({
  id: 'revokeAppKey',
  method: 'DELETE',
  path: '/v1/account/teams/{teamId}/keys/{keyId}',
  tag: 'account',
  summary: 'Revoke an app key permanently',
  description: 'The key stops working at once. A revoked key cannot be restored.',
  needs: 'member',
  counts: 'account',
  params: keyParams,
  answers: { 204: z.null() },
  errors: ['bad_request', 'forbidden', 'not_found', 'rate_limited', 'busy'],
});

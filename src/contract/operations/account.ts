// The operation that shows the holder of the key.
import { account } from '../account.ts';
import { operation } from '../operation.ts';
import { accountUsage } from '../usage.ts';

export const getAccount = operation({
  id: 'getAccount',
  method: 'GET',
  path: '/v1/account',
  tag: 'account',
  summary: 'Get the account of the API key',
  description: 'Shows the key of the request, its permissions, and the team or the person that it belongs to.',
  answers: { 200: account },
  errors: [],
});

export const getUsage = operation({
  id: 'getUsage',
  method: 'GET',
  path: '/v1/account/usage',
  tag: 'account',
  summary: 'Get the usage of the account',
  description:
    'Shows what the team of the key, or the person and the teams of a personal key, use: zones, records, history and deleted zones, next to the limits, and the writes of the key in the last minute.',
  answers: { 200: accountUsage },
  errors: [],
});

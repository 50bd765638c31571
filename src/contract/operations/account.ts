// The operation that shows the holder of the key.
import { account } from '../account.ts';
import { operation } from '../operation.ts';

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

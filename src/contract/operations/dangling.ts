// The REST API of dangling names.
import { danglingList, danglingQuery } from '../dangling.ts';
import { operation } from '../operation.ts';

export const listDanglingNames = operation({
  id: 'listDanglingNames',
  method: 'GET',
  path: '/v1/dns/dangling-names',
  tag: 'records',
  summary: 'List the records whose target does not exist',
  description:
    'Lists CNAME, MX, NS, SRV and ALIAS records whose target does not exist, by three lookups in a row with an hour between them. A person who can create the name takes over the name of the record. The service looks up each target once a day, and changes no answer.',
  needs: 'records:read',
  query: danglingQuery,
  answers: { 200: danglingList },
  errors: ['bad_request', 'forbidden', 'no_zone'],
});

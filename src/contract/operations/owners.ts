// The REST API of the owners of records.
import { RECORD_CHANGE_ERRORS } from '../error.ts';
import { operation } from '../operation.ts';
import { applyAnswer, applyBody, applyEnvelope, ownerList, ownerListQuery } from '../owners.ts';
import { zoneParams } from '../zone.ts';

export const applyRecords = operation({
  id: 'applyRecords',
  method: 'POST',
  path: '/v1/dns/zones/{id}/records:apply',
  tag: 'records',
  summary: 'Apply the records of owners',
  description:
    "Each set says which records at a name and type are an owner's, and the service makes it so in one transaction. A set that is as it should be changes nothing, and costs no serial and no history. Each set that writes something or is refused counts as one record write, and a request at most as half of the limit of the key. If the write limit does not allow that now, the whole request is answered 429 and nothing is written.",
  needs: 'records:write',
  counts: { bucket: 'records', changes: 'operation' },
  params: zoneParams,
  body: applyBody,
  envelope: applyEnvelope,
  answers: { 200: applyAnswer },
  errors: RECORD_CHANGE_ERRORS,
});

export const listOwners = operation({
  id: 'listOwners',
  method: 'GET',
  path: '/v1/dns/zones/{id}/owners',
  tag: 'records',
  summary: 'List the owners in a zone and what they own',
  description:
    'A key that is restricted to some names or types sees only the sets that it may write. A page has fewer items than `limit`, and has `next`, if their contents reach 1 MiB.',
  needs: 'records:read',
  params: zoneParams,
  query: ownerListQuery,
  answers: { 200: ownerList },
  errors: ['bad_request', 'forbidden', 'no_zone'],
});

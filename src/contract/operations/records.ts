// The REST API of records.
import { z } from 'zod';
import { countChallenges } from '#dns/names/certified.ts';
import { batchAnswer, batchBody, batchEnvelope, countBatchChallenges, sizeOfBatch } from '../batch.ts';
import { RECORD_CHANGE_ERRORS } from '../error.ts';
import { operation } from '../operation.ts';
import { record, recordBody, recordList, recordListQuery, recordParams, recordReplaceBody } from '../record.ts';
import { zoneParams } from '../zone.ts';

export const listRecords = operation({
  id: 'listRecords',
  method: 'GET',
  path: '/v1/dns/zones/{id}/records',
  tag: 'records',
  summary: 'List the records of a zone',
  description:
    'Without `limit`, the list is complete and shows the zone at one point in time. A long list is sent in chunks, without Content-Length. The service closes the connection of a client that reads nothing for 10 seconds, or less than 64 KiB a second. With `limit`, a page has fewer records, and has `next`, if their contents reach 1 MiB.',
  needs: 'records:read',
  params: zoneParams,
  query: recordListQuery,
  answers: { 200: recordList },
  errors: ['bad_request', 'forbidden', 'no_zone', 'precondition_failed', 'busy'],
  tagged: true,
});

export const getRecord = operation({
  id: 'getRecord',
  method: 'GET',
  path: '/v1/dns/zones/{id}/records/{recordId}',
  tag: 'records',
  summary: 'Get a record',
  description: 'Send the header ETag of the answer as If-Match of a change of this record.',
  needs: 'records:read',
  params: recordParams,
  answers: { 200: record },
  errors: ['bad_request', 'forbidden', 'no_zone', 'not_found', 'precondition_failed'],
  tagged: true,
});

export const createRecord = operation({
  id: 'createRecord',
  method: 'POST',
  path: '/v1/dns/zones/{id}/records',
  tag: 'records',
  summary: 'Create a record',
  description: 'When the answer arrives, the name servers answer with the new record.',
  needs: 'records:write',
  counts: { bucket: 'records', changes: () => 1, challenges: (body) => countChallenges([body]) },
  params: zoneParams,
  body: recordBody,
  answers: { 201: record },
  errors: RECORD_CHANGE_ERRORS,
  tagged: true,
});

export const replaceRecord = operation({
  id: 'replaceRecord',
  method: 'PUT',
  path: '/v1/dns/zones/{id}/records/{recordId}',
  tag: 'records',
  summary: 'Replace the content, TTL, priority and comment of a record',
  description:
    'The name and type of a record cannot change. You may send the complete record as you read it, with its id. With If-Match, a record that changed since you read it stays as it is: the answer is 412. A new comment alone changes neither DNS nor the serial. If the record has owners, which may revert the change, the header Zonestead-Owners and the field `owners` name them.',
  needs: 'records:write',
  counts: 'records',
  params: recordParams,
  body: recordReplaceBody,
  answers: { 200: record },
  errors: RECORD_CHANGE_ERRORS,
  tagged: true,
});

export const deleteRecord = operation({
  id: 'deleteRecord',
  method: 'DELETE',
  path: '/v1/dns/zones/{id}/records/{recordId}',
  tag: 'records',
  summary: 'Delete a record',
  description:
    'When the answer arrives, the name servers no longer answer with the record. If the record had owners, which may create it again, the header Zonestead-Owners names them.',
  needs: 'records:write',
  counts: 'records',
  params: recordParams,
  answers: { 204: z.null() },
  errors: RECORD_CHANGE_ERRORS,
});

export const applyBatch = operation({
  id: 'applyBatch',
  method: 'POST',
  path: '/v1/dns/zones/{id}/records:batch',
  tag: 'records',
  summary: 'Create, update and delete many records',
  description:
    'The changes are made in one transaction and get one serial. If `atomic` is true, all changes are made or none. If it is false, the answer is 200 and each result has a status of its own. Each change counts as one record write, and a batch at most as half of the limit of the key. If the write limit does not allow that now, the whole batch is answered 429 and nothing is written. The header If-Match is a condition of the whole batch: it takes the ETag of the records of the zone, as a list or a zone file has it. `ifMatch` is a condition of one change. If records have owners, which may revert the change, the header Zonestead-Owners and the field `owners` name them.',
  needs: 'records:write',
  counts: { bucket: 'records', changes: sizeOfBatch, challenges: countBatchChallenges },
  params: zoneParams,
  body: batchBody,
  envelope: batchEnvelope,
  answers: { 200: batchAnswer },
  errors: ['not_found', ...RECORD_CHANGE_ERRORS],
});

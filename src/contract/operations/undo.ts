// The REST API of undo and restore.
import { RECORD_CHANGE_ERRORS } from '../error.ts';
import { operation } from '../operation.ts';
import { deletedZoneList, restoreBody, undoAnswer, undoBody, zoneRestoreBody, zoneRestorePreview } from '../undo.ts';
import { zoneCreated, zoneParams } from '../zone.ts';

/** The answer to a preview has an ETag, so that the change can be bound to the state that the preview showed. */
const BOUND =
  ' Send the header ETag of a preview as If-Match: the change is then only made if the records of the zone are as the preview showed them.';

export const undoChanges = operation({
  id: 'undoChanges',
  method: 'POST',
  path: '/v1/dns/zones/{id}/changes:undo',
  tag: 'zones',
  summary: 'Undo changes of records',
  description:
    'The records at the names and types of the changes become as they were before the oldest of them, all or none, with one serial. A later change of the same records prevents that, unless the request undoes it as well. Records of an owner are not changed: a conflict says what to change in Kubernetes. The undo is a change like any other, which can be undone too. A key needs the right to write each record. Each name and type that changes counts as one record write, up to half of the limit of the key; `cost` of a preview says how many.' +
    BOUND,
  needs: 'records:write',
  counts: { bucket: 'records', changes: 'operation' },
  params: zoneParams,
  body: undoBody,
  answers: { 200: undoAnswer },
  errors: ['not_found', ...RECORD_CHANGE_ERRORS],
  tagged: true,
});

export const restoreRecords = operation({
  id: 'restoreRecords',
  method: 'POST',
  path: '/v1/dns/zones/{id}:restore',
  tag: 'zones',
  summary: 'Restore the records of a zone as they were at a time',
  description:
    'All records that changed since then become as they were, all or none, with one serial; comments too. The zone itself stays as it is: its default TTL, its comment, and whether it is parked. Records of an owner stay as they are too: `owned` says what to change in Kubernetes, except for ACME challenges, which come and go. A record that cannot exist next to such a record is a conflict. The history must reach back to that time. A key that is restricted to some names or types may not restore a zone. Each record that changes counts as one record write, up to half of the limit of the key, and a preview as one; `cost` of a preview says how many.' +
    BOUND,
  needs: 'records:write',
  counts: { bucket: 'records', changes: 'operation' },
  params: zoneParams,
  body: restoreBody,
  answers: { 200: undoAnswer },
  errors: ['not_found', ...RECORD_CHANGE_ERRORS],
  tagged: true,
});

export const listDeletedZones = operation({
  id: 'listDeletedZones',
  method: 'GET',
  path: '/v1/dns/zones:deleted',
  tag: 'zones',
  summary: 'List the deleted zones that can be restored',
  description:
    'The deleted zones of the owners that the key acts for, with the time until which each can be restored. A key with rights on single zones only gets an empty list.',
  answers: { 200: deletedZoneList },
  errors: [],
});

export const restoreZone = operation({
  id: 'restoreZone',
  method: 'POST',
  path: '/v1/dns/zones:restore',
  tag: 'zones',
  summary: 'Restore a deleted zone',
  description:
    'The zone comes back with its id, its records, their owners and comments, its DNSSEC key, the permissions of keys that name it, and the choice of secondaries. So the DS records at the parent zone stay right. A zone can be restored until the quarantine of its name ends. With `dryRun`, the answer is a preview and has status 200. A restore counts as one zone write, and one more for each 1,000 records, up to half of the limit of the key.',
  needs: 'manageZones:write',
  counts: { bucket: 'zones', changes: 'operation' },
  body: zoneRestoreBody,
  answers: { 200: zoneRestorePreview, 201: zoneCreated },
  errors: ['bad_request', 'forbidden', 'not_found', 'conflict', 'rate_limited', 'busy'],
});

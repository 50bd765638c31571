// The REST API of zones.
import { z } from 'zod';
import { changeList, changeListQuery } from '../change.ts';
import { zoneNodes, zoneNodesQuery } from '../feed.ts';
import { operation } from '../operation.ts';
import {
  dsList,
  zone,
  zoneChangeBody,
  zoneCreateBody,
  zoneCreated,
  zoneList,
  zoneListQuery,
  zoneParams,
} from '../zone.ts';

export const listZones = operation({
  id: 'listZones',
  method: 'GET',
  path: '/v1/dns/zones',
  tag: 'zones',
  summary: 'List zones, or find the zone that encloses a name',
  description: 'Lists the zones that the key may see. With `suffix_of`, the answer is a single zone.',
  query: zoneListQuery,
  answers: { 200: z.union([zone, zoneList]) },
  errors: ['bad_request', 'not_found', 'busy'],
});

export const createZone = operation({
  id: 'createZone',
  method: 'POST',
  path: '/v1/dns/zones',
  tag: 'zones',
  summary: 'Create a zone',
  description:
    'When the answer arrives, the name servers answer for the zone. The answer names the name servers and the DS records for the parent zone.',
  needs: 'manageZones:write',
  counts: 'zones',
  body: zoneCreateBody,
  answers: { 200: zoneCreated },
  errors: ['bad_request', 'forbidden', 'conflict', 'rate_limited', 'busy'],
  tagged: true,
});

export const getZone = operation({
  id: 'getZone',
  method: 'GET',
  path: '/v1/dns/zones/{id}',
  tag: 'zones',
  summary: 'Get a zone',
  description:
    'The answer contains the name servers, the DS records for the parent zone, and in `status` whether a step of the delegation is missing.',
  params: zoneParams,
  answers: { 200: zone },
  errors: ['not_found', 'precondition_failed'],
  tagged: true,
});

export const updateZone = operation({
  id: 'updateZone',
  method: 'PATCH',
  path: '/v1/dns/zones/{id}',
  tag: 'zones',
  summary: 'Change the default TTL, the denial of names or the comment of a zone',
  description:
    'A new default TTL applies to all records that have no TTL of their own. With a new denial, the name servers sign the zone again. A new comment alone changes neither DNS nor the serial.',
  needs: 'manageZones:write',
  counts: 'zones',
  params: zoneParams,
  body: zoneChangeBody,
  answers: { 200: zone },
  errors: ['bad_request', 'forbidden', 'no_zone', 'precondition_failed', 'rate_limited', 'busy'],
  tagged: true,
});

export const deleteZone = operation({
  id: 'deleteZone',
  method: 'DELETE',
  path: '/v1/dns/zones/{id}',
  tag: 'zones',
  summary: 'Delete a zone with all its records',
  description:
    'For some days, the name of the zone is reserved for its former owner, who can restore the zone with its records and its DNSSEC key.',
  needs: 'manageZones:write',
  counts: 'zones',
  params: zoneParams,
  answers: { 204: z.null() },
  errors: ['forbidden', 'no_zone', 'precondition_failed', 'rate_limited', 'busy'],
});

export const parkZone = operation({
  id: 'parkZone',
  method: 'POST',
  path: '/v1/dns/zones/{id}/park',
  tag: 'zones',
  summary: 'Suspend the resolution of a zone',
  description: 'Only the apex of a parked zone answers queries. Its records and its DNSSEC keys are kept.',
  needs: 'manageZones:write',
  counts: 'zones',
  params: zoneParams,
  answers: { 200: zone },
  errors: ['forbidden', 'no_zone', 'precondition_failed', 'rate_limited', 'busy'],
  tagged: true,
});

export const unparkZone = operation({
  id: 'unparkZone',
  method: 'POST',
  path: '/v1/dns/zones/{id}/unpark',
  tag: 'zones',
  summary: 'Restore the resolution of a parked zone',
  description: 'The name servers answer with all records of the zone again.',
  needs: 'manageZones:write',
  counts: 'zones',
  params: zoneParams,
  answers: { 200: zone },
  errors: ['forbidden', 'no_zone', 'precondition_failed', 'rate_limited', 'busy'],
  tagged: true,
});

export const listDsRecords = operation({
  id: 'listDsRecords',
  method: 'GET',
  path: '/v1/dns/zones/{id}/ds',
  tag: 'zones',
  summary: 'List the DS records of a zone',
  description: 'Give these records to the operator of the parent zone, usually your registrar.',
  params: zoneParams,
  answers: { 200: dsList },
  errors: ['no_zone'],
});

export const listZoneChanges = operation({
  id: 'listZoneChanges',
  method: 'GET',
  path: '/v1/dns/zones/{id}/changes',
  tag: 'zones',
  summary: 'List the changes of a zone, newest first',
  description:
    'A key without permission on the records sees the changes of the zone itself only. A page has fewer changes than `limit`, and has `next`, if its changes reach 1 MiB.',
  params: zoneParams,
  query: changeListQuery,
  answers: { 200: changeList },
  errors: ['bad_request', 'forbidden', 'no_zone'],
});

export const listZoneNodes = operation({
  id: 'listZoneNodes',
  method: 'GET',
  path: '/v1/dns/zones/{id}/nodes',
  tag: 'zones',
  summary: 'List the name servers that follow the service, and whether each has the zone as it is now',
  description:
    'The list has the name servers that reported within the last 30 seconds. Two with one name are two entries. `secondaries` has the third-party servers that get the zone by zone transfer.',
  params: zoneParams,
  query: zoneNodesQuery,
  answers: { 200: zoneNodes },
  errors: ['bad_request', 'no_zone'],
});

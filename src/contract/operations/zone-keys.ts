// The REST API of the DNSSEC keys of zones.
import { operation } from '../operation.ts';
import { zoneParams } from '../zone.ts';
import { dsConfirmBody, keyRollBody, zoneKeys } from '../zone-keys.ts';

export const getZoneKeys = operation({
  id: 'getZoneKeys',
  method: 'GET',
  path: '/v1/dns/zones/{id}/keys',
  tag: 'zones',
  summary: 'Get the DNSSEC keys of a zone',
  description:
    'Returns the keys and the key roll that is under way, with the server and the value that its step waits for.',
  params: zoneParams,
  answers: { 200: zoneKeys },
  errors: ['no_zone'],
});

const change = {
  tag: 'zones',
  needs: 'manageZones:write',
  counts: 'zones',
  params: zoneParams,
  answers: { 200: zoneKeys },
} as const;

export const beginKeyRoll = operation({
  ...change,
  id: 'beginKeyRoll',
  method: 'POST',
  path: '/v1/dns/zones/{id}/keys/roll',
  summary: 'Begin a key roll',
  description:
    'Makes a new key, which takes the place of the others in steps. Each step waits until all servers show the one before and resolvers have forgotten the data before it. A step that is not proven waits, and names the server and the value.',
  body: keyRollBody,
  errors: ['bad_request', 'forbidden', 'no_zone', 'conflict', 'precondition_failed', 'rate_limited', 'busy'],
});

export const cancelKeyRoll = operation({
  ...change,
  id: 'cancelKeyRoll',
  method: 'DELETE',
  path: '/v1/dns/zones/{id}/keys/roll',
  summary: 'Cancel a key roll',
  description:
    'The new key goes again. If the parent may have its DS records, it stays in the zone until the parent has none of them.',
  errors: ['forbidden', 'no_zone', 'conflict', 'rate_limited', 'busy'],
});

export const confirmKeyRollDs = operation({
  ...change,
  id: 'confirmKeyRollDs',
  method: 'POST',
  path: '/v1/dns/zones/{id}/keys/roll/confirm-ds',
  summary: 'Confirm the DS records at the parent',
  description:
    'Says that all name servers of the parent have the DS records that the key roll waits for. It counts only while the service cannot ask the parent itself, for instance in a network without the root.',
  body: dsConfirmBody,
  errors: ['bad_request', 'forbidden', 'no_zone', 'conflict', 'rate_limited', 'busy'],
});

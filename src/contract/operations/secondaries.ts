// The REST API of secondaries: those that are offered, and those that a zone has.
import { operation } from '../operation.ts';
import { offeredSecondaries, zoneSecondaries, zoneSecondariesBody } from '../secondary.ts';
import { zoneParams } from '../zone.ts';

export const listSecondaries = operation({
  id: 'listSecondaries',
  method: 'GET',
  path: '/v1/dns/secondaries',
  tag: 'zones',
  summary: 'List the secondaries that are offered to the teams of the key',
  description:
    'A secondary is a third-party name server that gets zones by zone transfer. The administrator of the service adds it and decides to whom it is offered.',
  answers: { 200: offeredSecondaries },
  errors: [],
});

export const listZoneSecondaries = operation({
  id: 'listZoneSecondaries',
  method: 'GET',
  path: '/v1/dns/zones/{id}/secondaries',
  tag: 'zones',
  summary: 'List the secondaries of a zone with their state',
  description:
    'The list has the secondaries that the owner of the zone chose, those that the administrator listed for it, and those that have all zones.',
  params: zoneParams,
  answers: { 200: zoneSecondaries },
  errors: ['no_zone'],
});

export const chooseZoneSecondaries = operation({
  id: 'chooseZoneSecondaries',
  method: 'PUT',
  path: '/v1/dns/zones/{id}/secondaries',
  tag: 'zones',
  summary: 'Choose the secondaries of a zone',
  description:
    'The list replaces the choice of the owner. Repeated calls have no further effect. A secondary that is no longer offered may stay chosen; once it is removed, it cannot be chosen again. The names of the secondaries join or leave the NS records of the zone.',
  needs: 'manageZones:write',
  counts: 'zones',
  params: zoneParams,
  body: zoneSecondariesBody,
  answers: { 200: zoneSecondaries },
  errors: ['bad_request', 'forbidden', 'no_zone', 'precondition_failed', 'rate_limited', 'busy'],
});

// The labels that begin names of some types: `_sip._tcp.www` of an SRV record.
import { expect, test } from 'vitest';
import { nameOfFields } from '#dns/types/owner-fields.ts';
import { TYPES } from '#dns/types/record-type.ts';

const labels = TYPES.SRV.ownerFields ?? [];

test.each([
  ['a host', 'sip', '_tcp', 'www', '_sip._tcp.www'],
  ['the zone itself', '_sip', 'udp', '@', '_sip._udp'],
  ['no service: the name has it', '', '_tcp', '_sip._tcp.www', '_sip._tcp.www'],
  ['labels that the name has already', '_sip', '_tcp', '_sip._tcp.www', '_sip._tcp.www'],
  ['labels that are the whole name', '_sip', '_tcp', '_sip._tcp', '_sip._tcp'],
  ['a name that begins with another service', '_sip', '_tcp', '_sips._tcp', '_sip._tcp._sips._tcp'],
  ['no name, which the service refuses', 'sip', '_tcp', '', ''],
])('the name of an SRV record has its service and protocol first: %s', (_what, service, protocol, name, whole) => {
  expect(nameOfFields(labels, { service, protocol }, name)).toBe(whole);
});

test('the name of a type without such labels is the typed one', () => {
  expect(nameOfFields(TYPES.A.ownerFields ?? [], { service: 'sip', protocol: '_tcp' }, 'www')).toBe('www');
});

test('SRV and URI have a service and TLSA has a port before the name, and other types have neither', () => {
  const parts = Object.entries(TYPES).flatMap(([type, { ownerFields }]) =>
    ownerFields === undefined ? [] : [[type, ...ownerFields.map(({ example }) => example)]],
  );
  expect(parts.sort()).toEqual([
    ['SRV', '_sip', '_tcp'],
    ['TLSA', '_443', '_tcp'],
    ['URI', '_sip', '_tcp'],
  ]);
});

// The descriptions of the types: the service accepts every example, at a name that the type may have.
import { expect, test } from 'vitest';
import { parseRecord } from '#dns/record.ts';
import { describeType } from '#dns/types/fields.ts';
import { REFUSED_TYPES } from '#dns/types/generic-type.ts';
import { isNamedType, RECORD_TYPES, SINGLE_TYPES, TYPES } from '#dns/types/record-type.ts';
import { ZONE } from './build.ts';

test.each([...RECORD_TYPES, 'TYPEn'] as const)('the service accepts the example of %s', (type) => {
  const name = ['SRV', 'TLSA'].includes(type) ? '_443._tcp' : 'name';
  const { example } = describeType(type);
  const parsed = parseRecord({ name, type: type === 'TYPEn' ? 'TYPE65280' : type, content: example }, ZONE);
  expect(parsed).toMatchObject({ ok: true });
});

test('the list of types is in alphabetical order', () => {
  expect(RECORD_TYPES.join(' ')).toBe(
    'A AAAA ALIAS CAA CERT CNAME DHCID DNAME DS HTTPS LOC MX NAPTR NS OPENPGPKEY PTR SMIMEA SRV SSHFP SVCB TLSA TXT URI',
  );
});

test('every type but ALIAS has a number of its own', () => {
  const numbers = RECORD_TYPES.filter((type) => type !== 'ALIAS').map((type) => TYPES[type].number);
  expect(new Set(numbers).size).toBe(RECORD_TYPES.length - 1);
  expect(numbers).not.toContain(null);
  expect(TYPES.ALIAS.number).toBeNull();
});

test('no type that the service has by name is refused by its number', () => {
  const numbers: ReadonlySet<number | null> = new Set(RECORD_TYPES.map((type) => TYPES[type].number));
  expect([...REFUSED_TYPES].filter(([number, name]) => numbers.has(number) || isNamedType(name))).toEqual([]);
});

test('a name has at most one ALIAS, CNAME or DNAME', () => {
  expect(SINGLE_TYPES).toEqual(['ALIAS', 'CNAME', 'DNAME']);
});

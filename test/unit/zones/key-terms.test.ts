// The terms of a key: what is asked for, brought to the form that is stored.
import { expect, test } from 'vitest';
import { judgeTerms, type KeyTerms, NO_TERMS, type TermsInput } from '../../../src/zones/key-terms.ts';

const now = new Date('2026-11-21T12:00:00Z');
const judge = (input: TermsInput, base: KeyTerms = NO_TERMS, anyLimits = false) =>
  judgeTerms(base, input, { now, anyLimits });
const value = (...parameters: Parameters<typeof judge>) => {
  const verdict = judge(...parameters);
  return verdict.ok ? verdict.value : verdict.problem;
};

test('a new key without a word about its rights has none', () => {
  expect(value({ name: 'x' })).toEqual({ ...NO_TERMS, name: 'x' });
});

test('what is left out stays, null takes a restriction away', () => {
  const base: KeyTerms = {
    name: 'old',
    records: 'write',
    manageZones: 'read',
    grants: [{ zoneId: 'zone_1', records: 'none' }],
    onlyNames: ['a'],
    onlyTypes: ['TXT'],
    networks: ['10.0.0.0/8'],
    zoneWrites: 1,
    recordWrites: 2,
    expiresAt: new Date('2026-11-20T12:00:00Z'),
  };
  expect(value({}, base)).toEqual(base);
  const nulls = {
    onlyNames: null,
    onlyTypes: null,
    networks: null,
    zoneWrites: null,
    recordWrites: null,
    expiresAt: null,
  };
  expect(value(nulls, base)).toEqual({ ...base, ...nulls });
});

test('names are lower case, networks canonical, repetitions gone', () => {
  expect(value({ onlyNames: ['A', 'a', '*.B'], networks: ['192.0.2.1', '192.0.2.1/32'] })).toMatchObject({
    onlyNames: ['a', '*.b'],
    networks: ['192.0.2.1/32'],
  });
});

test.each([
  [{ onlyNames: ['ok', 'not ok'] }, 'onlyNames.1'],
  [{ onlyNames: ['a.'] }, 'onlyNames.0'],
  [{ onlyNames: ['x'.repeat(254)] }, 'onlyNames.0'],
  [{ onlyTypes: ['TXT', 'SOA'] }, 'onlyTypes.1'],
  [{ onlyTypes: ['txt'] }, 'onlyTypes.0'],
  [{ networks: ['10.0.0.1/8'] }, 'networks.0'],
  [{ expiresAt: '2026-11-21T12:00:00Z' }, 'expiresAt'],
  [{ expiresAt: 'soon' }, 'expiresAt'],
  [{ zoneWrites: 11 }, 'zoneWrites'],
  [{ recordWrites: 61 }, 'recordWrites'],
] as const)('%j is refused, naming %s', (input, field) => {
  expect(value(input as TermsInput)).toMatchObject({ code: 'bad_request', field });
});

test('a zone named twice in grants is refused: which level would hold?', () => {
  const grants = [
    { zoneId: 'z', records: 'read' },
    { zoneId: 'z', records: 'write' },
  ] as const;
  expect(value({ grants: [...grants] })).toMatchObject({ field: 'grants' });
});

test('limits above the service are for those who run it', () => {
  expect(value({ zoneWrites: 10, recordWrites: 60 })).toMatchObject({ zoneWrites: 10, recordWrites: 60 });
  expect(value({ recordWrites: 6000 }, NO_TERMS, true)).toMatchObject({ recordWrites: 6000 });
});

test('a limit that is above the service stays when something else changes', () => {
  expect(value({ name: 'new' }, { ...NO_TERMS, recordWrites: 6000 })).toMatchObject({
    name: 'new',
    recordWrites: 6000,
  });
});

// The terms of a key: the requested terms are checked and converted to the stored form.
import { expect, test } from 'vitest';
import { judgeTerms, type KeyTerms, NO_TERMS, type TermsInput } from '#service/keys/terms.ts';

const now = new Date('2026-11-21T12:00:00Z');
const judge = (input: TermsInput, base: KeyTerms = NO_TERMS, anyLimits = false) =>
  judgeTerms(base, input, { now, anyLimits });
const value = (...parameters: Parameters<typeof judge>) => {
  const verdict = judge(...parameters);
  return verdict.ok ? verdict.value : verdict.problem;
};

test('a new key has no rights by default', () => {
  expect(value({ name: 'x' })).toEqual({ ...NO_TERMS, name: 'x' });
});

test('an omitted field stays as it is, and null removes a restriction', () => {
  const base: KeyTerms = {
    name: 'old',
    records: 'write',
    manageZones: 'read',
    clusters: 'write',
    signals: ['web'],
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

test('names become lower case, networks canonical, and duplicates are removed', () => {
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
] as const)('%j is refused, and the refusal names %s', (input, field) => {
  expect(value(input as TermsInput)).toMatchObject({ code: 'bad_request', field });
});

test('two grants for one zone are refused, because their levels may differ', () => {
  const grants = [
    { zoneId: 'z', records: 'read' },
    { zoneId: 'z', records: 'write' },
  ] as const;
  expect(value({ grants: [...grants] })).toMatchObject({ field: 'grants' });
});

test('only the administrator can set limits above those of the service', () => {
  expect(value({ zoneWrites: 10, recordWrites: 60 })).toMatchObject({ zoneWrites: 10, recordWrites: 60 });
  expect(value({ recordWrites: 6000 }, NO_TERMS, true)).toMatchObject({ recordWrites: 6000 });
});

test("a limit above the service's limit stays if another field changes", () => {
  expect(value({ name: 'new' }, { ...NO_TERMS, recordWrites: 6000 })).toMatchObject({
    name: 'new',
    recordWrites: 6000,
  });
});

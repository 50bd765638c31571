// The contents of catalog zones.
import { expect, test } from 'vitest';
import {
  CATALOG_HEAD,
  catalogChange,
  catalogName,
  isCatalogName,
  memberRecord,
  membersFor,
} from '#dns/secondaries/catalog.ts';

const A = { id: 'zone-1', name: 'a.test' };
const B = { id: 'zone-2', name: 'b.test' };

test('a catalog has a name that is told apart from zones of the api', () => {
  expect(catalogName('eu')).toBe('eu.catalog.zonestead.invalid');
  expect(isCatalogName(catalogName('eu'))).toBe(true);
  expect(isCatalogName('catalog.zonestead.example')).toBe(false);
});

test('a catalog begins with its version and an NS that is never queried', () => {
  expect(catalogChange([], [])).toEqual({ add: CATALOG_HEAD, remove: [] });
});

test('a catalog has a label for each member that depends on its id only, and is valid in any case', () => {
  const { owner, data } = memberRecord(A);
  expect(owner).toMatch(/^[0-9a-f]{32}\.zones$/);
  expect(data).toBe('a.test.');
  expect(memberRecord({ ...A, name: 'c.test' }).owner).toBe(owner);
  expect(memberRecord({ ...A, id: 'ZONE-1' }).owner).not.toBe(owner);
});

test('a catalog gets the records that differ', () => {
  const records = [...CATALOG_HEAD, memberRecord(A)];
  expect(catalogChange(records, [A])).toEqual({ add: [], remove: [] });
  expect(catalogChange(records, [A, B])).toEqual({ add: [memberRecord(B)], remove: [] });
  expect(catalogChange(records, [])).toEqual({ add: [], remove: [memberRecord(A)] });
});

test('a catalog gives a zone that was created again another label, so that secondaries forget its old contents', () => {
  const again = { ...A, id: 'zone-9' };
  expect(catalogChange([...CATALOG_HEAD, memberRecord(A)], [again])).toEqual({
    add: [memberRecord(again)],
    remove: [memberRecord(A)],
  });
});

test('a catalog loses unknown records, and reads names in any case', () => {
  const foreign = { owner: 'group.x.zones', type: 'TXT', data: '"x"' } as const;
  const { owner, type, data } = memberRecord(A);
  const shouted = { owner: owner.toUpperCase(), type, data: data.toUpperCase() };
  expect(catalogChange([...CATALOG_HEAD, shouted, foreign], [A])).toEqual({ add: [], remove: [foreign] });
});

test('a catalog lists all zones, or those listed that exist', () => {
  expect(membersFor('all', [A, B])).toEqual([A, B]);
  expect(membersFor(['b.test', 'absent.test'], [A, B])).toEqual([B]);
});

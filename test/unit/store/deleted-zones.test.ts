// A deleted zone keeps every column of a zone, so that a restore loses nothing.
import { expect, test } from 'vitest';
import { getTableColumns } from '#store/drizzle.ts';
import { deletedZones, zones } from '#store/tables.ts';

/** Columns that a restore fills again. */
const RENEWED = [
  // When and in which transaction it changed.
  'updatedAt',
  'changedXid',
  'ownersVersion',
  // Whether it waits for its delegation.
  'delegationXid',
  'delegationDue',
  // Counted from the rows that come back.
  'ownedSets',
  // The share of its owner's quota.
  'recordRoom',
  'byteRoom',
];

test('a deleted zone keeps every column of a zone that a restore does not renew', () => {
  const kept = new Set(Object.keys(getTableColumns(deletedZones)));
  const missing = Object.keys(getTableColumns(zones)).filter(
    (column) => !kept.has(column) && !RENEWED.includes(column),
  );
  expect(missing).toEqual([]);
});

test('every column that a restore renews is one of a zone', () => {
  expect(Object.keys(getTableColumns(zones))).toEqual(expect.arrayContaining(RENEWED));
});

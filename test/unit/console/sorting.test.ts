// The order of a list in its address, and the links of its columns.
import { expect, test } from 'vitest';
import { parseSorting, sortChoices, sortHeads } from '#console/shell/sorting.ts';

const ORDERS = ['name', 'ttl', 'changed'] as const;
const LABELS = { name: 'Name', ttl: 'TTL', changed: 'Last change' };
const heads = (text: string) =>
  sortHeads(parseSorting(text, ORDERS), ORDERS, { largestFirst: ['changed'], addressOf: (sort) => sort });

test('an address names an order, and a minus turns it around', () => {
  expect(parseSorting('ttl', ORDERS)).toEqual({ order: 'ttl', descending: false, text: 'ttl' });
  expect(parseSorting('-ttl', ORDERS)).toEqual({ order: 'ttl', descending: true, text: '-ttl' });
});

test.each([undefined, '', '-', 'x', '-x', '--ttl', ['ttl'], 'TTL'])('%j stands for the first order', (sent) => {
  expect(parseSorting(sent, ORDERS)).toEqual({ order: 'name', descending: false, text: 'name' });
});

test('a click on a column sorts by it as the column begins, and a second click turns the order around', () => {
  expect(heads('name')).toEqual({
    name: { address: '-name', sorted: 'ascending' },
    ttl: { address: 'ttl', sorted: null },
    changed: { address: '-changed', sorted: null },
  });
  expect(heads('-name').name).toEqual({ address: 'name', sorted: 'descending' });
  expect(heads('-changed').changed).toEqual({ address: 'changed', sorted: 'descending' });
  expect(heads('changed').changed).toEqual({ address: '-changed', sorted: 'ascending' });
});

test('the field of the order has each order as its column begins, and the current one as it is', () => {
  const choices = (text: string) => sortChoices(parseSorting(text, ORDERS), LABELS, ['changed']);
  expect(choices('-ttl')).toEqual([
    ['name', 'Name'],
    ['-ttl', 'TTL'],
    ['-changed', 'Last change'],
  ]);
  expect(choices('changed').at(-1)).toEqual(['changed', 'Last change']);
});

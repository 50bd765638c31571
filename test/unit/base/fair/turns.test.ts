// Turns of groups in a part of many items.
import { expect, test } from 'vitest';
import { takeTurns } from '#base/fair/turns.ts';

const groupOf = (item: string) => item.slice(0, 1);

test('each group has its first item before any has its second one', () => {
  expect(takeTurns(['a1', 'a2', 'a3', 'b1', 'c1', 'c2'], groupOf, 10)).toEqual(['a1', 'b1', 'c1', 'a2', 'c2', 'a3']);
});

test('no more than the given number of items is taken', () => {
  expect(takeTurns(['a1', 'a2', 'a3', 'b1'], groupOf, 3)).toEqual(['a1', 'b1', 'a2']);
  expect(takeTurns(['a1', 'b1', 'c1'], groupOf, 2)).toEqual(['a1', 'b1']);
  expect(takeTurns([], groupOf, 2)).toEqual([]);
});

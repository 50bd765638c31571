// Which node is the source of zone transfers, and which nodes have a slot.
import { expect, test } from 'vitest';
import { decidePlan } from '#service/nodes/plan.ts';
import type { PlanNode } from '#store/transfers.ts';

const node = (name: string, slot: number | null, extra: Partial<PlanNode> = {}): PlanNode => ({
  name,
  slot,
  isLiving: true,
  isListed: true,
  ...extra,
});
const dead = { isLiving: false, isListed: false };

test('the source of transfers is the living node with the lowest slot that has applied the list of zones', () => {
  expect(decidePlan([node('c', 2), node('b', 1), node('a', 0, dead)], null).source).toBe('b');
  expect(decidePlan([node('a', 0, { isListed: false }), node('b', 1)], null).source).toBe('b');
});

test('the source of transfers stays the source as long as it lives, so a node that returns does not take it back', () => {
  expect(decidePlan([node('a', 0), node('b', 1)], 'b').source).toBe('b');
  expect(decidePlan([node('a', 0), node('b', 1, { isListed: false })], 'b').source).toBe('b');
  expect(decidePlan([node('a', 0), node('b', 1, dead)], 'b').source).toBe('a');
});

test('the source of transfers stays if no other node can be it', () => {
  expect(decidePlan([node('a', 0, dead), node('b', 1, { isListed: false })], 'a').source).toBe('a');
  expect(decidePlan([], null).source).toBeNull();
});

test('a slot is a free one for a living node without one, and is never given twice', () => {
  const { slots, source } = decidePlan([node('a', 1), node('b', null), node('c', null), node('d', null, dead)], null);
  expect(slots).toEqual([
    { node: 'b', slot: 0 },
    { node: 'c', slot: 2 },
  ]);
  expect(source).toBe('b');
});

test('a slot is missing for a fifth node, which cannot be the source then', () => {
  const others = [0, 1, 2, 3].map((slot) => node(`n${slot}`, slot, dead));
  expect(decidePlan([...others, node('fifth', null)], 'n0')).toEqual({ slots: [], source: 'n0' });
});

// Conditions by the Kubernetes API conventions.
import { expect, test } from 'vitest';
import { type Condition, conditionsEqual, isTrue, setCondition, setConditions } from '#kube/objects/conditions.ts';

const THEN = new Date('2026-11-21T10:00:00.900Z');
const LATER = new Date('2026-11-21T11:00:00Z');
const ready = { type: 'Ready', status: 'True', reason: 'Programmed', message: 'ok', observedGeneration: 1 } as const;

test('setting a condition gives a new condition a time in whole seconds', () => {
  expect(setCondition([], ready, THEN)).toEqual([{ ...ready, lastTransitionTime: '2026-11-21T10:00:00Z' }]);
});

test('setting a condition moves lastTransitionTime only when the status changes', () => {
  const first = setCondition([], ready, THEN);
  const reworded = setCondition(first, { ...ready, message: 'still ok', observedGeneration: 2 }, LATER);
  expect(reworded[0]).toMatchObject({ message: 'still ok', lastTransitionTime: '2026-11-21T10:00:00Z' });
  const turned = setCondition(reworded, { ...ready, status: 'False', reason: 'Conflict' }, LATER);
  expect(turned[0]).toMatchObject({ status: 'False', lastTransitionTime: '2026-11-21T11:00:00Z' });
});

test('setting a condition keeps the order of known conditions and puts new ones last', () => {
  const list = setConditions([], [ready, { ...ready, type: 'Accepted' }], THEN);
  const next = setConditions(
    list,
    [
      { ...ready, type: 'Accepted', status: 'False' },
      { ...ready, type: 'New' },
    ],
    THEN,
  );
  expect(next.map((condition) => condition.type)).toEqual(['Ready', 'Accepted', 'New']);
});

test('setting a condition drops an observedGeneration that the new verdict does not have', () => {
  const { observedGeneration: _none, ...bare } = ready;
  expect(setCondition(setCondition([], ready, THEN), bare, THEN)[0]).not.toHaveProperty('observedGeneration');
});

const list = setConditions([], [ready, { ...ready, type: 'Accepted' }], THEN) as Condition[];

test('comparing conditions ignores the order, which the server may change', () => {
  expect(conditionsEqual(list, list.toReversed())).toBe(true);
  expect(conditionsEqual(undefined, [])).toBe(true);
});

test('comparing conditions sees every field', () => {
  for (const change of [
    { status: 'False' as const },
    { reason: 'Other' },
    { message: 'other' },
    { observedGeneration: 2 },
    { lastTransitionTime: '2026-01-01T00:00:00Z' },
  ]) {
    expect(conditionsEqual(list, [{ ...list[0]!, ...change }, list[1]!])).toBe(false);
  }
  expect(conditionsEqual(list, list.slice(1))).toBe(false);
});

test('a condition counts for a generation only when it was judged at it or later', () => {
  const list = setCondition([], ready, THEN);
  expect(isTrue(list, 'Ready')).toBe(true);
  expect(isTrue(list, 'Ready', 1)).toBe(true);
  expect(isTrue(list, 'Ready', 2)).toBe(false);
  expect(isTrue(list, 'Absent')).toBe(false);
});

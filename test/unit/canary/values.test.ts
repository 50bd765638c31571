// The values of a canary: their numbers, and when one was overtaken.
import { expect, test } from 'vitest';
import { NO_VALUE, Values } from '#canary/values.ts';

test('a value has the number that it was made with, and texts of others have none', () => {
  const values = new Values('abc');
  const [first, second] = [values.next(), values.next()];
  expect([first.number, second.number]).toEqual([1, 2]);
  expect(values.numberOf(second.content)).toBe(2);
  const strange = ['', 'zonestead-canary:abc:3', 'zonestead-canary:abc:0', 'zonestead-canary:abc:1:1'];
  strange.push('zonestead-canary:abd:1', 'canary:abc:1', 'zonestead-canary:abc:01', 'zonestead-canary:abc:1e0');
  expect(strange.map((text) => values.numberOf(text))).toEqual(strange.map(() => NO_VALUE));
});

test('a value is overtaken when the api acknowledges the first one after it', () => {
  const values = new Values('abc');
  for (let count = 0; count < 4; count += 1) values.next();
  expect(values.newest()).toBe(NO_VALUE);
  expect(values.overtakenAt(NO_VALUE)).toBeNull();
  values.acknowledge(1, 100);
  // The outcome of the second write is unknown.
  values.acknowledge(3, 300);
  expect([NO_VALUE, 1, 2, 3, 4].map((number) => values.overtakenAt(number))).toEqual([100, 300, 300, null, null]);
  expect(values.newest()).toBe(3);
});

test('values remember a bounded number of writes', () => {
  const values = new Values('abc');
  for (let number = 1; number <= 5_000; number += 1) {
    values.next();
    values.acknowledge(number, number);
  }
  expect(values.overtakenAt(NO_VALUE)).toBe(4_001);
  expect(values.overtakenAt(4_999)).toBe(5_000);
});

test('no record is the right answer between a removal and the next value, and the values before are not', () => {
  const values = new Values('abc');
  for (let count = 0; count < 3; count += 1) values.next();
  values.acknowledge(1, 100);
  values.acknowledge(2, 200);
  values.next();
  values.acknowledgeRemoval(300);
  // The fourth was written, or was not.
  expect([NO_VALUE, 1, 2, 4].map((number) => values.overtakenAt(number))).toEqual([null, 200, 300, 300]);
  expect(values.newest()).toBe(2);
  values.next();
  values.acknowledge(5, 900);
  expect([NO_VALUE, 2, 4, 5].map((number) => values.overtakenAt(number))).toEqual([900, 300, 300, null]);
});

test('after a removal with an unknown outcome, no record is right, and so is the last value', () => {
  const values = new Values('abc');
  values.next();
  values.acknowledge(1, 100);
  values.acknowledgeRemoval(null);
  expect([NO_VALUE, 1].map((number) => values.overtakenAt(number))).toEqual([null, null]);
  values.next();
  values.acknowledge(2, 900);
  expect([NO_VALUE, 1, 2].map((number) => values.overtakenAt(number))).toEqual([900, 900, null]);
});

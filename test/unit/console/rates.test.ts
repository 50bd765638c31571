// Rates from the counters of name servers: differences by slot, restarts, gaps, and the average latency.
import { expect, test } from 'vitest';
import { computeRates } from '#console/overview/rates.ts';

const SLOT = 900;
const NOW = new Date('2026-11-21T12:00:00.000Z');
/** A sample of some slots before now. */
const sample = (slots: number, noerror: number, more = {}) => ({
  node: 'ns1',
  instance: 'a',
  at: new Date(NOW.getTime() - slots * SLOT * 1_000),
  answers: { noerror, nxdomain: 0 },
  applied: 0,
  appliedSeconds: 0,
  ...more,
});
const last = <T>(values: readonly T[] | undefined, count: number) => values?.slice(-count);

test('a rate is the difference of two samples divided by their distance, in the slot of the first', () => {
  const { byNode, byResult, slots } = computeRates([sample(2, 0), sample(1, 900), sample(0, 2_700)], SLOT, NOW);
  expect(slots).toHaveLength(96);
  expect(slots.at(-1)).toEqual(NOW);
  expect(last(byNode.get('ns1'), 4)).toEqual([null, 1, 2, null]);
  expect(last(byResult.get('nxdomain'), 3)).toEqual([0, 0, null]);
});

test('the rates of nodes are separate, and the results are sums of all nodes', () => {
  const other = { node: 'ns2', instance: 'b' };
  const samples = [sample(1, 0), sample(0, 900), sample(1, 0, other), sample(0, 1_800, other)];
  const { byNode, byResult } = computeRates(samples, SLOT, NOW);
  expect([...byNode].map(([name, values]) => [name, values.at(-2)])).toEqual([
    ['ns1', 1],
    ['ns2', 2],
  ]);
  expect(byResult.get('noerror')?.at(-2)).toBe(3);
});

test('a counter that falls belongs to a name server that started again, and counts from zero', () => {
  const { byNode } = computeRates([sample(2, 90_000), sample(1, 450)], SLOT, NOW);
  expect(byNode.get('ns1')?.at(-3)).toBe(0.5);
});

test('a node that does not tell its answers has no rate', () => {
  const { byNode } = computeRates([sample(2, 0, { answers: null }), sample(1, 5)], SLOT, NOW);
  expect(byNode.size).toBe(0);
});

test('nodes are in the order of their names', () => {
  const samples = ['ns3', 'ns1', 'ns2'].flatMap((node) => [sample(1, 0, { node }), sample(0, 900, { node })]);
  expect([...computeRates(samples, SLOT, NOW).byNode.keys()]).toEqual(['ns1', 'ns2', 'ns3']);
});

test.each([
  ['from two instances of a node', [sample(2, 0), sample(1, 900, { instance: 'b' })]],
  ['from the same moment', [sample(1, 0), sample(1, 900)]],
  ['older than a day', [sample(200, 0), sample(199, 900)]],
])('two samples %s have no rate', (_, samples) => {
  expect(computeRates(samples, SLOT, NOW).byNode.size).toBe(0);
});

test('figures that fall do not change the latency', () => {
  const [before, after] = [
    { applied: 5, appliedSeconds: 10 },
    { applied: 1, appliedSeconds: 1 },
  ];
  const latency = (first: object, second: object) =>
    computeRates([sample(2, 0, first), sample(1, 0, second)], SLOT, NOW).latency.at(-3);
  expect(latency(before, after)).toBeNull();
  expect(latency(before, { ...after, applied: 6 })).toBe(0);
});

test('the latency is the average of all changes of a slot, and unknown without a change', () => {
  const samples = [
    sample(2, 0),
    sample(1, 0, { applied: 4, appliedSeconds: 2 }),
    sample(0, 0, { applied: 4, appliedSeconds: 2 }),
    sample(2, 0, { instance: 'b' }),
    sample(1, 0, { instance: 'b', applied: 1, appliedSeconds: 3 }),
  ];
  expect(last(computeRates(samples, SLOT, NOW).latency, 3)).toEqual([1, null, null]);
});

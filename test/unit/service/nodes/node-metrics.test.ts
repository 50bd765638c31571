// The metrics of nodes while the database answers, and while it does not.
import { expect, test } from 'vitest';
import { observeApplied, watchNodes } from '#service/nodes/node-metrics.ts';
import type { NodeRow } from '#store/nodes.ts';
import { createMetrics } from '#telemetry/metrics.ts';
import { FakeClock } from '../../../support/time/fake-clock.ts';

const row = (name: string, change: Partial<NodeRow> = {}): NodeRow => ({
  name,
  instance: name,
  keyId: 'key',
  version: '1',
  engine: 'Knot',
  isLiving: true,
  isDuplicate: false,
  isLeft: false,
  age: 0,
  lagSeconds: 0,
  zones: 1,
  failingCount: 0,
  failing: [],
  held: null,
  keyExpiresAt: null,
  ...change,
});

function startWatch(first: NodeRow[]) {
  const metrics = createMetrics({ processMetrics: false });
  const clock = new FakeClock();
  let read = async () => first;
  watchNodes(metrics, () => read(), clock);
  const values = async (name: string): Promise<Record<string, number>> => {
    const { values: own = [] } = (await metrics.registry.getSingleMetric(`zonestead_${name}`)?.get()) ?? {};
    return Object.fromEntries(own.map(({ labels, value }) => [labels.node ?? '', value]));
  };
  const fail = () => {
    read = () => Promise.reject(new Error('the database is down'));
  };
  const answer = (rows: NodeRow[]) => {
    read = async () => rows;
  };
  return { clock, values, fail, answer };
}

test('the facts about nodes stay while the database is down, and only the lag of a node that is behind grows', async () => {
  const rows = [
    row('good'),
    row('late', { lagSeconds: 7, failingCount: 2 }),
    row('new', { lagSeconds: null }),
    row('silent', { isLiving: false }),
  ];
  const { clock, values, fail, answer } = startWatch(rows);
  expect(await values('node_living')).toEqual({ good: 1, late: 1, new: 1, silent: 0 });
  expect(await values('node_lag_seconds')).toEqual({ good: 0, late: 7, new: 1e9 });
  expect(await values('node_facts_age_seconds')).toEqual({ '': 0 });
  fail();
  await clock.advance(60_000);
  expect(await values('node_living')).toEqual({ good: 1, late: 1, new: 1, silent: 0 });
  expect(await values('node_lag_seconds')).toEqual({ good: 0, late: 67, new: 1e9 });
  expect(await values('node_failing_zones')).toEqual({ good: 0, late: 2, new: 0 });
  expect(await values('node_facts_age_seconds')).toEqual({ '': 60 });
  answer([row('late')]);
  expect(await values('node_living')).toEqual({ late: 1 });
  expect(await values('node_lag_seconds')).toEqual({ late: 0 });
  expect(await values('node_facts_age_seconds')).toEqual({ '': 0 });
});

test('a node that left is not silent, unless it came back or another key says that it left', async () => {
  const left = { isLiving: false, isLeft: true, age: 60 };
  const { values } = startWatch([
    row('left', left),
    row('leaving', { ...left, isLiving: true, age: 1 }),
    row('back', left),
    row('back', { instance: 'anew' }),
    row('killed-then-left', { isLiving: false, age: 90 }),
    row('killed-then-left', { ...left, instance: 'anew' }),
    row('left-then-killed', { ...left, age: 90 }),
    row('left-then-killed', { isLiving: false, instance: 'anew', age: 60 }),
    row('slandered', { isLiving: false, age: 90 }),
    row('slandered', { ...left, keyId: 'other' }),
  ]);
  expect(await values('node_living')).toEqual({ leaving: 1, back: 1, 'left-then-killed': 0, slandered: 0 });
  expect(await values('node_left')).toEqual({
    left: 1,
    leaving: 1,
    back: 0,
    'killed-then-left': 1,
    'left-then-killed': 0,
    slandered: 0,
  });
});

test('the facts about nodes have no series before the database has answered once', async () => {
  const { values, fail } = startWatch([]);
  fail();
  expect(await values('node_living')).toEqual({});
});

test('the key of a node ends when that of its living instances ends first, or never', async () => {
  const rows = [
    row('ns1', { instance: 'a', keyExpiresAt: 2_000 }),
    row('ns1', { instance: 'b', keyExpiresAt: 1_000 }),
    row('ns1', { instance: 'c', keyExpiresAt: 10, isLiving: false }),
    row('ns2'),
  ];
  const { values } = startWatch(rows);
  expect(await values('node_key_expiry_timestamp_seconds')).toEqual({ ns1: 1_000, ns2: Number.POSITIVE_INFINITY });
});

test('the time from a change to its node is counted by node, and the nodes beyond the hundredth share a label', async () => {
  const metrics = createMetrics({ processMetrics: false });
  const observe = observeApplied(metrics);
  observe('quiet', []);
  for (let n = 1; n <= 101; n += 1) observe(`ns${n}`, [0.2, 7]);
  const text = await metrics.registry.metrics();
  expect(text).toMatch(/^zonestead_node_apply_seconds_count\{node="quiet"\} 0$/m);
  expect(text).toMatch(/^zonestead_node_apply_seconds_bucket\{le="5",node="ns1"\} 1$/m);
  expect(text).toMatch(/^zonestead_node_apply_seconds_count\{node="ns1"\} 2$/m);
  expect(text).toMatch(/^zonestead_node_apply_seconds_count\{node="other"\} 4$/m);
  expect(text).not.toMatch(/node="ns10[01]"/);
});

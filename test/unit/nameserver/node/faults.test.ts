// A node between a feed and a name server that cause faults: it survives each, applies nothing wrong, and says so.
import { describe, expect, test } from 'vitest';
import { address, type Fault } from '../../../support/faulty-node/fake-feed.ts';
import { metric } from '../../../support/faulty-node/node.ts';
import { numbered, startWorld } from '../../../support/faulty-node/node-world.ts';
import { onlyKey } from '../../../support/knot/only-key.ts';
import { QuickClock } from '../../../support/time/quick-clock.ts';

const clock = () => new QuickClock(20);

test.each<[string, Fault]>([
  ['is cut in the middle of a list', { path: /feed$/, cutAfter: 180 }],
  ['is cut in the middle of a zone', { path: /zones/, cutAfter: 300 }],
  ['sends garbage', { path: /feed$/, rewrite: (line) => line.replace('{', '[') }],
  ['falls silent', { path: /feed$/, stallAfter: 150 }],
  ['falls silent in a zone', { path: /zones/, stallAfter: 150 }],
  [
    'leaves a zone out of the list that it counts',
    { path: /feed$/, rewrite: (line) => (line.includes('listed') ? null : line) },
  ],
  ['sends a wrong digest', { path: /zones/, rewrite: (line) => line.replace(/"digest":"./, '"digest":"x') }],
  ['loses RRsets', { path: /zones/, rewrite: (line) => line.replace('192.0.2.1', '192.0.2.2') }],
  ['sends no end line', { path: /zones/, rewrite: (line) => (line.includes('"end"') ? null : line) }],
  ['ends a zone early', { path: /zones/, rewrite: (line) => (line.includes('"zone"') ? line : null) }],
  ['sends another zone', { path: /zones/, rewrite: (line) => line.replace('"name":"a.test"', '"name":"b.test"') }],
  ['is overloaded', { path: /./, status: 503, retryAfter: '1', times: 3 }],
])('a feed with faults converges when it %s, and applies nothing that is wrong', async (_, fault) => {
  const { feed, engine, start, converged } = await startWorld({ zones: ['a.test'] });
  feed.faults.push({ ...fault });
  start({ clock: clock() });
  await converged();
  expect(engine.commits).toHaveLength(1);
});

test('a feed with faults that refuses the key is asked rarely, and the log names the remedy', async () => {
  const { feed, start, converged } = await startWorld({ zones: ['a.test'] });
  feed.faults.push({ path: /feed$/, status: 401, times: 2 });
  const { lines, metrics } = start({ clock: clock() });
  const connections = () => feed.requests.filter((each) => each.startsWith('GET /v1/feed?')).length;
  await expect.poll(connections).toBeGreaterThanOrEqual(2);
  await expect.poll(() => metric(metrics, 'node_feed_ends_total', { reason: 'refused' })).toBe(2);
  expect(lines.join()).toMatch(/refuses the key of this node \(401 unauthorized/);
  expect(JSON.parse(lines.find((line) => line.includes('refuses')) ?? '').retryMs).toBeGreaterThanOrEqual(30_000);
  await converged();
});

test('a feed with faults with a clock that is off by an hour is followed; the log warns once, and says when the clock is right again', async () => {
  const { feed, start, converged } = await startWorld({ zones: ['a.test'] });
  let hours = 1;
  const date = () => new Date(Date.now() + hours * 3_600_000);
  const { lines, metrics } = start({ date });
  await converged();
  feed.cut();
  await expect.poll(() => feed.connections).toBe(1);
  expect(lines.filter((line) => line.includes('differs from the clock of the api by -3'))).toHaveLength(1);
  expect(await metric(metrics, 'node_clock_offset_seconds')).toBeLessThan(-3_590);
  // No new connection is needed for a clock that was set.
  hours = 0;
  await expect.poll(() => lines.join()).toContain('agrees with the clock of the api again');
  expect(Math.abs(await metric(metrics, 'node_clock_offset_seconds'))).toBeLessThan(60);
});

test('a feed with faults that continues after a cursor that the node does not have is not believed', async () => {
  const { feed, start, converged } = await startWorld({ zones: ['a.test'] });
  feed.faults.push({ path: /feed$/, rewrite: (line) => line.replace('"resumed":false', '"resumed":true') });
  const { lines } = start();
  await converged();
  expect(lines.join()).toMatch(/continues after a cursor that it did not give/);
});

test('a feed with faults leaves a node ready that was ready, however long it lasts; after a restart, the node waits 10 s for the feed', async () => {
  const { feed, start, converged } = await startWorld({ zones: ['a.test'] });
  const own = clock();
  const first = start({ clock: own });
  await converged();
  await expect.poll(() => first.node.ready().ok).toBe(true);
  feed.faults.push({ path: /feed$/, status: 503, times: 1_000 });
  feed.cut();
  await expect.poll(() => first.node.ready().checks?.feed).toMatch(/fault 503/);
  own.jump(86_400_000);
  expect(first.node.ready()).toMatchObject({ ok: true });
  expect(await metric(first.metrics, 'node_feed_lag_seconds')).toBeGreaterThan(300);
  await first.crash();
  const later = new QuickClock(1);
  const { node } = start({ clock: later });
  await expect.poll(() => node.ready().checks).toMatchObject({ engine: 'answers', feed: /fault 503/ });
  expect(node.ready().ok).toBe(false);
  later.jump(10_000);
  expect(node.ready().ok).toBe(true);
});

describe('a list that lacks most zones', () => {
  const world = async () => {
    const made = await startWorld({ zones: numbered(30) });
    const clock = new QuickClock(20);
    const first = made.start({ clock });
    await made.converged();
    await first.crash();
    for (const name of numbered(25)) made.feed.delete(name);
    made.feed.forget();
    return { ...made, clock };
  };

  test('a list that lacks most zones removes nothing at first, is reported, and removes them when it comes again after 10 minutes', async () => {
    const { feed, engine, clock, start, converged } = await world();
    const second = start({ clock });
    await expect.poll(() => feed.reports.at(-1)?.held?.count).toBe(25);
    expect(engine.held.size).toBe(30);
    expect(second.lines.join()).toMatch(/lacks more than half of the zones of this node/);
    // A restart begins the wait again.
    await second.crash();
    feed.reports.length = 0;
    start({ clock });
    await expect.poll(() => feed.reports.at(-1)?.held?.count).toBe(25);
    const lists = feed.requests.filter((each) => each === 'GET /v1/feed?node=ns1&understands=1').length;
    feed.cut();
    await expect.poll(() => feed.requests.at(-1)).toMatch(/report|after=/);
    expect(feed.requests.filter((each) => each === 'GET /v1/feed?node=ns1&understands=1')).toHaveLength(lists);
    expect(engine.held.size).toBe(30);
    clock.jump(600_000);
    await converged();
    expect(engine.held.size).toBe(5);
  });

  test('a list that lacks most zones keeps zones that come back', async () => {
    const { feed, engine, clock, start, converged } = await world();
    start({ clock });
    await expect.poll(() => feed.reports.at(-1)?.held?.count).toBe(25);
    for (const name of numbered(25)) feed.create(name, [address('www')]);
    feed.forget();
    await converged();
    expect(engine.held.size).toBe(30);
  });

  test('a list that lacks most zones removes them at once if the setting says so', async () => {
    const { engine, clock, start, converged } = await world();
    start({ clock, removesAll: true });
    await converged();
    expect(engine.held.size).toBe(5);
  });

  test('a list that lacks most zones does not lead to removals by way of zones that are read again', async () => {
    const { feed, engine, clock, start } = await world();
    for (const held of engine.held.values()) held.serial = 1;
    start({ clock });
    await expect.poll(() => feed.reports.at(-1)?.held?.count).toBe(25);
    expect(engine.held.size).toBe(30);
  });
});

test('a comparison on demand finds and corrects foreign edits, counts them, and names them', async () => {
  const { feed, engine, start, converged } = await startWorld({ zones: ['a.test', 'b.test'] });
  const { metrics, lines } = start({ clock: new QuickClock(20) });
  await converged();
  engine.edit('a.test', address('www', '198.51.100.1'));
  engine.edit('a.test', address('intruder'));
  feed.compare = 'now';
  await converged();
  await expect.poll(() => metric(metrics, 'node_differences_total')).toBe(2);
  expect(lines.find((line) => line.includes('other records than the api'))).toContain('"names":["www","intruder"]');
  const requests = feed.requests.length;
  await expect.poll(() => feed.requests.length).toBeGreaterThan(requests + 2);
  expect(feed.requests.filter((each) => each.endsWith('/digest')).length).toBeLessThanOrEqual(4);
});

test('a comparison reaches each zone once in its interval', async () => {
  const { feed, start, converged } = await startWorld({ zones: ['a.test', 'b.test', 'c.test'] });
  const { metrics } = start({ compareMs: 300 });
  await converged();
  await expect.poll(() => metric(metrics, 'node_comparisons_total', { result: 'equal' })).toBeGreaterThan(6);
  const asked = feed.requests.filter((each) => each.endsWith('/digest'));
  expect(new Set(asked).size).toBe(3);
});

test('a comparison with the serials finds zones that the name server lost or got from elsewhere', async () => {
  const { feed, engine, start, converged } = await startWorld({ zones: ['a.test', 'b.test'] });
  start({ clock: new QuickClock(20) });
  await converged();
  engine.held.delete('a.test');
  await engine.add([{ name: 'foreign.test', keys: onlyKey('k') }], AbortSignal.timeout(1_000));
  // The node also looks after each error, not only every minute.
  engine.refused.add('b.test');
  feed.set('b.test', { www: [] });
  await expect.poll(() => engine.held.has('foreign.test')).toBe(false);
  engine.refused.clear();
  await converged();
  expect(feed.requests.filter((each) => each === 'GET /v1/feed?node=ns1&understands=1')).toHaveLength(2);
});

test('two nodes with one name are told so, and both continue', async () => {
  const { feed, start, converged } = await startWorld({ zones: ['a.test'] });
  feed.duplicate = true;
  const { metrics, lines } = start();
  await converged();
  await expect.poll(() => metric(metrics, 'node_name_duplicate')).toBe(1);
  expect(lines.join()).toMatch(/another node reports as .{1,3}ns1/);
});

test('two nodes cannot use one folder', async () => {
  const { start } = await startWorld();
  start();
  expect(() => start()).toThrow(/Give each node a folder of its own/);
});

test('a key is in no line of the log', async () => {
  const { engine, start } = await startWorld({ zones: ['a.test'] });
  engine.refused.add('a.test');
  const { lines } = start({ key: 'yk_abc_secret' });
  await expect.poll(() => lines.join()).toMatch(/semantic check/);
  expect(lines.join()).not.toMatch(/secret|key of z/);
});

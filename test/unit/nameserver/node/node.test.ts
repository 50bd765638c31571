// A node between a feed and a name server: it follows, survives crashes, and works on many zones at once.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { address } from '../../../support/faulty-node/fake-feed.ts';
import { metric } from '../../../support/faulty-node/node.ts';
import { numbered, startWorld } from '../../../support/faulty-node/node-world.ts';
import { QuickClock } from '../../../support/time/quick-clock.ts';

test('a node applies the list, changes, new zones and deletions, and reports its cursor', async () => {
  const { feed, engine, start, converged } = await startWorld({ zones: ['a.test', 'b.test'] });
  const { node } = start();
  await converged();
  feed.set('a.test', { www: [address('www', '192.0.2.7')], new: [address('new')] });
  feed.create('c.test');
  feed.delete('b.test');
  await converged();
  expect(engine.commits.filter(({ zone }) => zone === 'a.test').at(-1)?.names).toEqual(['www', 'new']);
  expect(feed.reports.at(-1)).toMatchObject({ node: 'ns1', engine: 'Memory 1.0', zones: 2 });
  expect(node.ready()).toMatchObject({ ok: true });
});

test('a node is not ready, and reports no cursor, before the first list is applied', async () => {
  const { feed, engine, start, converged } = await startWorld({ zones: ['a.test', 'b.test'] });
  let release: () => void = () => undefined;
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  engine.beforeCommit = (zone) => (zone === 'b.test' ? held : Promise.resolve());
  const { node } = start();
  await expect.poll(() => engine.commits.length).toBe(1);
  await expect.poll(() => feed.reports.length).toBeGreaterThan(0);
  expect(node.ready()).toMatchObject({ ok: false, checks: { zones: 'the list of zones is not applied yet' } });
  expect(feed.reports.at(-1)?.cursor).toBeNull();
  release();
  await converged();
  expect(node.ready().ok).toBe(true);
});

test('a node continues after a crash: nothing is committed again, and missed changes arrive', async () => {
  const { feed, engine, start, converged } = await startWorld({ zones: ['a.test', 'b.test'] });
  const first = start();
  await converged();
  await expect.poll(() => first.state.facts().cursor).toBe(feed.cursor());
  await first.crash();
  const commits = engine.commits.length;
  feed.set('b.test', { www: [] });
  start();
  await converged();
  expect(feed.requests.filter((each) => each.startsWith('GET /v1/feed/zones/'))).toHaveLength(2);
  expect(engine.commits.slice(commits).map(({ zone, names }) => [zone, names])).toEqual([['b.test', ['www']]]);
});

test('a node that ends in an orderly way says so in its last report; one that is killed, or is not known, does not', async () => {
  const { feed, start, converged } = await startWorld({ zones: ['a.test'] });
  const first = start();
  await converged();
  await first.end();
  expect(feed.reports.at(-1)).toMatchObject({ node: 'ns1', instance: first.state.instance, leaving: true });
  expect(feed.reports.filter(({ leaving }) => leaving).length).toBe(1);
  await first.crash();
  const second = start();
  await expect.poll(() => feed.reports.at(-1)?.leaving).toBeUndefined();
  await second.crash();
  feed.faults.push({ path: /report/, status: 503, times: 1_000 });
  const third = start();
  const failures = () => third.lines.filter((line) => line.includes('failed to report'));
  await expect.poll(() => failures().length).toBeGreaterThan(0);
  await third.end();
  expect(failures().filter((line) => line.includes('stops'))).toEqual([]);
});

test('a node reports each cursor, and stores one without changes every 10 s only', async () => {
  const { feed, start, converged } = await startWorld({ zones: ['a.test'] });
  const clock = new QuickClock(1);
  const { state } = start({ clock });
  await converged();
  await expect.poll(() => state.facts().cursor).toBe(feed.cursor());
  const stored = feed.cursor();
  feed.pass();
  await expect.poll(() => feed.reports.at(-1)?.cursor, { timeout: 60_000 }).toBe(feed.cursor());
  const reports = feed.reports.length;
  await expect.poll(() => feed.reports.length, { timeout: 60_000 }).toBeGreaterThan(reports);
  expect(state.facts().cursor).toBe(stored);
  clock.jump(10_000);
  await expect.poll(() => state.facts().cursor, { timeout: 60_000 }).toBe(feed.cursor());
});

test('a node compares the contents of the name server when its state is lost, and commits no name again', async () => {
  const { feed, engine, folder, start, converged } = await startWorld({ zones: ['a.test', 'b.test'] });
  const first = start();
  await converged();
  await first.crash();
  await writeFile(join(folder, 'node.sqlite'), 'not a database at all, but long enough to be read as one'.repeat(50));
  const commits = engine.commits.length;
  feed.reports.length = 0;
  const second = start();
  await converged();
  // The SOA cannot be compared, so it is set again.
  expect(engine.commits.slice(commits).flatMap(({ names }) => names)).toEqual([]);
  expect(second.lines.join()).toMatch(/node.sqlite is unreadable/);
  expect(second.state.instance).not.toBe(first.state.instance);
});

test('a node removes a deleted zone before it adds another one of the same name', async () => {
  const { feed, engine, start, converged } = await startWorld({ zones: ['a.test'] });
  const first = start();
  await converged();
  await first.crash();
  feed.delete('a.test');
  const { id } = feed.create('a.test', [address('mail')]);
  feed.forget();
  const removed: string[] = [];
  const remove = engine.remove.bind(engine);
  engine.remove = (names, signal) => {
    removed.push(...names);
    return remove(names, signal);
  };
  start();
  await converged();
  expect(removed).toEqual(['a.test']);
  expect(engine.held.get('a.test')?.privateKey).toBe(`key of ${id}`);
});

test('a node applies a line that it hears twice once', async () => {
  const { feed, engine, start, converged } = await startWorld({ zones: ['a.test'] });
  start();
  await converged();
  feed.set('a.test', { www: [address('www', '192.0.2.9')] });
  await converged();
  const commits = engine.commits.length;
  feed.repeat();
  feed.set('a.test', { mail: [address('mail')] });
  await converged();
  expect(engine.commits.slice(commits).map(({ names }) => names)).toEqual([['mail']]);
});

test('a node applies a name whose earlier RRsets were applied together with a line of its latest version', async () => {
  const { feed, engine, start, converged } = await startWorld({ zones: ['a.test', 'other.test'] });
  start();
  await converged();
  const commits: (() => void)[] = [];
  engine.beforeCommit = (zone) =>
    zone === 'a.test' ? new Promise((resolve) => void commits.push(resolve)) : Promise.resolve();
  feed.set('a.test', { first: [address('first')] });
  await expect.poll(() => commits.length).toBe(1);
  feed.set('a.test', { www: [address('www')] });
  // The record is deleted after another change, whose line is rendered when it is deleted already.
  feed.change('a.test', { mail: [address('mail')] });
  feed.change('a.test', { www: [] });
  feed.tell('a.test', ['mail']);
  // Lines arrive in order.
  feed.set('other.test', { www: [address('www')] });
  await expect.poll(() => engine.commits.at(-1)).toMatchObject({ zone: 'other.test', names: ['www'] });
  commits[0]?.();
  await expect.poll(() => commits.length).toBe(2);
  feed.tell('a.test', ['www']);
  engine.beforeCommit = () => Promise.resolve();
  commits[1]?.();
  await converged();
});

test('a node collects the changes that arrive while a zone is busy in one commit', async () => {
  const { feed, engine, start, converged } = await startWorld({ zones: ['a.test', 'other.test'] });
  start();
  await converged();
  const first = Promise.withResolvers<void>();
  engine.beforeCommit = (zone) => (zone === 'a.test' ? first.promise : Promise.resolve());
  const commits = engine.commits.length;
  feed.set('a.test', { first: [address('first')] });
  await expect.poll(() => engine.atWork).toBe(1);
  for (const name of ['one', 'two', 'three']) feed.set('a.test', { [name]: [address(name)] });
  // Lines arrive in order.
  feed.set('other.test', { www: [address('www')] });
  await expect.poll(() => engine.commits.length).toBe(commits + 1);
  first.resolve();
  await converged();
  const names = engine.commits.slice(commits).flatMap(({ zone, names }) => (zone === 'a.test' ? [names] : []));
  expect(names).toEqual([['first'], ['one', 'two', 'three']]);
});

test('a node works at four zones of the name server at most, and takes small changes ahead of bulk', async () => {
  const { feed, engine, start, converged } = await startWorld({ zones: ['small.test'] });
  start();
  await converged();
  let release: () => void = () => undefined;
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  engine.beforeCommit = (zone) => (zone === 'small.test' ? Promise.resolve() : held);
  for (const name of numbered(50)) feed.create(name);
  const reads = () => feed.requests.filter((each) => each.startsWith('GET /v1/feed/zones/')).length;
  await expect.poll(reads).toBe(1 + 32);
  await expect.poll(() => engine.held.size).toBe(1 + 32);
  await expect.poll(() => engine.atWork).toBe(3);
  feed.set('small.test', { www: [address('www', '192.0.2.5')] });
  await expect.poll(() => engine.commits.at(-1)).toMatchObject({ zone: 'small.test', names: ['www'] });
  release();
  await converged();
  expect(engine.mostAtWork).toBe(4);
});

test('a change goes ahead of zones that the node compares after a start, also if its own zone is among them', async () => {
  const names = numbered(60);
  const { feed, engine, start, converged } = await startWorld({ zones: names });
  const first = start();
  await converged();
  await first.crash();
  // The name server has signed all of them again meanwhile.
  for (const zone of engine.held.values()) zone.serial = (zone.serial ?? 0) + 1;
  let release: () => void = () => undefined;
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const check = engine.check.bind(engine);
  let waiting = 0;
  engine.check = async (name, signal) => {
    waiting += 1;
    if (name !== 'z59.test') await held;
    return check(name, signal);
  };
  start();
  await expect.poll(() => waiting).toBe(24);
  feed.set('z59.test', { www: [address('www', '192.0.2.5')] });
  await expect.poll(() => engine.commits.at(-1)).toMatchObject({ zone: 'z59.test', names: ['www'] });
  release();
  await converged();
});

test('a node applies changes that arrive while a zone is read after that', async () => {
  const { feed, engine, start, converged } = await startWorld();
  engine.beforeCommit = async () => {
    engine.beforeCommit = async () => undefined;
    feed.set('a.test', { www: [address('www', '192.0.2.8')] });
    await new Promise((resolve) => setTimeout(resolve, 50));
  };
  start();
  await expect.poll(() => feed.connections).toBe(1);
  feed.create('a.test', [address('www', '192.0.2.1')]);
  await converged();
});

test('a failing zone is reported and retried, does not hold up the others, and survives a crash', async () => {
  const { feed, engine, start, converged } = await startWorld({ zones: ['bad.test', 'good.test'] });
  const first = start({ clock: new QuickClock(20) });
  await converged();
  engine.refused.add('bad.test');
  feed.set('bad.test', { www: [] });
  feed.set('good.test', { www: [] });
  await expect.poll(() => feed.reports.at(-1)?.cursor).toBe(feed.cursor());
  expect(feed.reports.at(-1)?.failing).toEqual([{ id: feed.zone('bad.test').id, error: 'bad.test: semantic check' }]);
  await expect.poll(() => first.state.facts().cursor).toBe(feed.cursor());
  await first.crash();
  engine.refused.clear();
  start();
  await converged();
});

test('a failing zone is tried again at once when the name server is back', async () => {
  const { feed, engine, start, converged } = await startWorld({ zones: ['a.test'] });
  // The zone's own retry, after 1 s, never comes.
  class WithoutRetry extends QuickClock {
    override setTimeout(fn: () => void, ms: number): () => void {
      return ms === 1_000 ? () => undefined : super.setTimeout(fn, ms);
    }
  }
  const { metrics, node, lines } = start({ clock: new WithoutRetry(20), random: () => 1 });
  await converged();
  engine.isDown = true;
  feed.set('a.test', { www: [] });
  await expect.poll(() => node.ready().checks?.engine).toBe('the name server does not answer');
  expect(await metric(metrics, 'node_engine_up')).toBe(0);
  expect(node.ready().ok).toBe(false);
  engine.isDown = false;
  await converged();
  expect(lines.filter((line) => line.includes('the name server does not answer'))).toHaveLength(1);
});

test('a failing zone that only takes long does not hold back the cursor, and is reported until it is there', async () => {
  const { feed, engine, start, converged } = await startWorld({ zones: ['quick.test'] });
  start({ clock: new QuickClock(20) });
  await converged();
  let release: () => void = () => undefined;
  engine.beforeCommit = (zone) =>
    zone === 'slow.test' ? new Promise((resolve) => (release = () => resolve())) : Promise.resolve();
  feed.create('slow.test');
  feed.set('quick.test', { www: [] });
  await expect
    .poll(() => feed.reports.at(-1))
    .toMatchObject({ cursor: feed.cursor(), failing: [{ error: 'slow.test: the node is reading the zone' }] });
  release();
  engine.beforeCommit = async () => undefined;
  await converged();
});

test('a name server that was started again is not asked to change a zone that it is loading; the api is not asked either, and other zones change', async () => {
  const { feed, engine, start, converged } = await startWorld({ zones: ['big.test', 'small.test'] });
  const clock = new QuickClock(20);
  const first = start({ clock });
  await converged();
  await first.crash();
  engine.loading.add('big.test');
  const reads = () => feed.requests.filter((each) => each === `GET /v1/feed/zones/${feed.zone('big.test').id}`).length;
  const before = reads();
  const { lines } = start({ clock });
  feed.set('big.test', { www: [address('www', '192.0.2.7')] });
  feed.set('small.test', { www: [] });
  await expect.poll(() => engine.commits.at(-1)).toMatchObject({ zone: 'small.test', names: ['www'] });
  await expect
    .poll(() => feed.reports.at(-1)?.failing)
    .toEqual([{ id: feed.zone('big.test').id, error: 'big.test: the name server is loading big.test' }]);
  const asked = clock.now();
  await expect.poll(() => clock.now() - asked).toBeGreaterThan(5_000);
  expect(reads()).toBe(before);
  engine.loading.clear();
  await converged();
  expect(engine.commits.at(-1)).toMatchObject({ zone: 'big.test', names: ['www'] });
  expect(lines.join()).not.toContain('failed to apply');
});

test('a name server that was started again and has lost the contents of a zone gets them again, with a later serial', async () => {
  const { engine, start, converged } = await startWorld({ zones: ['a.test'] });
  const clock = new QuickClock(20);
  const first = start({ clock });
  await converged();
  // A renewal of signatures.
  const held = engine.held.get('a.test');
  Object.assign(held ?? {}, { serial: 5_000 });
  await first.crash();
  const second = start({ clock });
  await converged();
  await expect.poll(() => second.state.rows().get('a.test')).toMatchObject({ engineSerial: 5_000, isDirty: false });
  await second.crash();
  held?.sets.clear();
  Object.assign(held ?? {}, { serial: null, soa: null });
  const { lines } = start({ clock });
  await converged();
  expect(held?.serial).toBe(5_001);
  expect(lines.join()).toContain('had lost the contents of a zone');
});

// A node between a feed and a name server that cause faults: it follows, survives each fault, and converges.
import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { address, FakeFeed, type Fault } from '../../../support/nameserver/fake-feed.ts';
import { MemoryEngine } from '../../../support/nameserver/memory-engine.ts';
import { metric, startTestNode } from '../../../support/nameserver/node.ts';
import { QuickClock } from '../../../support/nameserver/quick-clock.ts';
import { temporaryFolder } from '../../../support/temporary.ts';

const WAIT = { timeout: 15_000, interval: 10 };
let root: string;
beforeAll(async () => {
  root = await temporaryFolder('node');
});

async function startWorld(options: { zones?: readonly string[] } = {}) {
  const feed = new FakeFeed();
  await feed.start();
  onTestFinished(() => feed.stop());
  const engine = new MemoryEngine();
  for (const name of options.zones ?? []) feed.create(name, [address('www')]);
  const folder = join(root, randomUUID());
  return {
    feed,
    engine,
    folder,
    start: (more: Partial<Parameters<typeof startTestNode>[0]> = {}) =>
      startTestNode({ url: feed.url, engine, folder, random: () => 0, ...more }),
    /** The name server has the contents of the api, and the api knows. */
    converged: () =>
      vi.waitFor(() => {
        const { cursor, failingCount } = feed.reports.at(-1) ?? {};
        const held = engine.contents();
        expect({ held, cursor, failingCount }).toEqual({
          held: feed.contents(),
          cursor: feed.cursor(),
          failingCount: 0,
        });
      }, WAIT),
  };
}

const numbered = (count: number) => Array.from({ length: count }, (_, at) => `z${at}.test`);

describe('a node', () => {
  it('applies the list, changes, new zones and deletions, and reports its cursor', async () => {
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

  it('is not ready, and reports no cursor, before the first list is applied', async () => {
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

  it('continues after a crash: nothing is committed again, and missed changes arrive', async () => {
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

  it('compares the contents of the name server when its state is lost, and commits no name again', async () => {
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

  it('removes a deleted zone before it adds another one of the same name', async () => {
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

  it('applies a line that it hears twice once', async () => {
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

  it('works at four zones of the name server at most, and takes small changes ahead of bulk', async () => {
    const { feed, engine, start, converged } = await startWorld({ zones: ['small.test'] });
    start();
    await converged();
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    engine.beforeCommit = (zone) => (zone === 'small.test' ? Promise.resolve() : held);
    for (const name of numbered(30)) feed.create(name);
    await expect.poll(() => engine.atWork).toBe(3);
    feed.set('small.test', { www: [address('www', '192.0.2.5')] });
    await expect.poll(() => engine.commits.at(-1)).toMatchObject({ zone: 'small.test', names: ['www'] });
    release();
    await converged();
    expect(engine.mostAtWork).toBe(4);
  });

  it('applies changes that arrive while a zone is read after that', async () => {
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
});

describe('a failing zone', () => {
  it('is reported and retried, does not hold up the others, and survives a crash', async () => {
    const { feed, engine, start, converged } = await startWorld({ zones: ['bad.test', 'good.test'] });
    engine.refused.add('bad.test');
    const first = start({ clock: new QuickClock(20) });
    await expect.poll(() => feed.reports.at(-1)?.cursor).toBe(feed.cursor());
    feed.set('good.test', { www: [] });
    await expect.poll(() => feed.reports.at(-1)?.cursor).toBe(feed.cursor());
    expect(feed.reports.at(-1)?.failing).toEqual([{ id: feed.zone('bad.test').id, error: 'bad.test: semantic check' }]);
    await expect.poll(() => first.state.facts().cursor).toBe(feed.cursor());
    await first.crash();
    engine.refused.clear();
    start();
    await converged();
  });

  it('is tried again at once when the name server is back', async () => {
    const { feed, engine, start, converged } = await startWorld({ zones: ['a.test'] });
    const { metrics, node, lines } = start({ clock: new QuickClock(20), random: () => 1 });
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

  it('that only takes long does not hold back the cursor, and is reported until it is there', async () => {
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
});

describe('a feed with faults', () => {
  const clock = () => new QuickClock(20);

  it.each<[string, Fault]>([
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
    ['sends another zone', { path: /zones/, rewrite: (line) => line.replace('"name":"a.test"', '"name":"b.test"') }],
    ['is overloaded', { path: /./, status: 503, retryAfter: '1', times: 3 }],
  ])('converges when it %s, and applies nothing that is wrong', async (_, fault) => {
    const { feed, engine, start, converged } = await startWorld({ zones: ['a.test'] });
    feed.faults.push({ ...fault });
    start({ clock: clock() });
    await converged();
    expect(engine.commits).toHaveLength(1);
  });

  it('that refuses the key is asked rarely, and the log names the remedy', async () => {
    const { feed, start, converged } = await startWorld({ zones: ['a.test'] });
    feed.faults.push({ path: /feed$/, status: 401, times: 1 });
    const { lines, metrics } = start({ clock: clock() });
    await expect.poll(() => metric(metrics, 'node_feed_ends_total', { reason: 'refused' })).toBe(1);
    expect(lines.join()).toMatch(/refuses the key of this node \(401 unauthorized/);
    expect(JSON.parse(lines.find((line) => line.includes('refuses')) ?? '').retryMs).toBeGreaterThanOrEqual(30_000);
    await converged();
  });

  it('with a clock that is off by an hour is followed; the log warns', async () => {
    const { feed, start, converged } = await startWorld({ zones: ['a.test'] });
    feed.dateOffsetMs = -3_600_000;
    const { lines } = start();
    await converged();
    feed.cut();
    await expect.poll(() => feed.connections).toBe(1);
    expect(lines.filter((line) => line.includes('differs from the clock of the api by -3'))).toHaveLength(1);
  });

  it('that continues after a cursor that the node does not have is not believed', async () => {
    const { feed, start, converged } = await startWorld({ zones: ['a.test'] });
    feed.faults.push({ path: /feed$/, rewrite: (line) => line.replace('"resumed":false', '"resumed":true') });
    const { lines } = start();
    await converged();
    expect(lines.join()).toMatch(/continues after a cursor that it did not give/);
  });

  it('makes the node unready only after the set time', async () => {
    const { feed, start, converged } = await startWorld({ zones: ['a.test'] });
    const own = clock();
    const { node, metrics } = start({ clock: own });
    await converged();
    feed.faults.push({ path: /feed$/, status: 503, times: 1_000 });
    feed.cut();
    await expect.poll(() => node.ready().checks?.feed).toMatch(/fault 503/);
    expect(node.ready().ok).toBe(true);
    own.jump(301_000);
    expect(node.ready()).toMatchObject({ ok: false });
    expect(await metric(metrics, 'node_feed_lag_seconds')).toBeGreaterThan(300);
  });
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

  it('removes nothing at first, is reported, and removes them when it comes again after 10 minutes', async () => {
    const { feed, engine, clock, start, converged } = await world();
    const second = start({ clock });
    await expect.poll(() => feed.reports.at(-1)?.failingCount).toBe(25);
    expect(engine.held.size).toBe(30);
    expect(second.lines.join()).toMatch(/lacks more than half of the zones of this node/);
    // A restart begins the wait again.
    await second.crash();
    feed.reports.length = 0;
    start({ clock });
    await expect.poll(() => feed.reports.at(-1)?.failingCount).toBe(25);
    const lists = feed.requests.filter((each) => each === 'GET /v1/feed').length;
    feed.cut();
    await expect.poll(() => feed.requests.at(-1)).toMatch(/report|after=/);
    expect(feed.requests.filter((each) => each === 'GET /v1/feed')).toHaveLength(lists);
    expect(engine.held.size).toBe(30);
    clock.jump(600_000);
    await converged();
    expect(engine.held.size).toBe(5);
  });

  it('keeps zones that come back', async () => {
    const { feed, engine, clock, start, converged } = await world();
    start({ clock });
    await expect.poll(() => feed.reports.at(-1)?.failingCount).toBe(25);
    for (const name of numbered(25)) feed.create(name, [address('www')]);
    feed.forget();
    await converged();
    expect(engine.held.size).toBe(30);
  });

  it('removes them at once if the setting says so', async () => {
    const { engine, clock, start, converged } = await world();
    start({ clock, removesAll: true });
    await converged();
    expect(engine.held.size).toBe(5);
  });

  it('does not lead to removals by way of zones that are read again', async () => {
    const { feed, engine, clock, start } = await world();
    for (const held of engine.held.values()) held.serial = 1;
    start({ clock });
    await expect.poll(() => feed.reports.at(-1)?.failingCount).toBe(25);
    expect(engine.held.size).toBe(30);
  });
});

describe('a comparison', () => {
  it('on demand finds and corrects foreign edits, counts them, and names them', async () => {
    const { feed, engine, start, converged } = await startWorld({ zones: ['a.test', 'b.test'] });
    const { metrics, lines } = start({ clock: new QuickClock(20) });
    await converged();
    engine.edit('a.test', address('www', '198.51.100.1'));
    engine.edit('a.test', address('intruder'));
    feed.compare = 'now';
    await converged();
    expect(await metric(metrics, 'node_differences_total')).toBe(2);
    expect(lines.find((line) => line.includes('other records than the api'))).toContain('"names":["www","intruder"]');
    const requests = feed.requests.length;
    await expect.poll(() => feed.requests.length).toBeGreaterThan(requests + 2);
    expect(feed.requests.filter((each) => each.endsWith('/digest')).length).toBeLessThanOrEqual(4);
  });

  it('reaches each zone once in its interval', async () => {
    const { feed, start, converged } = await startWorld({ zones: ['a.test', 'b.test', 'c.test'] });
    const { metrics } = start({ compareMs: 300 });
    await converged();
    await expect.poll(() => metric(metrics, 'node_comparisons_total', { result: 'equal' })).toBeGreaterThan(6);
    const asked = feed.requests.filter((each) => each.endsWith('/digest'));
    expect(new Set(asked).size).toBe(3);
  });

  it('with the serials finds zones that the name server lost or got from elsewhere', async () => {
    const { feed, engine, start, converged } = await startWorld({ zones: ['a.test', 'b.test'] });
    start({ clock: new QuickClock(200) });
    await converged();
    engine.held.delete('a.test');
    await engine.add([{ name: 'foreign.test', privateKey: 'k' }], AbortSignal.timeout(1_000));
    await converged();
    expect(feed.requests.filter((each) => each === 'GET /v1/feed')).toHaveLength(2);
  });
});

describe('two nodes', () => {
  it('with one name are told so, and both continue', async () => {
    const { feed, start, converged } = await startWorld({ zones: ['a.test'] });
    feed.duplicate = true;
    const { metrics, lines } = start();
    await converged();
    await expect.poll(() => metric(metrics, 'node_duplicate')).toBe(1);
    expect(lines.join()).toMatch(/another node reports as .{1,3}ns1/);
  });

  it('cannot use one folder', async () => {
    const { start } = await startWorld();
    start();
    expect(() => start()).toThrow(/Give each node a folder of its own/);
  });
});

it('a key is in no line of the log', async () => {
  const { engine, start } = await startWorld({ zones: ['a.test'] });
  engine.refused.add('a.test');
  const { lines } = start({ key: 'yk_abc_secret' });
  await expect.poll(() => lines.join()).toMatch(/semantic check/);
  expect(lines.join()).not.toMatch(/secret|key of z/);
});

// An api that is newer than the node sends a kind of line that the node does not know.
import { expect, test } from 'vitest';
import { address } from '../../../support/faulty-node/fake-feed.ts';
import { startWorld } from '../../../support/faulty-node/node-world.ts';
import { QuickClock } from '../../../support/time/quick-clock.ts';

type Line = Record<string, unknown>;

/** A node whose feed says something else in place of each `change`. */
async function startLater(replace: (change: Line) => Line) {
  const world = await startWorld({ zones: ['one.test', 'two.test'] });
  const rewrite = (text: string) => {
    const line = JSON.parse(text) as Line;
    return line.kind === 'change' || line.kind === 'sets' ? `${JSON.stringify(replace(line))}\n` : text;
  };
  world.feed.faults.push({ path: /feed$/, rewrite });
  const node = world.start({ clock: new QuickClock(20) });
  await world.converged();
  const { feed } = world;
  const follows = () => feed.requests.filter((each) => each.startsWith('GET /v1/feed?'));
  const reads = () => feed.requests.filter((each) => each.startsWith('GET /v1/feed/zones/')).length;
  const change = () => feed.set('one.test', { www: [address('www', '192.0.2.9')] });
  return { ...world, node, follows, reads, change, rewrite };
}

test('A node says with each request which lines it knows', async () => {
  const { follows, feed } = await startLater((line) => line);
  expect(follows()[0]).toContain('understands=1');
  expect(feed.requests.find((each) => each.includes('/zones/'))).toContain('understands=1');
});

test('A node reads a zone again of which a line says something that it does not know', async () => {
  const { change, converged, follows, reads, node, feed } = await startLater((line) => ({ ...line, kind: 'change-2' }));
  const before = reads();
  change();
  await converged();
  expect(reads()).toBe(before + 1);
  expect(follows()).toHaveLength(1);
  await expect.poll(() => feed.reports.at(-1)?.cursor).toBe(feed.cursor());
  expect(node.lines.join()).toContain('the api is newer than this node');
});

test('A node reads the list again after a line without a zone that it does not know', async () => {
  const { change, converged, follows } = await startLater(() => ({ kind: 'policy', strict: true }));
  change();
  await converged();
  expect(follows().length).toBeGreaterThan(1);
  expect(follows().at(-1)).not.toContain('after=');
});

test('A node skips an unknown line that says that nothing is lost', async () => {
  const { change, feed, follows, reads, node } = await startLater(() => ({ kind: 'hint', skippable: true }));
  const before = reads();
  change();
  await expect.poll(() => node.lines.join()).toContain('the api is newer than this node');
  const reports = feed.reports.length;
  await expect.poll(() => feed.reports.length).toBeGreaterThan(reports + 2);
  expect([reads(), follows().length]).toEqual([before, 1]);
});

test('Unknown lines without a zone lead to a list once a minute, not to a list for each', async () => {
  const { feed, change, converged, follows, rewrite } = await startLater(() => ({ kind: 'policy' }));
  feed.faults.push({ path: /feed$/, times: 1_000, rewrite });
  change();
  await converged();
  const before = follows().length;
  for (let round = 0; round < 10; round += 1) {
    feed.tell('one.test', ['www']);
    const reports = feed.reports.length;
    await expect.poll(() => feed.reports.length, { interval: 10 }).toBeGreaterThan(reports + 1);
  }
  expect(follows().length).toBeLessThan(before + 3);
});

test('A node does not apply a zone whose lines it does not all know, and says so', async () => {
  const { feed, engine } = await startLater((line) => line);
  const contents = engine.contents()['two.test'];
  const rewrite = (text: string) => text.replace('"kind":"sets"', '"kind":"sets-2"');
  feed.faults.push({ path: /zones/, times: 10_000, rewrite });
  feed.rewind('two.test', [address('www', '192.0.2.8')]);
  feed.forget();
  await expect.poll(() => feed.reports.at(-1)?.failing[0]?.error).toContain('sent "sets-2"');
  expect(engine.contents()['two.test']).toEqual(contents);
});

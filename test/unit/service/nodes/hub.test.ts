// The hub of the feed: the lines of each stream and their order, many streams, and failures.
import { afterEach, expect, test } from 'vitest';
import { MAX_STREAMS } from '#service/nodes/hub.ts';
import { advance, closeHub, lastCursor, startHub } from '../../../support/feed/feed-hub.ts';

afterEach(closeHub);

test('a stream without a cursor begins with the list of all zones', async () => {
  const { source, open } = startHub();
  for (const zone of ['a', 'b', 'c']) source.change(zone, ['www']);
  source.pageSize = 2;
  const reader = await open();
  expect(reader.said).toEqual(['begin', 'listed a', 'listed b', 'listed c', 'list-end 3']);
  expect(reader.lines[0]).toMatchObject({ epoch: 'memory.1', resumed: false, cursor: 'memory.1:104' });
});

test('a stream gets each change once, with the RRsets as they are', async () => {
  const { source, commits, open } = startHub();
  const reader = await open();
  source.change('a', ['www', 'ftp']);
  commits.announce();
  await advance(15);
  source.change('a', null);
  source.remove('b');
  await advance(1_000);
  expect(reader.said.slice(2)).toEqual(['change a: www ftp = 2', 'gone b', 'reload a']);
});

test('a stream reloads a zone that was deleted and restored, and does not lose it', async () => {
  const { source, open } = startHub();
  source.change('a', ['www']);
  const reader = await open();
  source.remove('a');
  source.change('a', null);
  source.change('b', ['www']);
  source.remove('b');
  await advance(1_000);
  expect(reader.said.filter((line) => /^(gone|reload|change)/.test(line)).sort()).toEqual(['gone b', 'reload a']);
  expect((await open(null, 'ns2')).said).toContain('listed a');
});

test('a stream ends when its connection closed before it began, and leaves no place taken', async () => {
  const { open, metric, log } = startHub();
  const reader = await open(null, 'ns1', 'key', (each) => each.leave());
  expect([reader.ended, reader.lines, await metric('feed_streams')]).toEqual(['in order', [], 0]);
  expect(log).toEqual([]);
  expect((await open()).said).toEqual(['begin', 'list-end 0']);
});

test('a stream resumes with the changes since its cursor, and with no list', async () => {
  const { source, open } = startHub();
  const first = await open();
  source.change('a', ['one']);
  await advance(100);
  const cursor = lastCursor(first);
  source.change('a', ['two']);
  await advance(100);
  const second = await open(cursor);
  expect(second.said).toEqual(['resumed', 'change a: two = 1']);
  expect(lastCursor(second)).toBe(lastCursor(first));
});

test.each(['other.1:100', 'x', ''])('a stream with the cursor "%s" begins with the list', async (after) => {
  const { open } = startHub();
  expect((await open(after)).said).toEqual(['begin', 'list-end 0']);
});

test('a stream is told nothing before its beginning, however long that takes', async () => {
  const { source, open } = startHub();
  await open();
  source.change('a', ['www']);
  await advance(100);
  const list = source.list;
  const gate = Promise.withResolvers<void>();
  source.list = async function* (signal) {
    await gate.promise;
    yield* list(signal);
  };
  const late = await open(null, 'ns2');
  source.change('a', ['later']);
  await advance(3_000);
  expect(late.lines.map(({ kind }) => kind)).toEqual(['begin']);
  gate.resolve();
  await advance(100);
  expect(late.said).toEqual(['begin', 'listed a', 'list-end 1', 'change a: later = 1']);
});

test('a stream gets a beat every second', async () => {
  const { open } = startHub();
  const reader = await open();
  const before = reader.lines.length;
  await advance(5_000);
  expect(reader.lines.slice(before).map(({ kind }) => kind)).toEqual(Array(5).fill('beat'));
});

test('the cursor in the lines of one look is the one before; the beat after them has the new one', async () => {
  const { source, open } = startHub();
  const reader = await open();
  const before = lastCursor(reader);
  const count = reader.chunks.length;
  source.change('a', ['www']);
  source.change('b', ['www']);
  await advance(100);
  const lines = Buffer.concat(reader.chunks.slice(count))
    .toString()
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(lines.map(({ kind, cursor }) => [kind, cursor])).toEqual([
    ['change', before],
    ['change', before],
    ['beat', 'memory.1:103'],
  ]);
});

test('the cursor stays before a transaction that has not ended, while later changes are told once', async () => {
  const { source, open } = startHub();
  const reader = await open();
  const commit = source.begin();
  source.change('b', ['www']);
  await advance(500);
  expect(lastCursor(reader)).toBe('memory.1:101');
  commit('a', ['slow']);
  await advance(500);
  expect(reader.said.slice(2)).toEqual(['change b: www = 1', 'change a: slow = 1']);
  expect(lastCursor(reader)).toBe('memory.1:103');
});

test('the cursor comes at once when a transaction ends that held it back', async () => {
  const { source, open } = startHub();
  const reader = await open();
  const commit = source.begin();
  source.change('b', ['www']);
  await advance(2_000);
  commit('a', []);
  const before = reader.lines.length;
  await advance(60);
  expect(reader.lines.slice(before).at(-1)).toEqual({ kind: 'beat', cursor: 'memory.1:103' });
});

test('many streams share one look and one rendering', async () => {
  const { source, open } = startHub();
  const readers = await Promise.all(['a', 'b', 'c', 'd'].map((node) => open(null, node)));
  source.calls.render.length = 0;
  source.change(
    'zone',
    Array.from({ length: 1_000 }, (_, at) => `n${at}`),
  );
  await advance(200);
  expect(source.calls.render).toEqual([['zone', 1_000]]);
  for (const reader of readers) {
    const changes = reader.lines.filter((line) => line.kind === 'change');
    expect(changes.map(({ names, sets }) => [names.length, sets.length])).toEqual([[1_000, 1_000]]);
  }
});

test('many streams are limited, also for one node, whose oldest stream ends', async () => {
  const { open, metric } = startHub();
  const own = [await open(), await open(), await open()];
  expect(own.map(({ ended }) => ended)).toEqual(['in order', null, null]);
  for (let at = 2; at < MAX_STREAMS; at += 1) await open(null, `node${at}`);
  await expect(open(null, 'more')).rejects.toMatchObject({ code: 'busy' });
  // One that would replace another is no more.
  expect((await open()).ended).toBe(null);
  expect(await metric('feed_streams')).toBe(MAX_STREAMS);
});

test('many streams end when their key ends, and others stay', async () => {
  const keys = new Set(['key', 'other']);
  const { open } = startHub(keys);
  const [revoked, valid] = [await open(), await open(null, 'ns2', 'other')];
  keys.delete('key');
  await advance(5_000);
  expect([revoked.ended, valid.ended]).toEqual(['in order', null]);
});

test('many streams end normally when the process exits, and no other begins', async () => {
  const { open, close } = startHub();
  const reader = await open();
  const closing = close();
  expect(reader.ended).toBe('in order');
  await expect(open()).rejects.toMatchObject({ code: 'busy' });
  await advance(10);
  await closing;
});

test('looks at the database happen only while a node follows', async () => {
  const { source, open } = startHub();
  await advance(5_000);
  expect(source.calls.changesSince).toBe(0);
  const reader = await open();
  await advance(1_000);
  // Every 50 ms in quiet times.
  expect(source.calls.changesSince).toBeGreaterThan(15);
  expect(source.calls.changesSince).toBeLessThan(25);
  reader.leave();
  await advance(100);
  const before = source.calls.changesSince;
  await advance(5_000);
  expect(source.calls.changesSince).toBe(before);
});

test('looks at the database happen at most every 10 ms, however often the process commits', async () => {
  const { source, commits, open } = startHub();
  await open();
  const before = source.calls.changesSince;
  for (let ms = 0; ms < 1_000; ms += 1) {
    source.change('a', ['www']);
    commits.announce();
    await advance(1);
  }
  const looks = source.calls.changesSince - before;
  expect(looks).toBeGreaterThan(80);
  expect(looks).toBeLessThanOrEqual(101);
});

test('looks at the database happen at once for each change of this process that does not follow another one quickly', async () => {
  const { source, commits, open } = startHub();
  const reader = await open();
  for (const name of ['one', 'two', 'three']) {
    source.change('a', [name]);
    commits.announce();
    await advance(1);
    expect(reader.said.at(-1)).toBe(`change a: ${name} = 1`);
    // No multiple of the times between looks.
    await advance(42);
  }
});

test('looks at the database are frequent after a change of another process, and not after one of this process', async () => {
  const { source, commits, open } = startHub();
  await open();
  const looksIn = async (ms: number) => {
    const before = source.calls.changesSince;
    await advance(ms);
    return source.calls.changesSince - before;
  };
  await advance(1_000);
  source.change('a', ['www']);
  commits.announce();
  expect(await looksIn(400)).toBeLessThanOrEqual(400 / 50 + 1);
  source.change('a', ['www']);
  await advance(50);
  expect(await looksIn(400)).toBeGreaterThanOrEqual(400 / 10 - 1);
});

test('looks at the database are retried after a failure, which is logged once; nothing is lost', async () => {
  const { source, log, open, metric } = startHub();
  const reader = await open();
  source.failing.changesSince = 5;
  source.change('a', ['www']);
  await advance(10_000);
  expect(reader.said.slice(2)).toEqual(['change a: www = 1']);
  expect(log.map(({ msg }) => msg)).toEqual([
    'the feed failed to look for changes; retrying',
    'the feed finds changes again',
  ]);
  expect(await metric('feed_polls_total{result="failed"}')).toBe(5);
});

test('looks at the database that fail before the first one refuse the stream', async () => {
  const { source, open } = startHub();
  source.failing.position = 1;
  await expect(open()).rejects.toThrow('position fails');
  await advance(200);
  expect((await open()).said).toEqual(['begin', 'list-end 0']);
});

test('looks at the database that cannot be continued end all streams', async () => {
  const { source, open } = startHub();
  const reader = await open();
  source.moved = true;
  await advance(100);
  expect(reader.ended).toBe('in order');
  expect((await open(lastCursor(reader))).said).toEqual(['resumed']);
});

test('a zone that cannot be rendered holds back the cursor, but no other zone', async () => {
  const { source, log, open } = startHub();
  const reader = await open();
  const before = lastCursor(reader);
  Object.assign(source.failing, { render: 5, renderOf: 'bad' });
  source.change('bad', ['www']);
  await advance(200);
  source.change('good', ['www']);
  await advance(200);
  expect(reader.said.slice(2)).toEqual(['change good: www = 1']);
  expect(lastCursor(reader)).toBe(before);
  await advance(20_000);
  expect(reader.said.slice(2)).toEqual(['change good: www = 1', 'change bad: www = 1']);
  expect(lastCursor(reader)).not.toBe(before);
  expect(log).toHaveLength(1);
});

test('a zone that cannot be rendered is told later to a stream that resumes, too', async () => {
  const { source, open } = startHub();
  const cursor = lastCursor(await open());
  source.change('bad', ['www']);
  source.change('good', ['www']);
  await advance(200);
  Object.assign(source.failing, { render: 2, renderOf: 'bad' });
  const second = await open(cursor);
  expect(second.said).toEqual(['resumed', 'change good: www = 1']);
  await advance(5_000);
  expect(second.said.slice(2)).toEqual(['change bad: www = 1']);
});

test('changed settings of the service make every stream reload every zone, in pages', async () => {
  const { source, open } = startHub();
  for (const zone of ['a', 'b', 'c']) source.change(zone, ['www']);
  source.pageSize = 1;
  const reader = await open();
  const cursor = lastCursor(reader);
  source.changeAll();
  source.change('a', ['www']);
  source.remove('b');
  await advance(200);
  expect(reader.said.slice(5).sort()).toEqual(['gone b', 'reload a', 'reload c']);
  expect(lastCursor(reader)).toBe('memory.1:107');
  expect((await open(cursor, 'ns2')).said).toEqual(['resumed', 'gone b', 'reload a', 'reload c']);
});

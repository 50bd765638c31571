// An api that is newer than a node: the node gets no kind of line that it does not know. The future kind of these tests
// is a kind of today that only nodes of level 2 know.
import { afterEach, expect, test } from 'vitest';
import { fitPart } from '#service/nodes/levels.ts';
import type { ServedLine } from '#service/nodes/lines.ts';
import { buildFeedPart } from '#service/nodes/lines.ts';
import { advance, closeHub, lastCursor, startHub } from '../../../support/feed/feed-hub.ts';

afterEach(closeHub);

const LEVELS = { change: 2, note: 2 };
const open = (hub: ReturnType<typeof startHub>, understands: number, after: string | null = null) =>
  hub.open(after, `ns${understands}`, 'key', () => undefined, understands);

test('a node that does not know a kind is told to read the zone again, and a newer node gets the line', async () => {
  const hub = startHub(undefined, LEVELS);
  const [older, newer] = [await open(hub, 1), await open(hub, 2)];
  hub.source.change('a', ['www']);
  await advance(1_000);
  expect(older.said.slice(2)).toEqual(['reload a']);
  expect(newer.said.slice(2)).toEqual(['change a: www = 1']);
  expect(lastCursor(older)).toBe(lastCursor(newer));
});

test('a node that does not know a kind is told the same when it resumes', async () => {
  const hub = startHub(undefined, LEVELS);
  const cursor = lastCursor(await open(hub, 1));
  hub.source.change('a', ['www']);
  hub.source.remove('b');
  await advance(1_000);
  expect((await open(hub, 1, cursor)).said.sort()).toEqual(['gone b', 'reload a', 'resumed']);
});

test('a node that does not know a line without a zone reads all zones again, and its position stays until then', async () => {
  const hub = startHub(undefined, { gone: 2 });
  for (const zone of ['a', 'b', 'c']) hub.source.change(zone, ['www']);
  const older = await open(hub, 1);
  const before = lastCursor(older);
  hub.source.remove('c');
  await advance(1_000);
  expect(older.said.slice(5)).toEqual(['reload a', 'reload b']);
  const reloads = older.lines.filter((line) => line.kind === 'reload');
  expect(reloads.map(({ cursor }) => cursor)).toEqual([before, before]);
  expect(lastCursor(older)).not.toBe(before);
});

test('a node that resumes before a line without a zone that it does not know keeps its position until it has read all', async () => {
  const hub = startHub(undefined, { gone: 2 });
  for (const zone of ['a', 'b', 'c']) hub.source.change(zone, ['www']);
  const cursor = lastCursor(await open(hub, 1));
  hub.source.remove('c');
  await advance(1_000);
  const older = await open(hub, 1, cursor);
  expect(older.said).toEqual(['resumed', 'reload a', 'reload b']);
  const reloads = older.lines.filter((line) => line.kind === 'reload');
  expect(reloads.map((line) => line.cursor)).toEqual([cursor, cursor]);
  expect(lastCursor(older)).not.toBe(cursor);
});

test('a part that the node knows is sent as it is', () => {
  const beat = buildFeedPart([{ kind: 'beat', cursor: 'x' }]);
  expect(fitPart(beat, 1, LEVELS)).toBe(beat);
});

test('a line of a later kind about a zone becomes reload with its position', () => {
  const head = { id: 'z1', name: 'a.test', version: 'v1', serial: 7 };
  const note = { kind: 'note', ...head, text: 'hello', cursor: 'x' } as unknown as ServedLine;
  const part = buildFeedPart([note, { kind: 'beat', cursor: 'x' }]);
  expect(fitPart(part, 1, LEVELS)?.lines).toEqual([
    { kind: 'reload', ...head, cursor: 'x' },
    { kind: 'beat', cursor: 'x' },
  ]);
  expect(fitPart(part, 2, LEVELS)).toBe(part);
});

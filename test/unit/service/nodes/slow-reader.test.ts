// A reader of the feed that reads slowly, or not at all.
import { afterEach, expect, test } from 'vitest';
import { FEW_WAITING, MAX_WAITING } from '#service/nodes/outlet.ts';
import { advance, closeHub, lastCursor, startHub } from '../../../support/feed/feed-hub.ts';

afterEach(closeHub);

const LONG = Array.from({ length: 1_000 }, (_, at) => `${'x'.repeat(60)}${at}`);

async function slow() {
  const all = startHub();
  const reader = await all.open();
  const other = await all.open(null, 'other');
  reader.isReading = false;
  for (let at = 0; at < 8; at += 1) {
    all.source.change('zone', LONG, `192.0.2.${at}`);
    await advance(100);
  }
  return { ...all, reader, other };
}

test('a slow reader gets the union of the changes that it missed, and others wait for nothing', async () => {
  const { source, reader, other } = await slow();
  expect(reader.waiting()).toBeGreaterThan(FEW_WAITING);
  expect(reader.waiting()).toBeLessThan(MAX_WAITING + 300_000);
  const told = reader.lines.length;
  expect(other.said.length).toBeGreaterThan(reader.said.length);
  source.change('zone', ['last']);
  source.change('second', ['www']);
  await advance(100);
  reader.read();
  await advance(200);
  const missed = reader.lines.slice(told).filter((line) => line.kind === 'change');
  expect(missed.map(({ id, names }) => [id, names.length])).toEqual([
    ['zone', 1_000],
    ['zone', 1],
    ['second', 1],
  ]);
  expect(lastCursor(reader)).toBe(lastCursor(other));
});

test('a slow reader is told to reload a zone with many missed changes', async () => {
  const { source, reader } = await slow();
  for (let at = 0; at < 10; at += 1) {
    source.change(
      'zone',
      LONG.map((name) => `${at}.${name}`),
    );
    await advance(20);
  }
  const told = reader.said.length;
  reader.read();
  await advance(200);
  expect(reader.said.slice(told)).toEqual(['reload zone']);
});

test('a slow reader is ended when it takes nothing for 15 s', async () => {
  const { reader, other } = await slow();
  await advance(20_000);
  expect([reader.ended, other.ended]).toEqual(['at once', null]);
});

test('a slow reader is ended when too many zones wait for it', async () => {
  const { source, reader, other } = await slow();
  for (let at = 0; at < 20_500; at += 1) source.change(`z${at}`, null);
  await advance(4_000);
  expect([reader.ended, other.ended]).toEqual(['at once', null]);
});

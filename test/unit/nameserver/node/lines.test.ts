// NDJSON in chunks of any size: lines, their bound, and silence.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readFeedLines } from '#nameserver/node/lines.ts';
import { FakeClock, settle } from '../../../support/time/fake-clock.ts';

async function* chunksOf(octets: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < octets.length; at += size) yield octets.subarray(at, at + size);
}

async function linesOf(text: string, size = 3, maxBytes = 1_000): Promise<string[]> {
  const limits = { maxBytes, silenceMs: 5_000, clock: new FakeClock(), abort: () => undefined };
  return Array.fromAsync(readFeedLines(chunksOf(Buffer.from(text), size), limits));
}

test('the reader of lines puts lines together from chunks of any size, also within a character', async () => {
  const line = fc
    .string({ unit: 'grapheme', maxLength: 20 })
    .filter((text) => !text.includes('\n') && text.isWellFormed());
  await fc.assert(
    fc.asyncProperty(fc.array(line, { maxLength: 8 }), fc.integer({ min: 1, max: 40 }), async (lines, size) => {
      expect(await linesOf(lines.map((each) => `${each}\n`).join(''), size)).toEqual(lines);
    }),
  );
});

test('the reader of lines drops a line that was cut', async () => {
  expect(await linesOf('{"a":1}\n{"b"')).toEqual(['{"a":1}']);
});

test.each([
  ['without an end', 'x'.repeat(1_001)],
  ['that ends late', `${'x'.repeat(1_001)}\n`],
])('the reader of lines refuses a line %s that is longer than the bound', async (_, text) => {
  await expect(linesOf(text)).rejects.toThrow('longer than 1000 bytes');
  await expect(linesOf(text, 5_000)).rejects.toThrow('longer than 1000 bytes');
});

test('the reader of lines ends the connection after silence, and not before', async () => {
  const clock = new FakeClock();
  let reason: Error | null = null;
  let fail: (error: Error) => void = () => undefined;
  const body = {
    [Symbol.asyncIterator]: () => ({ next: () => new Promise<never>((_, reject) => (fail = reject)) }),
  };
  const abort = (error: Error) => {
    reason ??= error;
    fail(error);
  };
  const read = readFeedLines(body, { maxBytes: 10, silenceMs: 5_000, clock, abort }).next();
  read.catch(() => undefined);
  await clock.advance(4_999);
  expect(reason).toBeNull();
  await clock.advance(300);
  await settle();
  await expect(read).rejects.toThrow('the api sent nothing for 5 s');
  expect(clock.timers()).toEqual([]);
});

// Large reads of slow clients: how long they keep a slot, alone and while another team waits.
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { readInSlot } from '#service/large-read.ts';
import { limitWork } from '#service/permits.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
afterEach(() => void vi.useRealTimers());

const MIB = 1024 * 1024;
const PAGE = MIB / 4;
const slotsOf = () => limitWork({ total: 4, share: 2, waiting: 32, waitMs: 10_000, work: 'large reads' });
const actor = (teamId: string) => ({ teamId, user: null, keyId: `key of ${teamId}` });

async function* pagesOf(count: number) {
  for (let n = 0; n < count; n += 1) yield 'x'.repeat(PAGE);
}

/** Reads pages at a rate in octets a second. @returns the time in ms, and the octets, until the end or the refusal */
async function read(largeReads: ReturnType<typeof slotsOf>, team: string, rate: number, pages = 400) {
  const started = performance.now();
  let octets = 0;
  const signal = new AbortController().signal;
  try {
    for await (const page of readInSlot(
      { largeReads },
      actor(team),
      signal,
      () => pagesOf(pages),
      (text) => text.length,
    )) {
      await new Promise((resolve) => setTimeout(resolve, (page.length / rate) * 1_000));
      octets += page.length;
    }
    return { end: 'complete', ms: performance.now() - started, octets };
  } catch (error) {
    return { end: (error as { code: string }).code, ms: performance.now() - started, octets };
  }
}

test('a slow client keeps its slot for 30 s and the time of its octets at 256 KiB/s', async () => {
  const slots = slotsOf();
  const reads = Promise.all([read(slots, 'a', MIB), read(slots, 'a', MIB / 8), read(slots, 'b', MIB / 8, 10)]);
  await vi.advanceTimersByTimeAsync(200_000);
  const [fast, slow, short] = await reads;
  expect([fast.end, short.end]).toEqual(['complete', 'complete']);
  expect([slow.end, Math.round(slow.ms / 10_000)]).toEqual(['busy', 6]);
});

test('while two teams hold all slots with slow clients, the large read of a third team is answered', async () => {
  const slots = slotsOf();
  const slow = ['a', 'a', 'b', 'b'].map((team) => read(slots, team, 230_000));
  await vi.advanceTimersByTimeAsync(2_000);
  const third = read(slots, 'c', 20 * MIB, 10);
  await vi.advanceTimersByTimeAsync(9_900);
  expect(await Promise.race([third, 'waits'])).toMatchObject({ end: 'complete' });
  // One slot was enough: the other reads stay.
  await vi.advanceTimersByTimeAsync(300_000);
  const ended = (await Promise.all(slow)).map(({ ms }) => ms).sort((one, other) => one - other);
  expect([Number(ended[0]) < 12_000, Number(ended[1]) > 30_000]).toEqual([true, true]);
});

test('a client that reads 1 MiB/s keeps its slot while others wait', async () => {
  const slots = slotsOf();
  const reads = ['a', 'a', 'b', 'b'].map((team) => read(slots, team, 1.1 * MIB, 60));
  await vi.advanceTimersByTimeAsync(1_000);
  const third = read(slots, 'c', MIB, 1);
  await vi.advanceTimersByTimeAsync(60_000);
  expect((await third).end).toBe('busy');
  expect((await Promise.all(reads)).map(({ end }) => end)).toEqual(Array(4).fill('complete'));
});

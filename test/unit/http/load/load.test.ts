// When a process counts as overloaded, with made-up measurements and a clock of the test.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createBodyBudget } from '#http/load/body-budget.ts';
import { judgeLoad, type Load, type Measurement, NO_LOAD } from '#http/load/load.ts';
import { computeDelay, createMeter } from '#http/load/measure.ts';

const CALM: Measurement = { delayMs: 0, heap: 0.3, resident: 0.3 };
const EVERY_MS = 200;

/** The load after so many measurements, 200 ms apart. */
function loadAfter(measured: Partial<Measurement>, times: number, from: Load = NO_LOAD, since = 0): Load {
  let load = from;
  for (let at = 1; at <= times; at++) load = judgeLoad(load, { ...CALM, ...measured }, since + at * EVERY_MS);
  return load;
}

test.each([
  [{}, 0],
  [{ delayMs: 490 }, 0],
  [{ delayMs: 510 }, 1],
  [{ delayMs: 990 }, 1],
  [{ delayMs: 1_010 }, 2],
  [{ heap: 0.84 }, 0],
  [{ heap: 0.85 }, 1],
  [{ heap: 0.92 }, 2],
  [{ resident: 0.84 }, 0],
  [{ resident: 0.85 }, 1],
  [{ resident: 0.93 }, 2],
  [{ delayMs: 320, heap: 0.95 }, 2],
])('the level stays, while a process measures %j, at %d', (measured, level) => {
  expect(loadAfter(measured, 25).level).toBe(level);
});

test('the level rises within a second of a loop that is held up for 800 ms at a time', () => {
  expect(loadAfter({ delayMs: 800 }, 5).level).toBe(1);
});

test('the level does not rise for one turn of a second', () => {
  expect(loadAfter({ delayMs: 1_000 }, 1).level).toBe(0);
});

test('the level rises at once with memory', () => {
  expect(loadAfter({ heap: 0.93 }, 1).level).toBe(2);
});

test('the level falls only after two calm seconds, and not to where it would rise again', () => {
  const high = loadAfter({ heap: 0.93 }, 1);
  // Below the threshold of entering, above that of leaving.
  expect(loadAfter({ heap: 0.9 }, 50, high, 200).level).toBe(2);
  expect(loadAfter({ heap: 0.5 }, 10, high, 200).level).toBe(2);
  expect(loadAfter({ heap: 0.5 }, 11, high, 200).level).toBe(0);
  expect(loadAfter({ heap: 0.8 }, 11, high, 200).level).toBe(1);
});

test('the level begins to count again when the load comes back meanwhile', () => {
  const high = loadAfter({ heap: 0.93 }, 1);
  const nearly = loadAfter({ heap: 0.5 }, 9, high, 200);
  const again = loadAfter({ heap: 0.9 }, 1, nearly, 2_000);
  expect(again).toMatchObject({ level: 2, calmSince: null });
  expect(loadAfter({ heap: 0.5 }, 9, again, 2_200).level).toBe(2);
});

test('the measurement weighs turns of the event loop by their length', () => {
  const sums = (turns: number[]) => ({
    ms: turns.reduce((sum, turn) => sum + turn, 0),
    squares: turns.reduce((sum, turn) => sum + turn ** 2, 0),
  });
  expect(computeDelay(sums([10, 10]))).toBe(0);
  // 20 turns of 10 ms and one of 1,500: a request that comes at any moment waits 1,324 ms, less the 10 of a quiet
  // loop.
  expect(computeDelay(sums([...Array(20).fill(10), 1_500]))).toBeCloseTo(1_324.7 - 10, 0);
  expect(computeDelay(sums([]))).toBe(0);
});

test('the measurement sees a block that begins right after it was read, and every one of several', async () => {
  const meter = createMeter(join(tmpdir(), 'none'));
  const block = (ms: number) => {
    const until = performance.now() + ms;
    while (performance.now() < until);
  };
  try {
    await new Promise((resolve) => setTimeout(resolve, 50));
    for (let round = 0; round < 3; round++) {
      meter.read();
      block(300);
      // The timer of the histogram runs once in the turn after the block.
      await new Promise((resolve) => setTimeout(resolve, 1));
      await new Promise((resolve) => setTimeout(resolve, 1));
      expect(meter.read().delayMs).toBeGreaterThan(200);
    }
    await expect.poll(() => meter.read().delayMs).toBeLessThan(50);
  } finally {
    meter.close();
  }
});

test('the measurement sees a blocked loop, the heap, and the limit of the container', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'zonestead-meter-'));
  const file = join(folder, 'memory.max');
  await writeFile(file, `${2 * process.memoryUsage.rss()}\n`);
  const meter = createMeter(file);
  const free = createMeter(join(folder, 'none'));
  try {
    await new Promise((resolve) => setTimeout(resolve, 50));
    meter.read();
    const until = performance.now() + 400;
    while (performance.now() < until);
    await new Promise((resolve) => setTimeout(resolve, 30));
    const { delayMs, heap, resident } = meter.read();
    expect(delayMs).toBeGreaterThan(200);
    expect(heap).toBeGreaterThan(0);
    expect(heap).toBeLessThan(1);
    expect(resident).toBeGreaterThan(0.3);
    expect(resident).toBeLessThan(0.8);
    expect(free.read().resident).toBe(0);
    await writeFile(file, 'max\n');
    const unlimited = createMeter(file);
    expect(unlimited.read().resident).toBe(0);
    unlimited.close();
  } finally {
    meter.close();
    free.close();
    await rm(folder, { recursive: true });
  }
});

test('the budget of bodies is bounded in total, and half of it for each owner', () => {
  const budget = createBodyBudget(100);
  const [a, b, c] = ['a', 'b', 'c'].map((owner) => budget.open(owner));
  expect([a?.grow(30), a?.grow(20), a?.grow(1)]).toEqual([true, true, false]);
  expect(budget.open('a').grow(1)).toBe(false);
  expect([b?.grow(40), c?.grow(11), c?.grow(10)]).toEqual([true, false, true]);
  expect(budget.taken()).toBe(100);
  a?.release();
  a?.release();
  expect(budget.taken()).toBe(50);
  expect(budget.open('a').grow(50)).toBe(true);
});

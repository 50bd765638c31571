// The histogram of the waits of a run, and the pauses that excuse late processes.
import { expect, test, vi } from 'vitest';
import { summarizePolls } from '../../../support/runner/poll-times.ts';
import { watchPauses } from '../../../support/time/pauses.ts';

test('each wait is counted once, and long ones are named, the longest first', () => {
  const waits = [
    { test: 'a.test.ts > quick', polls: [0, 0.1, 0.2] },
    { test: 'a.test.ts > slow', polls: [11, 1] },
    { test: 'b.test.ts > stuck', polls: [59.96] },
  ];
  expect(summarizePolls(waits)).toBe(
    '6 polls: 2 up to 0.1 s, 2 up to 1 s, 0 up to 10 s, 1 up to 30 s, 1 longer\n' +
      '  60.0 s: b.test.ts > stuck\n  11.0 s: a.test.ts > slow\n',
  );
  expect(summarizePolls([])).toBe('');
});

const POLLS = 'a poll waits for the third look';
test(POLLS, async () => {
  let looks = 0;
  await expect.poll(() => ++looks, { interval: 50 }).toBe(3);
});

test('the test before has the time of its poll', ({ task }) => {
  const { polls = [] } = task.file.tasks.find(({ name }) => name === POLLS)?.meta ?? {};
  expect(polls).toEqual([expect.any(Number)]);
  expect(polls[0]).toBeGreaterThanOrEqual(0.09);
  expect(polls[0]).toBeLessThan(30);
});

test('a pause excuses what is logged soon after it, and nothing else', () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  let now = 1_000_000;
  const pauses = watchPauses(() => now);
  const tick = (ms: number) => {
    now += ms;
    vi.advanceTimersByTime(100);
  };
  for (let round = 0; round < 20; round += 1) tick(100);
  expect(pauses.before(now)).toBe(false);
  tick(500);
  expect(pauses.before(now)).toBe(false);
  tick(2_000);
  expect(pauses.before(now)).toBe(true);
  expect(pauses.before(now + 60_000)).toBe(false);
  pauses.stop();
  vi.useRealTimers();
});

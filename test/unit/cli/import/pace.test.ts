// An import waits for the write limit of its key and for a busy service, says so, and can be stopped.
import { expect, test } from 'vitest';
import { costLine, countImportCost } from '#cli/import/cost.ts';
import { sendInTurn } from '#cli/import/pace.ts';
import { ApiError } from '#client/errors.ts';
import { FakeClock } from '../../../support/time/fake-clock.ts';

const refused = (status: number, code: string, retryAfterMs: number | null) =>
  new ApiError({ status, code, message: 'no', retryAfterMs, requestId: null });

function start(answers: readonly (Error | string)[], signal = new AbortController().signal) {
  const clock = new FakeClock();
  const lines: string[] = [];
  const left = [...answers];
  const result = sendInTurn(
    { clock, signal, warn: (line) => lines.push(line) },
    () => '2 of 9 are made',
    async () => {
      const answer = left.shift();
      if (answer instanceof Error) throw answer;
      return answer;
    },
  );
  result.catch(() => undefined);
  return { clock, lines, result, left };
}

test('a refused request is sent again after Retry-After, with a line before the wait', async () => {
  const { clock, lines, result } = start([refused(429, 'rate_limited', 31_000), refused(503, 'busy', 2_000), 'done']);
  await clock.advance(30_999);
  expect(lines).toEqual(['2 of 9 are made; the write limit of the key is reached, so the import continues in 31 s']);
  await clock.advance(1);
  expect(lines[1]).toBe('2 of 9 are made; the service is busy, so the import continues in 2 s');
  await clock.advance(2_000);
  expect(await result).toBe('done');
});

test('another refusal is not repeated', async () => {
  for (const error of [refused(409, 'conflict', null), refused(503, 'internal', 1_000), new Error('else')]) {
    const { result, left } = start([error, 'done']);
    await expect(result).rejects.toBe(error);
    expect(left).toEqual(['done']);
  }
});

test('a request is given up after ten minutes, and by a signal', async () => {
  const last = refused(429, 'rate_limited', 60_000);
  const { clock, result, left } = start(Array.from({ length: 20 }, () => last));
  for (let minute = 0; minute < 11; minute += 1) await clock.advance(60_000);
  await expect(result).rejects.toBe(last);
  expect(left).toHaveLength(9);
  const stop = new AbortController();
  const stopped = start([last, 'done'], stop.signal);
  await stopped.clock.advance(1);
  stop.abort(new Error('SIGINT'));
  await expect(stopped.result).rejects.toThrow('SIGINT');
});

test('the price of a request is at most half of the limit, and more than a window takes minutes', () => {
  expect(countImportCost([500], null)).toBeNull();
  expect(countImportCost([10], 60)).toEqual({ writes: 10, limit: 60 });
  expect(costLine({ writes: 30, limit: 60 })).toBe(
    'It counts as 30 record writes, and the key may make 60 in 60 seconds.',
  );
  const cost = countImportCost([1_000, 1_000, 1_000, 1_000, 100], 60);
  expect(cost).toEqual({ writes: 150, limit: 60 });
  expect(costLine(cost!)).toContain('so the import takes at least 2 minutes');
});

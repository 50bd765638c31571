// The operator's own API key, as the service sees it.
import { expect, it } from 'vitest';
import { ApiError } from '../../../src/client/errors.ts';
import { watchOwnKey } from '../../../src/operator/own-key.ts';
import { createLogger } from '../../../src/telemetry/log.ts';

it('is refused, said once, until the service takes it; a service that is away says nothing', async () => {
  const lines: string[] = [];
  const log = createLogger({ name: 'operator', destination: { write: (line) => lines.push(line) } });
  const stop = new AbortController();
  const seen: boolean[] = [];
  const answers: (Error | null)[] = [null, new Error('away'), refused(), refused(), new Error('away'), null];
  const client = {
    account: async () => {
      seen.push(key.accepted());
      const answer = answers.shift();
      if (answers.length === 0) stop.abort();
      if (answer) throw answer;
      return {} as never;
    },
  };
  const soon = (fn: () => void) => {
    queueMicrotask(fn);
    return () => undefined;
  };
  const clock = { now: () => 0, setTimeout: soon };
  const key = watchOwnKey(client, clock, log);
  await key.run(stop.signal);
  // What each look found before it.
  expect(seen).toEqual([true, true, true, false, false, false]);
  expect(key.accepted()).toBe(true);
  expect(lines.filter((line) => line.includes('does not accept'))).toHaveLength(1);
  expect(lines.filter((line) => line.includes('accepts'))).toHaveLength(1);
});

function refused(): Error {
  return new ApiError({ status: 401, code: 'unauthorized', message: 'Invalid or missing API key.' } as never);
}

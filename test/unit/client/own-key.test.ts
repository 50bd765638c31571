// The check of the operator's own API key at the service.
import { expect, test } from 'vitest';
import { ApiError } from '#client/errors.ts';
import { KeyUnreadable } from '#client/key.ts';
import { watchOwnKey } from '#client/own-key.ts';
import { getAccount } from '#contract/operations/account.ts';
import { createLogger } from '#telemetry/log.ts';
import { fakeClient, on } from '../../support/service/fake-client.ts';

test('the own key is refused or missing, with one log line, until the service accepts it; an unavailable service changes nothing', async () => {
  const lines: string[] = [];
  const log = createLogger({ name: 'operator', destination: { write: (line) => lines.push(line) } });
  const stop = new AbortController();
  const seen: boolean[] = [];
  const answers: (Error | null)[] = [
    null,
    new Error('away'),
    // The service has not read the key that signed the token yet.
    refused(10_000),
    refused(),
    refused(),
    new Error('away'),
    null,
    missing(),
    null,
  ];
  const client = fakeClient(
    on(getAccount, async () => {
      seen.push(key.accepted());
      const answer = answers.shift();
      if (answers.length === 0) stop.abort();
      if (answer) throw answer;
      return {} as never;
    }),
  );
  const soon = (fn: () => void) => {
    queueMicrotask(fn);
    return () => undefined;
  };
  const clock = { now: () => 0, setTimeout: soon };
  const key = watchOwnKey(client, clock, log);
  await key.run(stop.signal);
  // The state that each check found before it.
  expect(seen).toEqual([true, true, true, true, false, false, false, true, false]);
  expect(key.accepted()).toBe(true);
  expect(lines.filter((line) => line.includes('does not accept'))).toHaveLength(1);
  expect(lines.filter((line) => line.includes('has no API key or token') && line.includes('/run/token'))).toHaveLength(
    1,
  );
  expect(lines.filter((line) => line.includes('accepts'))).toHaveLength(2);
});

function refused(retryAfterMs: number | null = null): Error {
  const rest = { retryAfterMs, requestId: null };
  return new ApiError({ status: 401, code: 'unauthorized', message: 'Invalid or missing API key.', ...rest });
}

function missing(): Error {
  return new KeyUnreadable('/run/token', 'is empty');
}

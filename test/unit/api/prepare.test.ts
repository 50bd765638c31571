// The start of the api while its database is not reachable.
import { expect, test } from 'vitest';
import { untilPrepared } from '#api/prepare.ts';
import { createLogger } from '#telemetry/log.ts';

const failure = (code: string) =>
  Object.assign(new Error('Failed query: select 1'), { cause: Object.assign(new Error('connect 10.0.0.1'), { code }) });

test('the preparation retries until it succeeds, and reports each cause once', async () => {
  const lines: string[] = [];
  const log = createLogger({ name: 'api', destination: { write: (line) => lines.push(line) } });
  const causes = ['ECONNREFUSED', 'ECONNREFUSED', 'ECONNREFUSED', '28P01', '28P01'];
  const told: string[] = [];
  const prepare = async () => {
    const code = causes.shift();
    if (code !== undefined) throw failure(code);
  };
  expect(await untilPrepared(prepare, log, (problem) => told.push(problem), new AbortController().signal, 1)).toBe(
    true,
  );
  expect(new Set(told)).toEqual(
    new Set(['the connection was refused (ECONNREFUSED)', 'Postgres rejects the password (28P01)']),
  );
  expect(lines.filter((line) => line.includes('"warn"'))).toHaveLength(2);
  expect(lines.join('')).not.toContain('10.0.0.1');
  expect(lines.at(-1)).toContain('the database is ready');
});

test('the preparation ends when the signal aborts', async () => {
  const stop = new AbortController();
  const log = createLogger({ name: 'api', level: 'silent' });
  const prepare = async () => {
    stop.abort();
    throw failure('ENOTFOUND');
  };
  expect(await untilPrepared(prepare, log, () => undefined, stop.signal, 60_000)).toBe(false);
});

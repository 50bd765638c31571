// The time limits for a request to arrive: 10 s for its headers, 30 s in total. test/integration/http/slow.test.ts
// shows with shorter limits that the server enforces them.
import { expect, test } from 'vitest';
import { buildApp } from '#api/app.ts';
import type { ServiceContext } from '#service/context.ts';
import { createLogger } from '#telemetry/log.ts';

const build = (requestMs?: number) =>
  buildApp({
    context: {} as ServiceContext,
    log: createLogger({ name: 'api', level: 'silent' }),
    limits: false,
    ...(requestMs === undefined ? {} : { requestMs }),
  }).server;

test('the time limits are 10 s for the headers and 30 s for the whole', () => {
  const server = build();
  expect([server.headersTimeout, server.requestTimeout]).toEqual([10_000, 30_000]);
  // The connection limit is longer than the others: an answer may take as long as the request.
  expect([server.timeout, server.keepAliveTimeout]).toEqual([60_000, 72_000]);
});

test('the time limits are shorter if a test sets them, in the same proportions', () => {
  const server = build(2_000);
  expect([server.headersTimeout, server.requestTimeout, server.timeout]).toEqual([2_000, 2_000, 4_000]);
});

// The time limits for a request to arrive, as the server of the api is configured. test/integration/api/slow.test.ts
// shows with shorter limits that they end slow requests.
import { expect, it } from 'vitest';
import { buildApp } from '#api/app.ts';
import type { ServiceContext } from '#service/context.ts';
import { createLogger } from '#telemetry/log.ts';

it('a request has 30 s to arrive, and its headers have 10 s', async () => {
  const app = buildApp({
    context: {} as ServiceContext,
    log: createLogger({ name: 'api', level: 'silent' }),
    limits: true,
  });
  try {
    const { requestTimeout, headersTimeout } = app.server;
    expect({ requestTimeout, headersTimeout }).toEqual({ requestTimeout: 30_000, headersTimeout: 10_000 });
  } finally {
    await app.close();
  }
});

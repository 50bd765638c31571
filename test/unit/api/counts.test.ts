// Each route that writes zones or records declares what it counts, so that no write escapes the limits.
import { expect, test } from 'vitest';
import { buildApp } from '#api/app.ts';
import type { ServiceContext } from '#service/context.ts';
import { createLogger } from '#telemetry/log.ts';

test('every route below /v1/dns and /acme that can write declares what it counts', async () => {
  const log = createLogger({ name: 'api', level: 'silent' });
  const routes: { path: string; counts: unknown }[] = [];
  const app = buildApp({
    context: {} as ServiceContext,
    log,
    limits: true,
  });
  app.addHook('onRoute', ({ method, url, config, schema }) => {
    const isWrite = [method].flat().some((each) => each !== 'GET' && each !== 'HEAD');
    if (isWrite && !(schema as { hide?: boolean } | undefined)?.hide)
      routes.push({ path: `${method} ${url}`, counts: config?.counts });
  });
  try {
    await app.ready();
  } finally {
    await app.close();
  }
  const writes = routes.filter(({ path }) => / \/(v1\/dns|acme)\//.test(path));
  expect(writes.length).toBeGreaterThan(10);
  expect(writes.filter(({ counts }) => counts === undefined).map(({ path }) => path)).toEqual([]);
});

// The operations of the contract are the REST API: each route below /v1 comes from one, and each is served.
import { readdirSync } from 'node:fs';
import { expect, it } from 'vitest';
import { buildApp } from '#api/app.ts';
import type { Operation } from '#contract/operation.ts';
import type { ServiceContext } from '#service/context.ts';
import { createLogger } from '#telemetry/log.ts';

const FOLDER = new URL('../../../src/contract/operations/', import.meta.url);

/** By the name of their constant. */
async function readOperations(): Promise<[string, Operation][]> {
  const modules = await Promise.all(readdirSync(FOLDER).map((file) => import(new URL(file, FOLDER).href)));
  return modules.flatMap((module) => Object.entries<Operation>(module));
}

/** The routes below /v1, with their operations. OpenAPI describes all except for answers to other methods and the document itself. */
async function readRoutes(): Promise<{ route: string; operation: Operation | undefined }[]> {
  const log = createLogger({ name: 'api', level: 'silent' });
  const routes: { route: string; operation: Operation | undefined }[] = [];
  const app = buildApp({ context: {} as ServiceContext, log, limits: true });
  app.addHook('onRoute', ({ method, url, config, schema }) => {
    const isHidden = (schema as { hide?: boolean } | undefined)?.hide === true;
    if (url.startsWith('/v1') && method !== 'HEAD' && !isHidden)
      routes.push({ route: `${method} ${url}`, operation: config?.operation });
  });
  await app.ready();
  await app.close();
  return routes;
}

it('Each route below /v1 comes from an operation, and each operation has one route', async () => {
  const routes = await readRoutes();
  expect(routes.filter(({ operation }) => operation === undefined)).toEqual([]);
  const served = routes.map(({ operation }) => operation?.id).sort();
  const operations = await readOperations();
  expect(served).toEqual(operations.map(([name]) => name).sort());
  for (const [name, { id }] of operations) expect(id).toBe(name);
});

it('A route has the method and the address of its operation', async () => {
  for (const { route, operation } of await readRoutes()) {
    const address = route
      .replaceAll('([^:/]+)', '')
      .replaceAll('::', '\n')
      .replaceAll(/:(\w+)/g, '{$1}');
    expect(address.replaceAll('\n', ':')).toBe(`${operation?.method} ${operation?.path}`);
  }
});

// The operations of the contract are the REST API: each route below /v1 comes from one, and each is served.
import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { buildApp } from '#api/app.ts';
import type { Operation } from '#contract/operation.ts';
import type { ServiceContext } from '#service/context.ts';
import { createLogger } from '#telemetry/log.ts';

const SOURCES = new URL('../../../../src/', import.meta.url);
const FOLDER = new URL('contract/operations/', SOURCES);

/** By the name of their constant. */
async function readOperations(): Promise<[string, Operation][]> {
  const modules = await Promise.all(readdirSync(FOLDER).map((file) => import(new URL(file, FOLDER).href)));
  return modules.flatMap((module) => Object.entries<Operation>(module));
}

/**
 * The routes below /v1, with their operations. OpenAPI describes all except for answers to other methods and the
 * document itself.
 */
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

test('each route below /v1 comes from an operation, and each operation has one route', async () => {
  const routes = await readRoutes();
  expect(routes.filter(({ operation }) => operation === undefined)).toEqual([]);
  const served = routes.map(({ operation }) => operation?.id).sort();
  const operations = await readOperations();
  expect(served).toEqual(operations.map(([name]) => name).sort());
  for (const [name, { id }] of operations) expect(id).toBe(name);
});

test('a route has the method and the address of its operation', async () => {
  for (const { route, operation } of await readRoutes()) {
    const address = route
      .replaceAll('([^:/]+)', '')
      .replaceAll('::', '\n')
      .replaceAll(/:(\w+)/g, '{$1}');
    expect(address.replaceAll('\n', ':')).toBe(`${operation?.method} ${operation?.path}`);
  }
});

/** The lines of code below a folder of src that match, without comments. */
function findLines(folder: string, pattern: RegExp): string[] {
  const files = readdirSync(new URL(folder, SOURCES), { recursive: true, encoding: 'utf8' });
  return files
    .filter((file) => file.endsWith('.ts'))
    .flatMap((file) =>
      readFileSync(new URL(`${folder}/${file}`, SOURCES), 'utf8')
        .split('\n')
        .filter((line) => !/^\s*(\/\/|\/?\*)/.test(line) && pattern.test(line))
        .map((line) => `${folder}/${file}: ${line.trim()}`),
    );
}

test('no other file says the path of an operation', () => {
  const paths = /\/v1\/(dns\/(zones|secondaries)|account|clusters|feed)/;
  const rooms = readdirSync(SOURCES, { withFileTypes: true }).filter((each) => each.isDirectory());
  const others = rooms.map(({ name }) => name).filter((name) => name !== 'contract' && name !== 'settings');
  expect(others).toContain('client');
  expect(others.flatMap((room) => findLines(room, paths))).toEqual([]);
});

test('no file of the client or of its users says the method of a request', () => {
  const rooms = ['client', 'cli', 'operator', 'external-dns', 'nameserver/node'];
  const method = /method: '(GET|POST|PUT|PATCH|DELETE)'(?! \|)/;
  expect(rooms.flatMap((room) => findLines(room, method))).toEqual([]);
});

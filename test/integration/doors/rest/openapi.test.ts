// The OpenAPI document contains every route, and every status that a running service answers.
import { expect, test } from 'vitest';
import type { Method, Reply } from '../../../support/http/requests.ts';
import { startTestService } from '../../../support/service/service.ts';

const service = await startTestService();
const limited = await startTestService({ limits: true });

interface Response {
  description: string;
  headers: Record<string, unknown>;
  content?: unknown;
}
interface Operation {
  operationId: string;
  summary?: string;
  parameters?: { name: string; in: string }[];
  requestBody?: unknown;
  responses: Record<string, Response | { $ref: string }>;
}
interface Document {
  openapi: string;
  paths: Record<string, Record<string, Operation>>;
  components: {
    schemas: Record<string, { examples?: unknown[] }>;
    responses: Record<string, Response>;
    securitySchemes: unknown;
  };
  security: unknown;
}
const get = (path: string) => fetch(`${service.url}${path}`);
const document = (await (await get('/v1/dns/openapi.json')).json()) as Document;
/** The answers of an operation, with the error answers that all operations share. */
const responsesOf = ({ responses }: Operation): [string, Response][] =>
  Object.entries(responses).map(([status, response]) => [
    status,
    '$ref' in response ? document.components.responses[response.$ref.replace(/^.*\//, '')]! : response,
  ]);
const operations = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({ path, method, operation })),
);

test('the document is OpenAPI 3.1, needs no key, and names the bearer key for all operations', () => {
  expect(document.openapi).toBe('3.1.0');
  expect(document.components.securitySchemes).toMatchObject({ key: { type: 'http', scheme: 'bearer' } });
  expect(document.security).toEqual([{ key: [] }]);
});

test('the document contains the operations of zones and records', () => {
  const listed = operations.map(({ path, method }) => `${method.toUpperCase()} ${path}`);
  expect(listed).toEqual(
    expect.arrayContaining([
      'GET /v1/dns/zones',
      'POST /v1/dns/zones',
      'GET /v1/dns/zones/{id}',
      'DELETE /v1/dns/zones/{id}',
      'POST /v1/dns/zones/{id}/park',
      'POST /v1/dns/zones/{id}/unpark',
      'GET /v1/dns/zones/{id}/ds',
      'GET /v1/dns/zones/{id}/records',
      'POST /v1/dns/zones/{id}/records',
      'PUT /v1/dns/zones/{id}/records/{recordId}',
      'DELETE /v1/dns/zones/{id}/records/{recordId}',
      'POST /v1/dns/zones/{id}/records:batch',
      'GET /v1/dns/zones/{id}/zonefile',
      'PUT /v1/dns/zones/{id}/zonefile',
      'GET /v1/dns/zones/{id}/changes',
    ]),
  );
});

test('the document contains every route of the service', async () => {
  // The request histogram has a series for each route with a schema. A different hook makes this second list.
  const text = await service.metrics();
  const routes = [...text.matchAll(/api_request_duration_seconds_count\{route="([^"]+)",method="([A-Z]+)"/g)]
    .map(([, route = '', method = '']) => `${method} ${route.replaceAll(/(?<=\/):(\w+)/g, '{$1}')}`)
    .filter((route) => / \/(v1|acme)\//.test(route));
  expect(routes.length).toBeGreaterThan(10);
  const listed = new Set(operations.map(({ path, method }) => `${method.toUpperCase()} ${path}`));
  expect(routes.filter((route) => !listed.has(route) && !route.endsWith('/openapi.json'))).toEqual([]);
});

test.each(operations.map((each) => [`${each.method} ${each.path}`, each] as const))(
  '%s has a name, a summary, and a sentence for every status',
  (_, { method, path, operation }) => {
    expect(operation.operationId).toMatch(/^[a-z]+[A-Za-z]*$/);
    expect(operation.summary).toBeTruthy();
    expect(Object.keys(operation.responses)).toEqual(expect.arrayContaining(['400', '401', '500']));
    for (const [status, response] of responsesOf(operation)) {
      expect(response.description, status).not.toBe('Default Response');
      expect(response.headers).toHaveProperty('x-request-id');
      if (status === '429' || status === '503') expect(response.headers).toHaveProperty('retry-after');
    }
    const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    const given = (operation.parameters ?? []).filter((parameter) => parameter.in === 'path').map(({ name }) => name);
    expect(given.sort()).toEqual(named.sort());
    const hasBody =
      ['post', 'put', 'patch'].includes(method) &&
      !/\/(un)?park$|\/(accept|accept-older|decline|drain|restore|release)$|\/clusters\/\{name\}$/.test(path);
    if (hasBody) expect(operation.requestBody).toBeTruthy();
  },
);

test('operation names are unique, and every schema is used', () => {
  const names = operations.map(({ operation }) => operation.operationId);
  expect(new Set(names).size).toBe(names.length);
  const text = JSON.stringify(document);
  for (const name of Object.keys(document.components.schemas)) expect(text).toContain(`#/components/schemas/${name}"`);
  for (const name of ['Zone', 'ZoneCreated', 'Record', 'Error', 'Account']) {
    expect(document.components.schemas[name]?.examples).not.toHaveLength(0);
  }
});

test('patterns are simple, so that every tool can use them', () => {
  const patterns = [...JSON.stringify(document).matchAll(/"pattern":("(?:[^"\\]|\\.)*")/g)].map(
    ([, text = '""']) => JSON.parse(text) as string,
  );
  expect(patterns.length).toBeGreaterThan(1);
  // Unicode properties need a flag that JSON Schema does not have. Look-behind and named groups differ between
  // languages.
  for (const pattern of patterns) {
    expect(pattern).not.toMatch(/\\p\{|\(\?<|\(\?[a-z]/);
    expect(() => new RegExp(pattern)).not.toThrow();
  }
});

test('the document has every status that is answered, with its Retry-After', async () => {
  const zone = await service.zone();
  const record = await service.record(zone, 'www', 'A', '192.0.2.1');
  const own = `org:${service.admin.team}`;
  const body = { name: 'www', type: 'A', content: '192.0.2.1' };
  const weak = await service.key({ records: 'none', manageZones: 'read' });
  const restricted = await service.key({ records: 'write', manageZones: 'none', onlyTypes: ['TXT'] });
  const file = { 'content-type': 'text/dns' };
  const at = `/zones/${zone.id}`;
  const batch = `${at}/records:batch`;
  const one = `${at}/records/${record.id}`;
  const calls: [Method, string, unknown?, (string | null | undefined)?, Record<string, string>?][] = [
    ...operations.flatMap(({ method, path }): [Method, string, unknown, null][] => {
      const plain = path.replace(/^\/v1\/dns/, '').replaceAll(/\{\w+\}/g, 'x');
      // The request helper supports paths below /v1/dns only. Account and the ACME APIs have test files of their own.
      return /^\/(v1|acme)/.test(plain) ? [] : [[method.toUpperCase() as Method, plain, undefined, null]];
    }),
    ['GET', '/zones?limit=x'],
    ['GET', '/zones?suffix_of=no.where.example'],
    ['GET', `/zones?name=${'x'.repeat(20_000)}`],
    ['GET', '/zones/zone_0'],
    ['POST', '/zones', { zoneName: 'x' }],
    ['POST', '/zones', { zoneName: zone.zoneName, owner: own }],
    ['POST', '/zones', '{', undefined],
    ['POST', '/zones', 'x', undefined, { 'content-type': 'text/plain' }],
    ['POST', '/zones', `{"zoneName": "${'x'.repeat(3_000_000)}"}`],
    ['POST', `${at}/park`, 'x', undefined, { 'content-type': 'text/plain' }],
    ['DELETE', one, 'x', undefined, { 'content-type': 'text/plain' }],
    ['GET', `${at}/records`, undefined, weak.text],
    ['POST', `${at}/records`, body, weak.text],
    ['POST', `${at}/records`, body],
    ['POST', `${at}/records`, { ...body, ttl: 1 }],
    ['POST', '/zones/zone_0/records', body],
    ['PUT', one, { ...body, name: 'other' }],
    ['PUT', `${at}/records/rec_0`, body],
    ['PUT', one, body],
    ['PATCH', at, { defaultTtl: 60 }],
    ['POST', `${at}/park`, undefined, undefined, { 'idempotency-key': 'k' }],
    ['POST', `${at}/park`, undefined, undefined, { 'idempotency-key': 'k' }],
    ['POST', `${at}/unpark`, undefined, undefined, { 'idempotency-key': 'k' }],
    ['POST', `${at}/unpark`],
    ['GET', `${at}/ds`],
    ['GET', `${at}/changes`],
    ['GET', `${at}/changes`, undefined, restricted.text],
    ['GET', `${at}/changes?cursor=x`],
    ['GET', '/zones/zone_0/changes'],
    ['GET', `${at}/zonefile`],
    ['GET', `${at}/zonefile`, undefined, restricted.text],
    ['GET', '/zones/zone_0/zonefile'],
    ['PUT', `${at}/zonefile`, '; none', undefined, file],
    ['PUT', `${at}/zonefile`, 'www A nowhere', undefined, file],
    ['PUT', `${at}/zonefile`, '; none', restricted.text, file],
    ['PUT', `${at}/zonefile`, {}],
    ['PUT', '/zones/zone_0/zonefile', '; none', undefined, file],
    ['PUT', `${at}/zonefile`, '', undefined, file],
    ['POST', batch, { changes: [{ action: 'create', record: body }] }],
    ['POST', batch, { changes: [{ action: 'create', record: body }] }],
    ['POST', batch, { atomic: false, changes: [{ action: 'delete', id: 'rec_0' }] }],
    ['POST', batch, { changes: [{ action: 'delete', id: 'rec_0' }] }],
    ['POST', batch, { changes: [] }],
    ['POST', batch, { changes: [{ action: 'create', record: body }] }, weak.text],
    ['POST', '/zones/zone_0/records:batch', { changes: [{ action: 'delete', id: 'rec_0' }] }],
    ['GET', `${at}/records`],
    ['DELETE', one],
    ['DELETE', one],
    ['DELETE', at],
    ['DELETE', at],
  ];
  for (const [method, path, payload, key, headers] of calls) {
    check(method, path, await service.request(method, path, payload, key, headers));
  }
  for (let count = 0; count < 11; count++) {
    const reply = await limited.request('POST', '/zones', { zoneName: 'x' });
    check('POST', '/zones', reply);
    if (count === 10) expect(reply.status).toBe(429);
  }
});

function check(method: Method, path: string, reply: Reply): void {
  const plain = `/v1/dns${path.split('?')[0]}`;
  const found = operations.find(
    (each) =>
      each.method.toUpperCase() === method && new RegExp(`^${each.path.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(plain),
  );
  const described = new Map(found && responsesOf(found.operation)).get(String(reply.status));
  expect(described, `${method} ${path} answers ${reply.status}, which is not documented`).toBeDefined();
  expect(reply.text === '').toBe(described?.content === undefined);
  for (const [name, header] of Object.entries(described?.headers ?? {})) {
    if ((header as { required?: boolean }).required) expect(reply.headers, `${reply.status}`).toHaveProperty(name);
  }
}

test('the document is shown on a page that loads nothing from elsewhere', async () => {
  const page = await get('/docs/');
  expect(page.status).toBe(200);
  const policy = page.headers.get('content-security-policy') ?? '';
  expect(policy).toContain("default-src 'self'");
  expect(policy).not.toMatch(/https?:|upgrade-insecure-requests/);
  const html = await page.text();
  const assets = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, address]) => address as string);
  expect(assets.length).toBeGreaterThan(3);
  for (const asset of assets) {
    expect(asset).not.toMatch(/^(https?:)?\/\//);
    const answer = await get(new URL(asset, 'http://x/docs/').pathname);
    expect([asset, answer.status]).toEqual([asset, 200]);
  }
  expect(((await (await get('/docs/json')).json()) as Document).paths).toEqual(document.paths);
});

// The catalogue of errors, and the conversion of every thrown error to an error body.
import Fastify, { type FastifyInstance } from 'fastify';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ERROR_CODES, errorBody } from '#contract/error.ts';
import { STATUS, STATUS_OF_RULE } from '#http/error-codes.ts';
import { installErrors } from '#http/errors.ts';
import { type RuleId, refusal } from '#service/refusal.ts';
import { CATALOGUE } from '#service/refusals/catalogue.ts';

let app: FastifyInstance;
const logged: string[] = [];

beforeEach(() => {
  logged.length = 0;
  app = Fastify({ logger: { level: 'error', stream: { write: (line: string) => void logged.push(line) } } });
  installErrors(app);
});
afterEach(() => app.close());

async function thrown(error: unknown) {
  app.get('/x', () => {
    throw error;
  });
  const reply = await app.inject('/x');
  return { status: reply.statusCode, headers: reply.headers, body: errorBody.strict().parse(reply.json()) };
}

/** A rule with this code whose sentence has no parameters, and that names no field. */
function ruleOf(code: string): RuleId {
  const [rule] = Object.entries(CATALOGUE).find(
    ([id, entry]) =>
      entry.code === code && !entry.sentence.includes('{') && !('field' in entry) && !(id in STATUS_OF_RULE),
  ) as [RuleId, unknown];
  return rule;
}

test('the catalogue has a status for every code', () => {
  expect(STATUS).toEqual({
    bad_request: 400,
    unauthorized: 401,
    forbidden: 403,
    no_zone: 404,
    not_found: 404,
    conflict: 409,
    precondition_failed: 412,
    rate_limited: 429,
    internal: 500,
    dns_server: 502,
    busy: 503,
  });
  expect(Object.keys(STATUS).sort()).toEqual([...ERROR_CODES].sort());
});

const PARAMETERIZED: readonly string[] = ['internal', 'dns_server', 'rate_limited', 'precondition_failed'];
test.each(ERROR_CODES.filter((code) => !PARAMETERIZED.includes(code)))(
  'the catalogue answers a refusal %s',
  async (code) => {
    const rule = ruleOf(code);
    const { status, body } = await thrown(refusal(rule as 'no-team'));
    expect([status, body]).toEqual([STATUS[code], { error: code, message: CATALOGUE[rule].sentence }]);
  },
);

test('the catalogue answers a condition that is not met with the present state, and its ETag in a header if a header was the condition', async () => {
  const record = { id: 'rec_1', name: 'www', type: 'A' as const, content: '192.0.2.1', ttl: 60, priority: null };
  const current = { etag: '"now"', record };
  const answerFor = (field: string) =>
    thrown(refusal('changed-meanwhile', { what: 'The record', etag: '"now"' }, { field, current }));
  const { status, headers, body } = await answerFor('If-Match');
  expect([status, headers.etag]).toEqual([412, '"now"']);
  expect(body).toMatchObject({ error: 'precondition_failed', field: 'If-Match', etag: '"now"', current: record });
  await app.close();
  app = Fastify();
  installErrors(app);
  const inBatch = await answerFor('changes.0.ifMatch');
  expect([inBatch.headers.etag, inBatch.body.etag]).toEqual([undefined, '"now"']);
});

test('the catalogue answers with the wrong field and the conflicting records, if there are any', async () => {
  const refused = refusal('duplicate', { problem: 'It exists.' }, { field: 'content', records: ['rec_1'] });
  expect((await thrown(refused.within('changes.3'))).body).toEqual({
    error: 'conflict',
    message: 'changes.3.content: It exists.',
    field: 'changes.3.content',
    records: ['rec_1'],
  });
});

test('Retry-After is sent with refusals that have a wait, and with no others', async () => {
  expect((await thrown(refusal('zone-busy', {}, { retryAfterMs: 1_200 }))).headers['retry-after']).toBe('2');
  await app.close();
  app = Fastify();
  installErrors(app);
  expect((await thrown(refusal('token-reused'))).headers['retry-after']).toBeUndefined();
});

test('401 names the required scheme (RFC 9110 section 11.6.1)', async () => {
  expect((await thrown(refusal('invalid-key'))).headers['www-authenticate']).toBe('Bearer');
});

test.each([
  new Error('secret detail'),
  new TypeError('x of undefined'),
  Object.assign(new Error('boom'), { statusCode: 503 }),
])('an unexpected error is 500 internal, is logged, and reveals no detail: %s', async (error) => {
  const { status, body } = await thrown(error);
  expect([status, body.error]).toEqual([500, 'internal']);
  expect(body.message).not.toContain(error.message);
  expect(logged.join('')).toContain(error.message);
});

test('other 4xx errors of the framework are bad requests in the same format', async () => {
  for (const [given, expected] of [
    [400, 400],
    [406, 400],
    [413, 413],
    [415, 415],
    [431, 431],
  ] as const) {
    const own = Fastify();
    installErrors(own);
    own.get('/x', () => {
      throw Object.assign(new Error('framework words'), { statusCode: given, code: 'FST_ERR_OTHER' });
    });
    const reply = await own.inject('/x');
    expect([reply.statusCode, reply.json()]).toEqual([
      expected,
      { error: 'bad_request', message: 'The request is malformed.' },
    ]);
    await own.close();
  }
});

test('an unknown path is named without its query, which may contain secrets', async () => {
  const reply = await app.inject('/v1/dns/nowhere?token=secret');
  expect([reply.statusCode, reply.json().error]).toEqual([404, 'not_found']);
  expect(reply.json().message).toContain('/v1/dns/nowhere');
  expect(reply.body).not.toContain('secret');
});

test('a refusal links to the section of the documentation with its rule, if the service knows the address', async () => {
  app.decorate('docsUrl', 'https://docs.example.net/0.1/');
  const { headers } = await thrown(refusal('undo-nothing'));
  expect(headers.link).toBe('<https://docs.example.net/0.1/reference/errors.html#undo-and-restore>; rel="help"');
});

test('a refusal has no link if the service does not know where the documentation is', async () => {
  const { headers } = await thrown(refusal('undo-nothing'));
  expect(headers.link).toBe(undefined);
});

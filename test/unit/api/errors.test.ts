// The catalogue of errors, and that whatever is thrown comes out as one of its bodies.
import Fastify, { type FastifyInstance } from 'fastify';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { installErrors, retryAfterSeconds, STATUS } from '../../../src/api/errors.ts';
import { ERROR_CODES, errorBody } from '../../../src/api/schemas/error.ts';
import { Refusal, type RefusalCode } from '../../../src/zones/refusal.ts';

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

describe('the catalogue', () => {
  it('has the status of every code of SPEC section 7, as DESIGN section 3 decides', () => {
    expect(STATUS).toEqual({
      bad_request: 400,
      unauthorized: 401,
      forbidden: 403,
      no_zone: 404,
      not_found: 404,
      conflict: 409,
      rate_limited: 429,
      internal: 500,
      dns_server: 502,
      busy: 503,
    });
    expect(Object.keys(STATUS).sort()).toEqual([...ERROR_CODES].sort());
  });

  it.each(ERROR_CODES.filter((code) => code !== 'internal' && code !== 'dns_server'))(
    'answers a refusal %s',
    async (code) => {
      const { status, body } = await thrown(new Refusal(code as RefusalCode, 'What is wrong and how to mend it.'));
      expect([status, body]).toEqual([STATUS[code], { error: code, message: 'What is wrong and how to mend it.' }]);
    },
  );
});

describe('Retry-After', () => {
  it('is whole seconds, never early, never 0', () => {
    expect([0, 1, 999, 1_000, 1_001, 59_999, 60_000].map(retryAfterSeconds)).toEqual([1, 1, 1, 1, 2, 60, 60]);
  });

  it('comes with refusals that have a wait, and with no others', async () => {
    expect((await thrown(new Refusal('busy', 'The zone is busy.', 1_200))).headers['retry-after']).toBe('2');
    await app.close();
    app = Fastify();
    installErrors(app);
    expect((await thrown(new Refusal('conflict', 'It is there.'))).headers['retry-after']).toBeUndefined();
  });
});

it('401 says which scheme is wanted (RFC 9110 section 11.6.1)', async () => {
  expect((await thrown(new Refusal('unauthorized', 'No key.'))).headers['www-authenticate']).toBe('Bearer');
});

it.each([
  new Error('secret detail'),
  new TypeError('x of undefined'),
  Object.assign(new Error('boom'), { statusCode: 503 }),
])('an error that nobody expected is 500 internal, is logged, and tells no detail: %s', async (error) => {
  const { status, body } = await thrown(error);
  expect([status, body.error]).toEqual([500, 'internal']);
  expect(body.message).not.toContain(error.message);
  expect(logged.join('')).toContain(error.message);
});

it('other 4xx of the framework are bad requests, in one form', async () => {
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

it('a path that is not there is named without its query, which may hold secrets', async () => {
  const reply = await app.inject('/v1/dns/nowhere?token=secret');
  expect([reply.statusCode, reply.json().error]).toEqual([404, 'not_found']);
  expect(reply.json().message).toContain('/v1/dns/nowhere');
  expect(reply.body).not.toContain('secret');
});

// The webhook provider protocol over HTTP. external-dns exits on any answer of 400 to 499 and on a request that takes
// longer than its own limit (15 s by default), so errors that may be temporary are answered 500 to 503, and in time.
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import type { Clock } from '#base/clock.ts';
import { deadline } from '#base/deadline.ts';
import { exceedsJson, type JsonBounds } from '#base/json-bounds.ts';
import type { Dispatcher } from '#client/pace/dispatcher.ts';
import { changesBody, endpointList, MEDIA_TYPE } from './protocol.ts';
import type { WebhookProvider } from './provider.ts';

interface WebhookOptions {
  provider: WebhookProvider;
  /** For Retry-After. */
  pace: Pick<Dispatcher, 'state'>;
  clock: Clock;
  log: Logger;
  /** (Default: 9 s, within external-dns' own limit of 5 s to read and 10 s to write together.) */
  limitMs?: number;
}

/** Some ten thousand endpoints. */
const BODY_LIMIT = 64 * 1024 * 1024;
/** An endpoint has some 20 values. */
const BOUNDS: JsonBounds = { depth: 32, values: 2_000_000 };
const LIMIT_MS = 9_000;

export function buildWebhook(options: WebhookOptions): FastifyInstance {
  const { provider, clock, log } = options;
  const app = Fastify({ bodyLimit: BODY_LIMIT, forceCloseConnections: true });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));

  const route = (
    method: 'GET' | 'POST',
    url: string,
    work: (request: FastifyRequest, signal: AbortSignal) => Promise<unknown>,
  ) =>
    app.route({
      method,
      url,
      handler: async (request, reply) => {
        const limit = deadline(clock, options.limitMs ?? LIMIT_MS);
        try {
          const answer = await work(request, limit.signal);
          if (answer === undefined) return reply.code(204).send();
          return reply.header('content-type', MEDIA_TYPE).serializer(String).send(JSON.stringify(answer));
        } catch (error) {
          return fail(error, reply, options);
        } finally {
          limit.clear();
        }
      },
    });

  // Runs before a body is read: no body is read for an unknown route or a wrong media type.
  app.addHook('onRequest', async (request, reply) => {
    if (request.is404) return reply.code(404).header('connection', 'close').send('not found\n');
    if (request.url === '/healthz') return undefined;
    const { accept, 'content-type': type } = request.headers;
    if (accept !== undefined && !speaks(accept)) return reply.code(406).send(`only ${MEDIA_TYPE} is supported\n`);
    if (request.method === 'POST' && !speaks(type ?? '')) {
      return reply.code(415).header('connection', 'close').send(`the body must be ${MEDIA_TYPE}\n`);
    }
    return undefined;
  });
  app.get('/healthz', async () => 'ok\n');
  route('GET', '/', async (_request, signal) => ({ include: await provider.zones(signal) }));
  route('GET', '/records', (_request, signal) => provider.records(signal));
  route('POST', '/adjustendpoints', (request, signal) => provider.adjust(endpointList.parse(json(request)), signal));
  route('POST', '/records', async (request, signal) => {
    const refusedCount = await provider.apply(changesBody.parse(json(request)), signal);
    if (refusedCount > 0) throw new Refused(refusedCount);
  });
  app.setErrorHandler((error, _request, reply) => {
    log.error({ err: error }, 'a request failed');
    return reply.code(500).send('failed\n');
  });
  return app;
}

class Refused extends Error {
  constructor(count: number) {
    super(`${count} changes were refused or held back; the log names them`);
  }
}

class Malformed extends Error {}

function json({ body }: FastifyRequest): unknown {
  const octets = body instanceof Uint8Array ? body : new Uint8Array();
  const problem = exceedsJson(octets, BOUNDS);
  if (problem !== null) throw new Malformed(problem);
  try {
    return JSON.parse(new TextDecoder().decode(octets));
  } catch (cause) {
    throw new Malformed('the body is not valid JSON', { cause });
  }
}

/** The media type with its version, or anything. Blanks and capitals do not matter (RFC 9110 8.3.1). */
function speaks(header: string): boolean {
  const types = header
    .toLowerCase()
    .split(',')
    .map((type) => type.replace(/\s|"/g, ''));
  return types.some(
    (type) => type.startsWith(MEDIA_TYPE) || type.startsWith('*/*') || type.startsWith('application/*'),
  );
}

function fail(error: unknown, reply: FastifyReply, { pace, clock, log }: WebhookOptions): FastifyReply {
  if (error instanceof Malformed || (error instanceof Error && error.name === 'ZodError')) {
    log.error({ err: error }, 'the body does not follow version 1 of the protocol');
    return reply.code(400).send('the body does not follow version 1 of the protocol\n');
  }
  const { pausedUntil } = pace.state();
  if (pausedUntil !== null) {
    const seconds = Math.max(1, Math.ceil((pausedUntil - clock.now()) / 1000));
    log.warn(
      `the API limits the rate; retry after ${seconds} s; external-dns sends the remaining changes in its next run`,
    );
    return reply.code(503).header('retry-after', seconds).send('rate limited\n');
  }
  log.error({ err: error }, 'failed; external-dns retries in its next run');
  return reply.code(error instanceof Refused ? 500 : 503).send('failed\n');
}

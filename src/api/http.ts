// What HTTP itself asks of a request (RFC 9110, RFC 9112), for all routes alike. It must not know any single route.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Refusal } from '../zones/refusal.ts';
import { sendError } from './errors.ts';

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'QUERY'] as const;

/** To be called before routes are registered. Needs a server that leaves the Host header to us. */
export function followHttp(app: FastifyInstance): void {
  app.addHook('onRequest', async (request) => {
    // Two of these and a proxy before us may have looked at the other one (RFC 9112 section 3.2, RFC 9110 section 5.3).
    const hosts = timesSent(request, 'host');
    if (hosts > 1 || (hosts === 0 && request.raw.httpVersion === '1.1')) {
      throw new Refusal('bad_request', 'Host: must be sent exactly once.');
    }
    if (timesSent(request, 'authorization') > 1) {
      throw new Refusal('bad_request', 'Authorization: must not be sent more than once.');
    }
  });
  app.addHook('preParsing', async (request, reply, payload) => {
    const coding = request.headers['content-encoding'] ?? 'identity';
    if (coding.toLowerCase() !== 'identity' && request.method !== 'GET' && !isEmpty(request)) {
      const message = 'The body must not be compressed: leave out the header Content-Encoding.';
      return sendError(reply.header('accept-encoding', 'identity'), 415, { error: 'bad_request', message });
    }
    // Many clients name a type even when they send nothing (curl -d '' a form); where nothing is wanted, it is no matter.
    if (takesNoBody(request) && isEmpty(request)) delete request.headers['content-type'];
    return payload;
  });
  app.addHook('preValidation', async (request) => {
    const { body } = request;
    if (!takesNoBody(request) || body === undefined || body === null) return;
    // Whoever sends fields means something by them, and it would not happen.
    if (typeof body === 'object' && Object.keys(body).length === 0) return;
    throw new Refusal('bad_request', 'This operation takes no body: leave it out, or send {}.');
  });
  // An expectation that we do not know may be passed over (RFC 9110 section 10.1.1); node would answer 417 without a body.
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response));
}

/**
 * Answers the other methods of the routes that are registered after it in this scope: 405 with Allow (RFC 9110 section
 * 15.5.6). Gives the function to call when all routes are there.
 * @param prefix of the scope, which the addresses begin with
 */
export function refuseOtherMethods(app: FastifyInstance, prefix: string): () => void {
  const methods = new Map<string, Set<string>>();
  app.addHook('onRoute', ({ url, method }) => {
    const known = methods.get(url) ?? new Set();
    for (const each of [method].flat()) known.add(each);
    methods.set(url, known);
  });
  return () => {
    for (const [url, known] of [...methods]) {
      const allow = METHODS.filter((each) => known.has(each)).join(', ');
      app.route({
        method: METHODS.filter((each) => !known.has(each)),
        url: url.slice(prefix.length),
        exposeHeadRoute: false,
        schema: { hide: true },
        // Before a body is read.
        onRequest: async (request, reply) => {
          const message = `${request.method} is not possible here; what is: ${allow}.`;
          return sendError(reply.header('allow', allow), 405, { error: 'bad_request', message });
        },
        handler: async () => undefined,
      });
    }
  };
}

/** A route's pattern as the contract writes it: the router wants a colon that begins no parameter twice (find-my-way). */
export function patternOf(url: string): string {
  return url.replaceAll('::', ':');
}

function timesSent({ raw }: FastifyRequest, name: string): number {
  return raw.rawHeaders.filter((each, at) => at % 2 === 0 && each.toLowerCase() === name).length;
}

function takesNoBody({ routeOptions, is404 }: FastifyRequest): boolean {
  return !is404 && routeOptions.schema?.body === undefined;
}

function isEmpty({ headers }: FastifyRequest): boolean {
  return headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) === 0;
}

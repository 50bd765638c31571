// The rules of HTTP itself for all requests (RFC 9110, RFC 9112).
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { refusal } from '#service/refusal.ts';
import { isEnding, lingerAfterAnswer } from '../connections/sockets.ts';
import { sendRefusal } from '../errors.ts';

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'QUERY'] as const;

/** After an early answer, the rest of a body up to this size is read and dropped, and the connection stays open. */
const SMALL_BODY_BYTES = 64 * 1024;

/**
 * To be called before routes are registered. Requires a server that leaves the check of the Host header to this file.
 */
export function followHttp(app: FastifyInstance): void {
  app.addHook('onRequest', async (request, reply) => {
    // A request that became complete after its connection was answered 408 must not be carried out.
    if (isEnding(request.raw.socket)) {
      request.raw.destroy();
      return reply.hijack();
    }
    // If one of these is sent twice, a proxy in front may have used the other one (RFC 9112 section 3.2, RFC 9110
    // section 5.3).
    const hosts = timesSent(request, 'host');
    if (hosts > 1 || (hosts === 0 && request.raw.httpVersion === '1.1')) {
      throw refusal('header-not-once', {}, { field: 'Host' });
    }
    if (timesSent(request, 'authorization') > 1) {
      throw refusal('header-repeated', {}, { field: 'Authorization' });
    }
    return undefined;
  });
  app.addHook('preParsing', async (request, reply, payload) => {
    // Without a route, nothing reads the body: the handler answers at once, as for a request without a body.
    if (request.is404) {
      if (leavesMuchUnread(request)) closeAfter(request, reply);
      hideBody(request);
      return payload;
    }
    const coding = request.headers['content-encoding'] ?? 'identity';
    if (coding.toLowerCase() !== 'identity' && request.method !== 'GET' && !isEmpty(request)) {
      return sendRefusal(reply.header('accept-encoding', 'identity'), refusal('body-compressed'));
    }
    // Many clients send a content type without a body (curl -d '' that of a form). An operation without a body ignores
    // it.
    if (takesNoBody(request) && isEmpty(request)) delete request.headers['content-type'];
    return payload;
  });
  app.addHook('preValidation', async (request) => {
    const { body } = request;
    if (!takesNoBody(request) || body === undefined || body === null) return;
    // A client that sends fields expects an effect, but the operation would ignore them.
    if (typeof body === 'object' && Object.keys(body).length === 0) return;
    throw refusal('body-unwanted');
  });
  // An answer that does not wait for the rest of a large body closes the connection. Otherwise the rest would have to
  // be read and dropped.
  app.addHook('onSend', async (request, reply) => {
    if (leavesMuchUnread(request)) closeAfter(request, reply);
  });
  // An unknown expectation may be ignored (RFC 9110 section 10.1.1). Node would answer 417 without a body.
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response));
}

/**
 * Answers the other methods of the routes that are registered after it in this scope: 405 with Allow (RFC 9110 section
 * 15.5.6).
 * @param prefix the prefix of the scope, with which the addresses begin
 * @param answerOptions answers OPTIONS, with the methods of an address. (Default: OPTIONS is refused like other
 * methods.)
 * @returns the function to call after all routes are registered
 */
export function refuseOtherMethods(
  app: FastifyInstance,
  prefix: string,
  answerOptions?: (reply: FastifyReply, methods: string) => FastifyReply,
): () => void {
  const methods = new Map<string, Set<string>>();
  app.addHook('onRoute', ({ url, method }) => {
    const known = methods.get(url) ?? new Set();
    for (const each of [method].flat()) known.add(each);
    methods.set(url, known);
  });
  return () => {
    for (const [url, known] of [...methods]) {
      const allow = METHODS.filter((each) => known.has(each)).join(', ');
      const withOptions = METHODS.filter((each) => each === 'OPTIONS' || (known.has(each) && each !== 'HEAD')).join(
        ', ',
      );
      app.route({
        method: METHODS.filter((each) => !known.has(each)),
        url: url.slice(prefix.length),
        exposeHeadRoute: false,
        schema: { hide: true },
        // Answers before the body is read.
        onRequest: async (request, reply) => {
          if (request.method === 'OPTIONS' && answerOptions) return answerOptions(reply, withOptions);
          const refused = refusal('no-such-method', { method: request.method, allow });
          return sendRefusal(reply.header('allow', allow), refused);
        },
        handler: async () => undefined,
      });
    }
  };
}

/**
 * The pattern of a route as the contract writes it. The router (find-my-way) requires a double colon for a colon that
 * begins no parameter, and the form of a parameter that such a colon follows.
 */
export function patternOf(url: string): string {
  return url.replaceAll(UNTIL_COLON, '').replaceAll('::', ':');
}

/** The form of a parameter that ends before a colon. */
export const UNTIL_COLON = '([^:/]+)';

function timesSent({ raw }: FastifyRequest, name: string): number {
  return raw.rawHeaders.filter((each, at) => at % 2 === 0 && each.toLowerCase() === name).length;
}

function takesNoBody({ routeOptions, is404 }: FastifyRequest): boolean {
  return !is404 && routeOptions.schema?.body === undefined;
}

/** Whether more of the body may arrive than is worth reading only to drop it. */
function leavesMuchUnread({ raw, headers }: FastifyRequest): boolean {
  if (raw.complete) return false;
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > SMALL_BODY_BYTES;
}

function closeAfter({ raw }: FastifyRequest, reply: FastifyReply): void {
  reply.header('connection', 'close');
  // A request whose body failed on its way has no socket any more.
  const socket = raw.socket ?? reply.raw.socket;
  if (socket) lingerAfterAnswer(socket);
}

/** Makes Fastify treat the request as one without a body. */
function hideBody({ headers }: FastifyRequest): void {
  for (const name of ['content-type', 'content-length', 'transfer-encoding']) delete headers[name];
}

function isEmpty({ headers }: FastifyRequest): boolean {
  return headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) === 0;
}

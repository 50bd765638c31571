// The rules of HTTP itself for all requests (RFC 9110, RFC 9112).
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { refusal } from '#service/refusal.ts';
import { isEnding, lingerAfterAnswer } from '../connections/sockets.ts';
import { sendRefusal } from '../refusals.ts';

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

// Turns every thrown error into an error answer: the status of each code, and `{error, message, field, records}`. The
// sentences are those of the catalogue in src/service/refusals.
import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { hasZodFastifySchemaValidationErrors } from 'fastify-type-provider-zod';
import { retryAfterSeconds } from '#base/retry-after.ts';
import type { ErrorBody } from '#contract/error.ts';
import { refuseOutage } from '#service/outage.ts';
import { Refusal, refusal, refuseIssues } from '#service/refusal.ts';
import { endSocket } from './connections/sockets.ts';
import { STATUS, STATUS_OF_RULE } from './error-codes.ts';

/** The error answers of a scope that has another form than the REST API. */
export interface RefusalForm {
  /** An object is sent as JSON, a string as text. */
  body(refused: Refusal): object | string;
  /** The content type of JSON. (Default: with a charset.) */
  jsonType?: string;
  /** @param status that of the REST API */
  status(refused: Refusal, status: number): number;
  /** The header WWW-Authenticate of a 401. */
  challenge: string;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** (Default: that of the REST API.) */
    refusals?: RefusalForm;
  }
}

/** The longest part of a path, in characters. */
export const MAX_PARAMETER = 512;

/** Errors of Fastify that keep their status; its other 4xx are plain bad requests. */
const KEPT_STATUS: ReadonlySet<number> = new Set([413, 414, 415, 431]);

export function installErrors(app: FastifyInstance): void {
  app.setErrorHandler((error: FastifyError | Refusal | Error, request, reply) => answer(error, request, reply));
  app.setNotFoundHandler((request, reply) => {
    const path = request.url.split('?')[0]?.slice(0, 200) ?? '';
    sendRefusal(reply, refusal('no-such-path', { method: request.method, path }));
  });
}

/**
 * Answers requests that Node refuses before Fastify sees them: headers that are too large, broken HTTP, a request that
 * takes too long. The connection ends at latest 2 s later, whether or not the client closes its half.
 */
export function answerBrokenRequest(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed || !socket.writable) return void socket.destroy();
  answerBare(socket, refusal(BROKEN[error.code ?? ''] ?? 'not-http'));
}

/** Answers a connection that no request was read from, and ends it at latest 2 s later. */
export function answerBare(socket: Socket, refused: Refusal): void {
  const status = statusOf(refused);
  const body = JSON.stringify(bodyOf(refused));
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'content-type: application/json; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
    `x-request-id: ${randomUUID()}`,
    'connection: close',
  ];
  endSocket(socket, `${head.join('\r\n')}\r\n\r\n${body}`);
}

const BROKEN: Readonly<Record<string, 'headers-too-large' | 'request-too-slow'>> = {
  HPE_HEADER_OVERFLOW: 'headers-too-large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request-too-slow',
};

/** Answers errors of the router, which come before a route and its hooks are found. */
export function answerUnrouted(error: FastifyError, request: FastifyRequest, reply: FastifyReply): void {
  void answer(error, request, reply.header('x-request-id', request.id));
}

function answer(error: FastifyError | Refusal | Error, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const outage = refuseOutage(error);
  const refused = outage ?? refusalOf(error, request);
  if (refused.rule === 'internal') request.log.error({ err: error }, 'request failed');
  // The loss of the database has a line of its own, so a request does not need one.
  if (outage !== null) request.log.debug({ err: error }, 'the database is not available');
  const { statusCode = 400 } = error as FastifyError;
  return sendRefusal(reply, refused, KEPT_STATUS.has(statusCode) ? statusCode : statusOf(refused));
}

function refusalOf(error: FastifyError | Refusal | Error, request: FastifyRequest): Refusal {
  if (error instanceof Refusal) return error;
  if (hasZodFastifySchemaValidationErrors(error)) {
    if (error.validationContext === 'body' && (request.body ?? null) === null) {
      return refusal('body-empty', { what: typeOfBody(request) === JSON_TYPE ? 'a JSON object' : 'a text' });
    }
    return refuseIssues(
      error.validation.map(({ instancePath, message, keyword: code, params }) => ({
        // The whole body or query has the path "/".
        path: instancePath === '/' ? [] : instancePath.split('/').slice(1),
        message,
        code,
        keys: (params as { keys?: string[] }).keys,
      })),
    );
  }
  const { statusCode = 500, code } = error as FastifyError;
  return statusCode >= 400 && statusCode < 500 ? refusalOfFastify(code, request) : refusal('internal');
}

/** Fastify's own errors (FST_ERR_…), by their codes. */
function refusalOfFastify(code: string, request: FastifyRequest): Refusal {
  switch (code) {
    case 'FST_ERR_CTP_INVALID_JSON_BODY':
      return refusal('body-not-json');
    case 'FST_ERR_BAD_URL':
      return refusal('address-not-utf8');
    case 'FST_ERR_MAX_PARAM_LENGTH':
      return refusal('address-too-long', { limit: MAX_PARAMETER });
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
      return refusal('body-wrong-length');
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE': {
      const type = typeOfBody(request);
      return refusal('body-wrong-type', { what: type === JSON_TYPE ? 'JSON' : 'text', type });
    }
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return refusal('body-too-large', { mebibytes: (request.routeOptions.bodyLimit ?? 0) / 2 ** 20 });
    default:
      return refusal('malformed');
  }
}

const JSON_TYPE = 'application/json';

/** The first content type that the route takes. */
function typeOfBody({ routeOptions }: FastifyRequest): string {
  return (routeOptions.schema as { consumes?: string[] } | undefined)?.consumes?.[0] ?? JSON_TYPE;
}

export function statusOf({ rule, code }: Refusal): number {
  return STATUS_OF_RULE[rule] ?? STATUS[code];
}

/** The error body (contract E1), with the field, the records, their owner and the value where there are some. */
export function bodyOf({ code, message, field, records, owner, value, shared, current }: Refusal): ErrorBody {
  return {
    error: code,
    message,
    ...(field === null ? {} : { field }),
    ...(records.length === 0 ? {} : { records: [...records] }),
    ...(owner === undefined ? {} : { owner }),
    ...(value === undefined ? {} : { value }),
    ...(shared === undefined ? {} : { shared }),
    ...(current === undefined ? {} : { etag: current.etag }),
    ...(current?.record || current?.zone ? { current: current.record ?? current.zone } : {}),
  };
}

const REST_FORM: RefusalForm = { body: bodyOf, status: (_, status) => status, challenge: 'Bearer' };

/** Answers with the status, the headers and the body of a refusal. */
export function sendRefusal(
  reply: FastifyReply,
  refused: Refusal,
  status = statusOf(refused),
  form: RefusalForm = reply.request.routeOptions?.config?.refusals ?? REST_FORM,
): FastifyReply {
  if (refused.retryAfterMs !== null) reply.header('retry-after', retryAfterSeconds(refused.retryAfterMs));
  // A change of a batch has a condition of its own: its ETag is in the body alone.
  if (refused.current && refused.field?.startsWith('If-')) reply.header('etag', refused.current.etag);
  if (refused.code === 'unauthorized' && !reply.hasHeader('www-authenticate')) {
    reply.header('www-authenticate', form.challenge);
  }
  const body = form.body(refused);
  reply.code(form.status(refused, status));
  if (typeof body === 'string') return reply.type('text/plain; charset=utf-8').send(body);
  // Serialises JSON directly, because an error must not depend on the schema of its route.
  return reply
    .type(form.jsonType ?? 'application/json; charset=utf-8')
    .serializer(JSON.stringify)
    .send(body);
}

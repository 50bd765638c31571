// The catalogue of errors: one status and one way of saying it per code, and the handlers that turn whatever was thrown
// into `{error, message}`. Knows no route.
import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { hasZodFastifySchemaValidationErrors } from 'fastify-type-provider-zod';
import { Refusal } from '../zones/refusal.ts';
import type { ErrorBody, ErrorCode } from './schemas/error.ts';

/** DESIGN section 3, first row. */
export const STATUS: Readonly<Record<ErrorCode, number>> = {
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
};

const INTERNAL =
  'Something went wrong in the service; nothing can be mended on your side. Try again, and name the x-request-id if it stays.';

/** Fastify's own refusals that keep their status; the rest of its 4xx are plain bad requests. */
const KEPT_STATUS: ReadonlySet<number> = new Set([413, 414, 415, 431]);

/** Of one part of a path, in characters. */
export const MAX_PARAMETER = 512;

const FASTIFY_SENTENCE: Readonly<Record<string, string>> = {
  FST_ERR_CTP_INVALID_JSON_BODY: 'The body is not valid JSON.',
  FST_ERR_BAD_URL: 'The address is not valid: what is percent-encoded in its path must be UTF-8.',
  FST_ERR_MAX_PARAM_LENGTH: `The address is too long: an id has at most ${MAX_PARAMETER} characters.`,
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'The body has another length than Content-Length says.',
};

/** Whole seconds, so that a client that waits exactly that long is not early. */
export function retryAfterSeconds(ms: number): number {
  return Math.max(1, Math.ceil(ms / 1000));
}

export function installErrors(app: FastifyInstance): void {
  app.setErrorHandler((error: FastifyError | Refusal | Error, request, reply) => answer(error, request, reply));
  app.setNotFoundHandler((request, reply) =>
    sendError(reply, 404, {
      error: 'not_found',
      message: `There is no ${request.method} ${request.url.split('?')[0]?.slice(0, 200)} here; the API's paths begin with /v1/dns.`,
    }),
  );
}

/** What node itself refuses before there is a request: too large headers, broken HTTP, a request that takes too long. */
export function answerBrokenRequest(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed || !socket.writable) return void socket.destroy();
  const [status, message] = BROKEN[error.code ?? ''] ?? [400, 'The request is not valid HTTP.'];
  const body = JSON.stringify({ error: 'bad_request', message } satisfies ErrorBody);
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'content-type: application/json; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
    `x-request-id: ${randomUUID()}`,
    'connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}

const BROKEN: Readonly<Record<string, readonly [number, string]>> = {
  HPE_HEADER_OVERFLOW: [431, 'The address and the headers are too large: at most 16 KiB are read.'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'The request did not arrive in time.'],
};

/** What the router refuses before a route and its hooks are found. */
export function answerUnrouted(error: FastifyError, request: FastifyRequest, reply: FastifyReply): void {
  void answer(error, request, reply.header('x-request-id', request.id));
}

function answer(error: FastifyError | Refusal | Error, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (error instanceof Refusal) {
    if (error.retryAfterMs !== null) reply.header('retry-after', retryAfterSeconds(error.retryAfterMs));
    if (error.code === 'unauthorized' && !reply.hasHeader('www-authenticate'))
      reply.header('www-authenticate', 'Bearer');
    return sendError(reply, STATUS[error.code], { error: error.code, message: error.message });
  }
  if (hasZodFastifySchemaValidationErrors(error)) {
    if (error.validationContext === 'body' && (request.body ?? null) === null) {
      const what = typeOfBody(request) === JSON_TYPE ? 'a JSON object' : 'a text';
      return sendError(reply, 400, { error: 'bad_request', message: `The body is empty: send ${what}.` });
    }
    const sentences = error.validation.map(({ instancePath, message: text }) => sentence(instancePath, text));
    // Two rules of one field may say the same.
    const message = [...new Set(sentences)].join(' ');
    return sendError(reply, 400, { error: 'bad_request', message });
  }
  const { statusCode, code } = error as FastifyError;
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500) {
    const status = KEPT_STATUS.has(statusCode) ? statusCode : 400;
    return sendError(reply, status, {
      error: 'bad_request',
      message: routeSentence(code, request) ?? FASTIFY_SENTENCE[code] ?? 'The request is malformed.',
    });
  }
  request.log.error({ err: error }, 'request failed');
  return sendError(reply, 500, { error: 'internal', message: INTERNAL });
}

/** What depends on the route: which bodies it takes, and of which size. */
function routeSentence(code: string, request: FastifyRequest): string | undefined {
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') {
    const type = typeOfBody(request);
    const what = type === JSON_TYPE ? 'JSON' : 'text';
    return `The body must be ${what}: send the header "Content-Type: ${type}".`;
  }
  if (code !== 'FST_ERR_CTP_BODY_TOO_LARGE') return undefined;
  return `The body is too large: at most ${(request.routeOptions.bodyLimit ?? 0) / 2 ** 20} MiB are read here.`;
}

const JSON_TYPE = 'application/json';

/** The first content type that the route takes. */
function typeOfBody({ routeOptions }: FastifyRequest): string {
  return (routeOptions.schema as { consumes?: string[] } | undefined)?.consumes?.[0] ?? JSON_TYPE;
}

function sentence(path: string, text: string | undefined): string {
  return sentenceOfIssue(path.replace(/^\//, '').replaceAll('/', '.'), text);
}

/** What a schema found wrong, as one sentence that begins with its field (`a.0.b`; empty: the whole). */
export function sentenceOfIssue(field: string, text: string | undefined): string {
  const what = text ?? 'is not valid';
  return field === '' ? `The request is not accepted: ${what}.` : `${field}: ${what}.`;
}

export function sendError(reply: FastifyReply, status: number, body: ErrorBody): FastifyReply {
  // Straight JSON: an error must not depend on the schema of the route it happened in.
  return reply.code(status).type('application/json; charset=utf-8').serializer(JSON.stringify).send(body);
}

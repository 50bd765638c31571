// Turns every thrown error into a refusal of the catalogue (src/service/refusals): errors of schemas, of Fastify, of
// Node and of the database. refusals.ts answers it.
import type { Socket } from 'node:net';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { hasZodFastifySchemaValidationErrors } from 'fastify-type-provider-zod';
import { toOutageRefusal } from '#service/outage.ts';
import { Refusal, refusal, toIssuesRefusal } from '#service/refusal.ts';
import { countFailedBody } from './hooks/limits.ts';
import { answerBare, sendRefusal, toHttpStatus } from './refusals.ts';

/** The longest part of a path, in characters. */
export const MAX_PARAMETER = 512;

/** Errors of Fastify that keep their status; its other 4xx are plain bad requests. */
const KEPT_STATUS: ReadonlySet<number> = new Set([413, 414, 415, 431]);

export function installErrors(app: FastifyInstance): void {
  app.decorateRequest('countUnread', null);
  app.decorateRequest('isOutage', false);
  app.setErrorHandler(async (error: FastifyError | Refusal | Error, request, reply) =>
    answer(await countFailedBody(request, error), request, reply),
  );
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

const BROKEN: Readonly<Record<string, 'headers-too-large' | 'request-too-slow'>> = {
  HPE_HEADER_OVERFLOW: 'headers-too-large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request-too-slow',
};

/** Answers errors of the router, which come before a route and its hooks are found. */
export function answerUnrouted(error: FastifyError, request: FastifyRequest, reply: FastifyReply): void {
  void answer(error, request, reply.header('x-request-id', request.id));
}

function answer(error: FastifyError | Refusal | Error, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const outage = toOutageRefusal(error);
  request.isOutage = outage !== null;
  const refused = outage ?? toRefusal(error, request);
  if (refused.rule === 'internal') request.log.error({ err: error }, 'request failed');
  // The loss of the database has a line of its own, so a request does not need one.
  if (outage !== null) request.log.debug({ err: error }, 'the database is not available');
  const { statusCode = 400 } = error as FastifyError;
  return sendRefusal(reply, refused, KEPT_STATUS.has(statusCode) ? statusCode : toHttpStatus(refused));
}

function toRefusal(error: FastifyError | Refusal | Error, request: FastifyRequest): Refusal {
  if (error instanceof Refusal) return error;
  if (hasZodFastifySchemaValidationErrors(error)) {
    if (error.validationContext === 'body' && (request.body ?? null) === null) {
      return refusal('body-empty', { what: typeOfBody(request) === JSON_TYPE ? 'a JSON object' : 'a text' });
    }
    return toIssuesRefusal(
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

// The server of HTTP: its limits of time and size, the ids of requests, and bodies in JSON. It does not listen.
import { randomUUID } from 'node:crypto';
import Fastify, { type FastifyBaseLogger, type FastifyInstance } from 'fastify';
import { serializerCompiler, validatorCompiler } from 'fastify-type-provider-zod';
import type { Logger } from 'pino';
import { z } from 'zod';
import { describeIssue } from '#contract/sentences.ts';
import { REQUEST_ID } from '#contract/shared.ts';
import { answerBrokenRequest, answerUnrouted, MAX_PARAMETER } from './errors.ts';
import { takeJson } from './hooks/json-body.ts';

const BODY_LIMIT = 1024 * 1024;
const REQUEST_MS = 30_000;
const HEADERS_MS = 10_000;

/** @param requestMs the time limit for a request to arrive. (Default: 30000; 10000 for its headers.) */
export function createServer(log: Logger, requestMs = REQUEST_MS): FastifyInstance {
  z.config({ localeError: describeIssue });
  const loggerInstance: FastifyBaseLogger = log.child({}, { level: log.level === 'info' ? 'warn' : log.level });
  const app = Fastify({
    loggerInstance,
    bodyLimit: BODY_LIMIT,
    // A client may choose the request id, to follow a change to its entry in the history.
    genReqId: (request) => {
      const given = request.headers['x-request-id'];
      return typeof given === 'string' && REQUEST_ID.test(given) ? given : randomUUID();
    },
    // Longer than the limits below, so that those end a slow request with an answer.
    connectionTimeout: requestMs * 2,
    requestTimeout: requestMs,
    keepAliveTimeout: 72_000,
    // While the process ends, requests on open connections are answered with `connection: close`.
    return503OnClosing: false,
    clientErrorHandler: answerBrokenRequest,
    frameworkErrors: answerUnrouted,
    routerOptions: { maxParamLength: MAX_PARAMETER },
    // followHttp checks the Host header instead, because Node would answer without a body.
    http: {
      requireHostHeader: false,
      headersTimeout: Math.min(HEADERS_MS, requestMs),
      requestTimeout: requestMs,
      // Node checks for slow clients only at this interval. Its default would keep them half a minute longer.
      connectionsCheckingInterval: Math.min(1_000, requestMs / 4),
    },
  });
  app.setValidatorCompiler(validatorCompiler);
  app.setSerializerCompiler(serializerCompiler);
  // Fastify would also read text/plain. The contract is JSON, and other types are refused with 415.
  app.removeContentTypeParser('text/plain');
  // Many clients send the JSON content type without a body. The schema of the route decides whether a body is required.
  takeJson(app, 'application/json');
  return app;
}

// Answers a refusal: the status of its code, its headers, and its body in the form of the protocol. A protocol without
// a form of its own has that of the REST API: `{error, message, field, records}`.
import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyReply } from 'fastify';
import { retryAfterSeconds } from '#base/retry-after.ts';
import type { ErrorBody } from '#contract/error.ts';
import type { Refusal } from '#service/refusal.ts';
import { endSocket } from './connections/sockets.ts';
import { STATUS, STATUS_OF_RULE } from './error-codes.ts';
import { linkToRule } from './error-links.ts';

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

export function toHttpStatus({ rule, code }: Refusal): number {
  return STATUS_OF_RULE[rule] ?? STATUS[code];
}

/** The error body (contract E1), with the field, the records, their owner and the value where there are some. */
export function toErrorBody({ code, message, field, records, owner, value, shared, current }: Refusal): ErrorBody {
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

const REST_FORM: RefusalForm = { body: toErrorBody, status: (_, status) => status, challenge: 'Bearer' };

/** Answers with the status, the headers and the body of a refusal. */
export function sendRefusal(
  reply: FastifyReply,
  refused: Refusal,
  status = toHttpStatus(refused),
  form: RefusalForm = reply.request.routeOptions?.config?.refusals ?? REST_FORM,
): FastifyReply {
  if (refused.retryAfterMs !== null) reply.header('retry-after', retryAfterSeconds(refused.retryAfterMs));
  // A change of a batch has a condition of its own: its ETag is in the body alone.
  if (refused.current && refused.field?.startsWith('If-')) reply.header('etag', refused.current.etag);
  if (refused.code === 'unauthorized' && !reply.hasHeader('www-authenticate')) {
    reply.header('www-authenticate', form.challenge);
  }
  linkToRule(reply, refused.rule);
  const body = form.body(refused);
  reply.code(form.status(refused, status));
  if (typeof body === 'string') return reply.type('text/plain; charset=utf-8').send(body);
  // Serialises JSON directly, because an error must not depend on the schema of its route.
  return reply
    .type(form.jsonType ?? 'application/json; charset=utf-8')
    .serializer(JSON.stringify)
    .send(body);
}

/** Answers a connection that no request was read from, and ends it at latest 2 s later. */
export function answerBare(socket: Socket, refused: Refusal): void {
  const status = toHttpStatus(refused);
  const body = JSON.stringify(toErrorBody(refused));
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'content-type: application/json; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
    `x-request-id: ${randomUUID()}`,
    'connection: close',
  ];
  endSocket(socket, `${head.join('\r\n')}\r\n\r\n${body}`);
}

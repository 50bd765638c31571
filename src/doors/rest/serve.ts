// Registers the route of an operation of the contract: address, schemas, documentation, write limit, conditions and
// status. The handler gets the parts of the request and returns the body of the answer.
import type { FastifyContextConfig, FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import { validatorCompiler } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { type Operation, type OperationAnswer, type Received, takesCondition } from '#contract/operation.ts';
import { errorAnswers } from '#http/error-codes.ts';
import { readCaller, requireActor } from '#http/hooks/auth.ts';
import { isKnown, readConditionalCaller, tagged } from '#http/hooks/conditions.ts';
import { UNTIL_COLON } from '#http/patterns.ts';
import type { Actor } from '#service/accounts/actor.ts';
import type { Caller } from '#service/context.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Absent: the route belongs to a foreign protocol, or to the console. */
    operation?: Operation;
  }
}

interface Exchange<O extends Operation> {
  readonly params: Received<O, 'params'>;
  readonly query: Received<O, 'query'>;
  /** The envelope, if the operation has one. */
  readonly body: Received<O, O['envelope'] extends z.ZodType ? 'envelope' : 'body'>;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  /** @throws Error if the scope of the route does not authenticate */
  actor(): Actor;
  /** The caller, with the condition of the request if the operation takes one. @throws Refusal bad_request */
  caller(): Caller;
}

/**
 * A handler returns the body of the answer, or the reply if it has sent the answer itself. Without a body, nothing is
 * read.
 */
type Result<O extends Operation> = OperationAnswer<O> extends null ? unknown : OperationAnswer<O>;

interface ServeOptions<O extends Operation> extends Pick<RouteOptions, 'bodyLimit' | 'exposeHeadRoute'> {
  /** The ETag of an answer. Absent: the answer has none, or the handler adds it. */
  readonly tag?: (answer: OperationAnswer<O>) => string;
  /** See FastifyContextConfig. */
  readonly isStream?: FastifyContextConfig['isStream'];
}

type Serve = <const O extends Operation>(
  operation: O,
  handle: (exchange: Exchange<O>) => Promise<Result<O> | FastifyReply>,
  options?: ServeOptions<O>,
) => void;

/** Returns the function that registers operations in this scope, whose prefix begins their paths. */
export function serveOn(app: FastifyInstance): Serve {
  return (operation, handle, { tag, isStream, ...options } = {}) => {
    const { method, path } = operation;
    const [status = 200, ...others] = Object.keys(operation.answers).map(Number);
    app.route({
      ...options,
      ...checkFirst(operation),
      method,
      url: patternOfPath(path).slice(app.prefix.length),
      schema: buildSchema(operation),
      config: {
        operation,
        changesNothing: operation.changesNothing ?? false,
        ...toCounts(operation),
        ...(isStream === undefined ? {} : { isStream }),
      },
      handler: async (request, reply) => {
        const { params, query, body } = request;
        const actor = () => requireActor(request);
        const caller = () => (takesCondition(operation) ? readConditionalCaller(request) : readCaller(request));
        const answer = await handle({ params, query, body, request, reply, actor, caller } as never);
        // A reply that has sent the answer becomes undefined here, because it is a promise of the end of the answer.
        if (answer === undefined && status !== 204) return reply;
        if (operation.secret) reply.header('cache-control', 'no-store');
        const etag = tag?.(answer as never);
        if (etag !== undefined && method !== 'GET') tagged(reply, etag);
        if (etag !== undefined && method === 'GET' && isKnown(request, reply, etag)) return reply.code(304).send(null);
        // With several statuses, the handler sets another one than the default.
        if (others.length === 0) reply.code(status);
        return reply.send(status === 204 ? null : answer);
      },
    });
  };
}

/** The path in the form of the router (find-my-way), in which a double colon is a colon and not a parameter. */
function patternOfPath(path: string): string {
  return path
    .replaceAll(':', '::')
    .replaceAll(/\{(\w+)\}(::)?/g, (_, name, colon) => (colon ? `:${name}${UNTIL_COLON}::` : `:${name}`));
}

function buildSchema(operation: Operation): Record<string, unknown> {
  const { id, tag, summary, description, needs, params, query, body, consumes, produces, answers, errors } = operation;
  const isConditional = operation.method === 'GET' && takesCondition(operation);
  return {
    operationId: id,
    tags: [tag],
    summary,
    description,
    // OpenAPI 3.1 lets the security requirement list the roles that the caller needs.
    ...(needs && { security: [needs === 'node' ? { nodeKey: [] } : { key: [needs] }] }),
    ...(consumes && { consumes }),
    ...(produces && { produces }),
    ...(params && { params }),
    ...(query && { querystring: query }),
    ...(body && { body }),
    response: { ...answers, ...(isConditional && { 304: z.null() }), ...errorAnswers(...errors) },
  };
}

function toCounts({ counts }: Operation): Pick<FastifyContextConfig, 'counts'> {
  if (counts === undefined || typeof counts === 'string') return counts === undefined ? {} : { counts };
  const { bucket, changes, challenges } = counts;
  return {
    counts: {
      bucket,
      changes: changes === 'operation' ? changes : ({ body }) => changes(body),
      ...(challenges && { challenges: ({ body }) => challenges(body) }),
    },
  };
}

/** The body is documented as `body`, and checked as `envelope`. */
function checkFirst({ envelope }: Operation): Pick<RouteOptions, 'validatorCompiler'> {
  if (envelope === undefined) return {};
  return {
    validatorCompiler: (route) =>
      validatorCompiler({ ...route, schema: route.httpPart === 'body' ? envelope : (route.schema as z.ZodType) }),
  };
}

// The methods of each address: those without a route are refused.
import type { FastifyInstance, FastifyReply } from 'fastify';
import { refusal } from '#service/refusal.ts';
import { sendRefusal } from './refusals.ts';

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'QUERY'] as const;

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

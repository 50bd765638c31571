// Dangling names over HTTP. src/service/dangling holds the rules.
import type { FastifyInstance } from 'fastify';
import { listDanglingNames } from '#contract/operations/dangling.ts';
import type { ServiceContext } from '#service/context.ts';
import { readDanglingNames } from '#service/dangling/list.ts';
import { serveOn } from '../serve.ts';

export function danglingRoutes(app: FastifyInstance, context: ServiceContext): void {
  const serve = serveOn(app);
  serve(listDanglingNames, ({ actor, query }) => readDanglingNames(context, actor(), query));
}

// While the service takes no changes, requests that change something are refused. Their keys are checked before, so
// that only their holders learn the reason.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { ServiceContext } from '#service/context.ts';
import { mustTakeChanges } from '#service/read-only.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** A method other than GET that changes nothing of the service, or only a session. (Default: false.) */
    changesNothing?: boolean;
  }
}

const READING = new Set(['GET', 'HEAD', 'OPTIONS']);

export function refuseChanges(app: FastifyInstance, context: Pick<ServiceContext, 'readOnly'>): void {
  if (context.readOnly === undefined) return;
  // After authentication, and before the body is read.
  app.addHook('preParsing', async (request) => {
    if (isChange(request)) mustTakeChanges(context);
  });
}

function isChange({ method, is404, routeOptions: { config } }: FastifyRequest): boolean {
  if (is404 || READING.has(method)) return false;
  const { changesNothing = false, repeatable = false, operation } = config;
  // The reports of name servers change no zone, and say which data they answer.
  return !changesNothing && !repeatable && operation?.needs !== 'node';
}

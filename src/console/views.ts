// From a template to an answer: the templates' engine, and what every page gets beside its own data.
import view from '@fastify/view';
import { Eta } from 'eta';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { assetAddress } from './assets.ts';

/** A message for the next page that is shown. */
export interface Flash {
  kind: 'done' | 'failed';
  text: string;
}

declare module '@fastify/secure-session' {
  interface SessionData {
    flash: Flash;
  }
}

const FOLDER = new URL('views', import.meta.url).pathname;

export async function useViews(app: FastifyInstance): Promise<void> {
  const eta = new Eta({ views: FOLDER, cache: true, autoEscape: true });
  await app.register(view, { engine: { eta }, root: FOLDER, production: true, propertyName: 'view' });
}

/** Answers with a page. `data` is what its template names; `title` is the page's. */
export async function show(
  request: FastifyRequest,
  reply: FastifyReply,
  template: string,
  data: { title: string } & Record<string, unknown>,
): Promise<FastifyReply> {
  const flash = takeFlash(request);
  const html = await reply.viewAsync(template, {
    errors: {},
    typed: {},
    ...data,
    flash,
    // A request that was refused before its cookie was read has no session, and gets no form.
    csrf: request.session ? reply.generateCsrf() : '',
    asset: assetAddress,
    path: request.url.split('?')[0],
    isHtmx: request.headers['hx-request'] === 'true',
    person: request.visitor?.person ?? null,
    teams: request.visitor?.teams ?? [],
  });
  return reply.type('text/html; charset=utf-8').send(html);
}

/** After a POST that did what it should: on to a page that says so. */
export function done(request: FastifyRequest, reply: FastifyReply, address: string, text: string): FastifyReply {
  request.session.set('flash', { kind: 'done', text } satisfies Flash);
  return reply.redirect(address, 303);
}

/** How the browser calls this service, for texts to be copied: a proxy may have ended HTTPS before us. */
export function addressOf(request: FastifyRequest): string {
  const protocol = request.headers['x-forwarded-proto'] === 'https' ? 'https' : request.protocol;
  return `${protocol}://${request.host}`;
}

function takeFlash(request: FastifyRequest): Flash | null {
  const flash = request.session?.get('flash') ?? null;
  if (flash) request.session.set('flash', undefined);
  return flash;
}

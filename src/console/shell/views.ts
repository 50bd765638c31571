// Renders templates to answers: the template engine, and the data that every page gets.
import view from '@fastify/view';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import manifest from '../../../package.json' with { type: 'json' };
import type { ConsoleParts } from '../parts.ts';
import { assetAddress } from './assets.ts';
import { TEMPLATES, Templates } from './templates.ts';
import { whenOf } from './when.ts';

/** A message for the next page. */
export interface Flash {
  kind: 'done' | 'failed' | 'warn';
  text: string;
  /** The id of the record in the list that the message is about. */
  record?: string | undefined;
  /** The form of the button `Undo`. */
  undo?: UndoForm | undefined;
}

/** A form without fields to fill in, which takes a change back. */
export interface UndoForm {
  address: string;
  fields: readonly (readonly [name: string, value: string])[];
}

declare module '@fastify/secure-session' {
  interface SessionData {
    flash: Flash;
  }
}

/** The links in the head of each page. */
const SECTIONS = [
  ['/console/', 'Overview'],
  ['/console/zones', 'Zones'],
  ['/console/checks', 'Checks'],
  ['/console/teams', 'Teams'],
] as const;

declare module 'fastify' {
  interface FastifyInstance {
    /** The time of the service, for pages that say how long ago a moment was. */
    consoleNow: () => Date;
  }
}

export async function useViews(app: FastifyInstance, { now }: Pick<ConsoleParts['context'], 'now'>): Promise<void> {
  app.decorate('consoleNow', now);
  const eta = new Templates();
  await app.register(view, { engine: { eta }, root: TEMPLATES, production: true, propertyName: 'view' });
}

/** Answers with a page. `data` holds the values that its template names, `title` the title of the page. */
export async function showPage(
  request: FastifyRequest,
  reply: FastifyReply,
  template: string,
  data: { title: string } & Record<string, unknown>,
): Promise<FastifyReply> {
  const flash = takeFlash(request);
  const now = request.server.consoleNow();
  const html = await reply.viewAsync(template, {
    errors: {},
    typed: {},
    ...data,
    flash,
    fresh: flash?.record ?? null,
    // A request that is refused before its cookie is read has no session, and its page has no form.
    csrf: request.session ? reply.generateCsrf() : '',
    once: request.server.newOnce,
    asset: assetAddress,
    version: manifest.version,
    docs: request.server.docsUrl,
    sections: SECTIONS,
    whenOf: (at: string) => whenOf(at, now),
    path: request.url.split('?')[0],
    isHtmx: request.headers['hx-request'] === 'true',
    person: request.visitor?.person ?? null,
    teams: request.visitor?.teams ?? [],
  });
  return reply.type('text/html; charset=utf-8').send(html);
}

/**
 * Leads after a successful POST to a page that shows the message. htmx opens it as a page of its own.
 * @param more the record that the message is about, which the list marks, and the form that takes the change back
 */
export function done(
  request: FastifyRequest,
  reply: FastifyReply,
  address: string,
  text: string,
  more: Pick<Flash, 'record' | 'undo'> = {},
): FastifyReply {
  showNext(request, text, more);
  if (request.headers['hx-request'] !== 'true') return reply.redirect(address, 303);
  request.doneAt = address;
  return reply.header('hx-redirect', address).type('text/html; charset=utf-8').send('');
}

/** Shows a message on the next page, or in the part of a page that answers this request. */
export function showNext(request: FastifyRequest, text: string, more: Pick<Flash, 'record' | 'undo'> = {}): void {
  request.session.set('flash', { kind: 'done', text, ...more } satisfies Flash);
}

/** Shows sentences on the next page, independent of the page. */
export function notify(
  request: FastifyRequest,
  { warnings, news }: { warnings: readonly string[]; news: string | null },
): void {
  const sentences = news === null ? warnings : [...warnings, news];
  if (sentences.length === 0) return;
  const kind = warnings.length > 0 ? 'warn' : 'done';
  request.session.set('flash', { kind, text: sentences.join(' ') } satisfies Flash);
}

/** The address by which the browser reaches this service, for texts to copy. A proxy may have terminated HTTPS. */
export function readOrigin(request: FastifyRequest): string {
  const protocol = request.headers['x-forwarded-proto'] === 'https' ? 'https' : request.protocol;
  return `${protocol}://${request.host}`;
}

function takeFlash(request: FastifyRequest): Flash | null {
  const flash = request.session?.get('flash') ?? null;
  if (flash) request.session.set('flash', undefined);
  return flash;
}

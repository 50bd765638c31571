// Whose browser it is: the sealed cookie, what it holds, and the CSRF token that belongs to it. The session itself is a row
// (zones/sessions.ts), so that it ends everywhere at once; the cookie names it.
import { createHash, randomBytes } from 'node:crypto';
import csrf from '@fastify/csrf-protection';
import secureSession from '@fastify/secure-session';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Actor, Person } from '../zones/actor.ts';
import { endSession, type PersonSession, SESSION_MS, sessionActor } from '../zones/sessions.ts';
import type { ConsoleParts } from './parts.ts';

/** Who looks at a page. */
export interface Visitor {
  person: Person;
  actor: Actor;
  /** With the role of the person in each, by name. */
  teams: Actor['memberships'];
  session: PersonSession;
}

declare module '@fastify/secure-session' {
  interface SessionData {
    /** The session that the cookie names. */
    is: PersonSession;
  }
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Null before sign-in. */
    visitor: Visitor | null;
  }
}

export async function keepSessions(app: FastifyInstance, { house, log, url }: ConsoleParts, key: string | null) {
  if (key === null) log.info('no ZONESTEAD_SESSION_KEY: console sessions end with this process, and hold for it alone');
  // Over plain HTTP browsers take such cookies from this machine only, so it is left out where plain HTTP was asked for.
  const secure = !url?.startsWith('http:');
  await app.register(secureSession, {
    key: key === null ? randomBytes(32) : createHash('sha256').update(key).digest(),
    // With this prefix no other host below the same domain can set it (RFC 6265bis section 4.1.3.2).
    cookieName: url?.startsWith('https:') ? '__Host-zonestead' : 'zonestead',
    expiry: SESSION_MS / 1000,
    // Lax: the way back from an OpenID provider comes from another site.
    cookie: { path: '/', httpOnly: true, secure, sameSite: 'lax' },
  });
  await app.register(csrf, {
    sessionPlugin: '@fastify/secure-session',
    getToken: (request) => (request.body as { _csrf?: string } | undefined)?._csrf ?? '',
  });
  app.decorateRequest('visitor', null);
  app.addHook('onRequest', async (request) => {
    const session = request.session.get('is');
    const actor = session ? await sessionActor(house, session) : null;
    if (!session || !actor?.user) return;
    request.actor = actor;
    request.visitor = { person: actor.user, actor, teams: actor.memberships, session };
  });
  app.addHook('preHandler', (request, reply, next) => {
    if (request.method === 'GET' || request.method === 'HEAD') next();
    else app.csrfProtection(request, reply, next);
  });
}

/** An onRequest hook: to the sign-in page without a session, and from there back. */
export async function requireVisitor(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply | undefined> {
  if (request.visitor) return undefined;
  const back = request.method === 'GET' ? `?to=${encodeURIComponent(request.url)}` : '';
  return reply.redirect(`/console/sign-in${back}`, 303);
}

/** The visitor of a page behind requireVisitor. */
export function visitorOf(request: FastifyRequest): Visitor {
  if (!request.visitor) throw new Error(`${request.routeOptions.url} is shown without sign-in`);
  return request.visitor;
}

/** Begins a session in a cookie of which nothing is left that was known before (session fixation). */
export async function beginSession(
  { house }: ConsoleParts,
  request: FastifyRequest,
  start: () => Promise<PersonSession>,
): Promise<void> {
  const session = await start();
  if (request.visitor) await endSession(house, request.visitor.session, request.id);
  request.session.regenerate();
  request.session.set('is', session);
}

export async function signOut({ house }: ConsoleParts, request: FastifyRequest): Promise<void> {
  if (request.visitor) await endSession(house, request.visitor.session, request.id);
  request.session.regenerate();
}

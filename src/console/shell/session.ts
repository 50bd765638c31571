// The session of a browser: the sealed cookie, its contents, and the CSRF token that belongs to it. The session itself
// is a row (src/service/accounts/sessions.ts), so that it ends in all processes at once; the cookie names it.
import { createHash, randomBytes } from 'node:crypto';
import csrf from '@fastify/csrf-protection';
import secureSession from '@fastify/secure-session';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Actor, Person } from '#service/accounts/actor.ts';
import { endSession, type PersonSession, SESSION_MS, sessionActor } from '#service/accounts/sessions.ts';
import type { ConsoleParts } from '../parts.ts';

/** The person who looks at a page. */
interface Visitor {
  person: Person;
  actor: Actor;
  /** The teams by name, with the role of the person in each. */
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

export async function keepSessions(app: FastifyInstance, { context, log, url }: ConsoleParts, key: string | null) {
  if (key === null)
    log.info('ZONESTEAD_SESSION_KEY is not set: console sessions are valid for this process only and end with it');
  // Over plain HTTP, browsers accept Secure cookies from this machine only, so the attribute is omitted if plain HTTP
  // is configured.
  const secure = !url?.startsWith('http:');
  await app.register(secureSession, {
    key: key === null ? randomBytes(32) : createHash('sha256').update(key).digest(),
    // With this prefix, no other host below the same domain can set the cookie (RFC 6265bis section 4.1.3.2).
    cookieName: url?.startsWith('https:') ? '__Host-zonestead' : 'zonestead',
    expiry: SESSION_MS / 1000,
    // Lax, because the way back from an OpenID provider comes from another site.
    cookie: { path: '/', httpOnly: true, secure, sameSite: 'lax' },
  });
  await app.register(csrf, {
    sessionPlugin: '@fastify/secure-session',
    getToken: (request) => (request.body as { _csrf?: string } | undefined)?._csrf ?? '',
  });
  app.decorateRequest('visitor', null);
  app.addHook('onRequest', async (request) => {
    const session = request.session.get('is');
    const actor = session ? await sessionActor(context, session) : null;
    if (!session || !actor?.user) return;
    request.actor = actor;
    request.visitor = { person: actor.user, actor, teams: actor.memberships, session };
  });
  app.addHook('preHandler', (request, reply, next) => {
    if (request.method === 'GET' || request.method === 'HEAD') next();
    else app.csrfProtection(request, reply, next);
  });
}

/** An onRequest hook that redirects to the sign-in page if there is no session, and back after signing in. */
export async function requireVisitor(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply | undefined> {
  if (request.visitor) return undefined;
  const back = request.method === 'GET' ? `?to=${encodeURIComponent(request.url)}` : '';
  return reply.redirect(`/console/sign-in${back}`, 303);
}

/** The visitor of a page behind requireVisitor. */
export function readVisitor(request: FastifyRequest): Visitor {
  if (!request.visitor) throw new Error(`${request.routeOptions.url} is served without a session`);
  return request.visitor;
}

/** Puts the session into a new cookie without any earlier contents (session fixation). */
export async function beginSession(
  { context }: ConsoleParts,
  request: FastifyRequest,
  session: PersonSession,
): Promise<void> {
  if (request.visitor) await endSession(context, request.visitor.session, request.id);
  request.session.regenerate();
  request.session.set('is', session);
}

export async function signOut({ context }: ConsoleParts, request: FastifyRequest): Promise<void> {
  if (request.visitor) await endSession(context, request.visitor.session, request.id);
  request.session.regenerate();
}

// Signing in with a person's key, and out.
import type { FastifyInstance } from 'fastify';
import { authenticate } from '../zones/keys.ts';
import { Refusal } from '../zones/refusal.ts';
import { startSession } from '../zones/sessions.ts';
import { attempt, text, typedOf } from './forms.ts';
import type { ConsoleParts } from './parts.ts';
import type { Provider } from './provider.ts';
import { beginSession, signOut } from './session.ts';
import { show } from './views.ts';

const WRONG_KEY =
  'key: This is no valid key of a person. It begins with yu_ and is neither revoked nor over; "zonestead users add" makes a new one.';

export function signInPages(app: FastifyInstance, parts: ConsoleParts, provider: Provider | null): void {
  const { house } = parts;
  const about = { title: 'Sign in', provider: provider?.name ?? null };

  app.get<{ Querystring: { to?: string } }>('/sign-in', async (request, reply) => {
    if (request.visitor) return reply.redirect('/console/', 303);
    return show(request, reply, 'sign-in', { ...about, to: ownAddress(request.query.to) });
  });

  app.post('/sign-in', async (request, reply) => {
    const typed = typedOf(request);
    const to = ownAddress(text(typed, 'to'));
    return attempt(
      reply,
      ['key'],
      async () => {
        const key = text(typed, 'key');
        const actor = await authenticate(house.db, key, request.ip, house.now()).catch((error) => {
          throw error instanceof Refusal ? new Refusal('bad_request', WRONG_KEY) : error;
        });
        if (!actor.user) throw new Refusal('bad_request', WRONG_KEY);
        const { id } = actor.user;
        await beginSession(parts, request, () => startSession(house, id, actor.keyId, request.id));
        return reply.redirect(to, 303);
      },
      (errors) => show(request, reply, 'sign-in', { ...about, errors, to }),
    );
  });

  app.post('/sign-out', async (request, reply) => {
    await signOut(parts, request);
    return reply.redirect('/console/sign-in', 303);
  });
}

/** Where to go after signing in: within the console only, whatever a link says. */
export function ownAddress(to: string | undefined): string {
  return to !== undefined && /^\/console\/[\w./?=&%~-]*$/.test(to) && !to.includes('//') ? to : '/console/';
}

// Signing in through the OpenID provider: to it, and back.
import type { FastifyInstance } from 'fastify';
import { startProvidedSession } from '../zones/provided-people.ts';
import { Refusal } from '../zones/refusal.ts';
import type { ConsoleParts } from './parts.ts';
import type { Provider, Started } from './provider.ts';
import { beginSession } from './session.ts';
import { ownAddress } from './sign-in.ts';

declare module '@fastify/secure-session' {
  interface SessionData {
    /** A sign-in under way at the provider, and when it began, in ms. */
    provider: Started & { to: string; at: number };
  }
}

/** How long people have at the provider: 10 minutes. */
const PATIENCE_MS = 10 * 60 * 1000;

export function providerPages(app: FastifyInstance, parts: ConsoleParts, provider: Provider): void {
  const { house } = parts;

  app.get<{ Querystring: { to?: string } }>('/sign-in/provider', async (request, reply) => {
    const { started, address } = await provider.begin().catch((error) => {
      request.log.warn({ err: error }, 'the OpenID provider cannot be asked');
      throw new Refusal(
        'busy',
        `${provider.name} cannot be reached at the moment; try again, or sign in with a key.`,
        10_000,
      );
    });
    request.session.set('provider', { ...started, to: ownAddress(request.query.to), at: house.now().getTime() });
    return reply.redirect(address, 303);
  });

  app.get('/sign-in/provider/back', async (request, reply) => {
    const begun = request.session.get('provider');
    request.session.set('provider', undefined);
    if (!begun || house.now().getTime() - begun.at > PATIENCE_MS) {
      throw new Refusal('bad_request', 'This sign-in was not begun in this browser, or took too long. Begin again.');
    }
    const person = await provider.finish(request.url, begun).catch((error) => {
      request.log.warn({ err: error }, 'sign-in through the OpenID provider failed');
      throw new Refusal('bad_request', `${provider.name} did not confirm who you are. Begin again.`);
    });
    await beginSession(parts, request, () => startProvidedSession(house, person, provider.rules, request.id));
    return reply.redirect(begun.to, 303);
  });
}

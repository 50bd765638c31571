// The pages that sign people in through the OpenID provider: the redirect to it and the way back.
import type { FastifyInstance } from 'fastify';
import { limitAddresses } from '#http/hooks/address-limit.ts';
import { whenClientLeaves } from '#http/hooks/leaving.ts';
import { type ProvidedPerson, startProvidedSession } from '#service/accounts/provided-people.ts';
import { SIGN_IN_MS, useState } from '#service/accounts/sessions.ts';
import { refusal } from '#service/refusal.ts';
import type { ConsoleParts } from '../parts.ts';
import { invitationNotice } from '../teams/invitations.ts';
import type { SignInProvider, Started } from './provider.ts';
import { beginSession } from './session.ts';
import { ownAddress } from './sign-in.ts';
import { notify } from './views.ts';

declare module '@fastify/secure-session' {
  interface SessionData {
    /** A sign-in in progress at the provider, and its start in ms. */
    provider: Started & { to: string; at: number };
  }
}

/** Returns from the provider of one client address in a minute: each is a request to the provider. */
const RATE = { most: 60, windowMs: 60_000 };
/** The requests to the provider that are in progress; `share`: those of one client address. */
const WORK = { total: 8, share: 2, waiting: 32, waitMs: 5_000, work: 'sign-ins' };

export function providerPages(app: FastifyInstance, parts: ConsoleParts, provider: SignInProvider): void {
  const { context } = parts;
  const takeTurn = limitAddresses({ rate: RATE, work: WORK, now: () => context.now().getTime() });

  app.get<{ Querystring: { to?: string } }>('/sign-in/provider', async (request, reply) => {
    const { started, address } = await provider.begin().catch((error) => {
      request.log.warn({ err: error }, 'the OpenID provider cannot be reached');
      throw refusal('provider-unreachable', { provider: provider.name }, { retryAfterMs: 10_000 });
    });
    request.session.set('provider', { ...started, to: ownAddress(request.query.to), at: context.now().getTime() });
    return reply.redirect(address, 303);
  });

  app.get('/sign-in/provider/back', async (request, reply) => {
    const startedSignIn = request.session.get('provider');
    request.session.set('provider', undefined);
    if (!startedSignIn || context.now().getTime() - startedSignIn.at > SIGN_IN_MS) {
      throw refusal('sign-in-not-begun');
    }
    let person: ProvidedPerson;
    const release = await takeTurn(request.clientAddress, whenClientLeaves(reply));
    try {
      // A copy of the cookie brings the same state back: only the first return asks the provider.
      if (!(await useState(context, startedSignIn.state))) throw refusal('sign-in-not-begun');
      person = await provider.finish(request.url, startedSignIn).catch((error) => {
        request.log.warn({ err: error }, 'sign-in through the OpenID provider failed');
        throw refusal('provider-did-not-confirm', { provider: provider.name });
      });
    } finally {
      release();
    }
    const { session, email, withheld } = await startProvidedSession(context, person, provider.terms, request.id);
    await beginSession(parts, request, session);
    for (const { team, sentence } of withheld) {
      const about = { team, subject: person.subject, reason: sentence };
      request.log.warn(about, 'a team of an OpenID rule was not assigned');
    }
    const warnings = withheld.map(({ sentence }) => sentence);
    notify(request, { warnings, news: await invitationNotice(context, email) });
    return reply.redirect(startedSignIn.to, 303);
  });

  app.get('/sign-out/provider', async (request, reply) => {
    const address = await provider.endAddress().catch((error) => {
      request.log.warn({ err: error }, 'the OpenID provider cannot be reached');
      return null;
    });
    return reply.redirect(address ?? '/console/sign-in', 303);
  });
}

// Signs people in with a personal key, and out.
import type { FastifyInstance } from 'fastify';
import { startSession } from '#service/accounts/sessions.ts';
import { authenticate } from '#service/keys/keys.ts';
import { Refusal, refusal } from '#service/refusal.ts';
import type { ConsoleParts } from '../parts.ts';
import { invitationNotice } from '../teams/invitations.ts';
import { SIGN_IN_LIMIT } from './form-body.ts';
import { attemptForm, readTyped, textField } from './forms.ts';
import type { SignInProvider } from './provider.ts';
import { beginSession, signOut } from './session.ts';
import { notify, showPage } from './views.ts';

export function signInPages(app: FastifyInstance, parts: ConsoleParts, provider: SignInProvider | null): void {
  const { context } = parts;
  const about = { title: 'Sign in', provider: provider?.name ?? null };

  app.get<{ Querystring: { to?: string; ended?: string } }>('/sign-in', async (request, reply) => {
    if (request.visitor) return reply.redirect('/console/', 303);
    const { to, ended } = request.query;
    const isOpenThere = ended === 'provider' && (await findEndAddress(provider)) !== null;
    return showPage(request, reply, 'shell/sign-in', { ...about, to: ownAddress(to), isOpenThere });
  });

  app.post('/sign-in', { bodyLimit: SIGN_IN_LIMIT, config: { changesNothing: true } }, async (request, reply) => {
    const typed = readTyped(request);
    const to = ownAddress(textField(typed, 'to'));
    return attemptForm(
      reply,
      ['key'],
      async () => {
        const key = textField(typed, 'key');
        if (key.startsWith('yk_')) throw refusal('key-of-a-team');
        const actor = await authenticate(context, key, request.clientAddress).catch((error) => {
          throw error instanceof Refusal ? refusal('not-a-persons-key') : error;
        });
        if (!actor.user) throw refusal('not-a-persons-key');
        const { id, email } = actor.user;
        await beginSession(parts, request, await startSession(context, id, actor.keyId, request.id));
        notify(request, { warnings: [], news: await invitationNotice(context, email) });
        return reply.redirect(to, 303);
      },
      (errors) => showPage(request, reply, 'shell/sign-in', { ...about, errors, to }),
    );
  });

  app.post('/sign-out', { config: { changesNothing: true } }, async (request, reply) => {
    // The session at the provider does not end here. On a shared machine, the next click on "Sign in" would be the same
    // person.
    const isFromProvider = request.visitor?.session.from === null;
    await signOut(parts, request);
    return reply.redirect(`/console/sign-in${isFromProvider ? '?ended=provider' : ''}`, 303);
  });
}

async function findEndAddress(provider: SignInProvider | null): Promise<string | null> {
  return (await provider?.endAddress().catch(() => null)) ?? null;
}

/** The address to open after signing in. An address outside the console is replaced. */
export function ownAddress(to: string | undefined): string {
  return to !== undefined && /^\/console\/[\w./?=&%~-]*$/.test(to) && !to.includes('//') ? to : '/console/';
}

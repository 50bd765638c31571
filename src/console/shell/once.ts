// Each form takes effect once. The field `_once` has a new random text on each page. A repeated request gets the
// redirect of the first one, with its message.

import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { beginForm, endForm, forgetForm, type SentForm } from '#service/accounts/sent-forms.ts';
import type { MintedTsigKey } from '#service/keys/tsig.ts';
import { refusal } from '#service/refusal.ts';
import type { ConsoleParts } from '../parts.ts';
import type { Flash } from './views.ts';

/** The secrets of a new key, on the way to the page that shows them. */
export interface NewSecrets {
  keyId: string;
  secret: string;
  tsig: MintedTsigKey | null;
  /** Unix time in ms. */
  at: number;
  /**
   * The form that made the key. Its kept outcome has the secrets as well until the page shows them. Null without one.
   */
  form: SentForm | null;
}

interface Outcome {
  location: string;
  flash: Flash | null;
  secrets: NewSecrets | null;
}

declare module '@fastify/secure-session' {
  interface SessionData {
    secrets: NewSecrets;
  }
}

declare module 'fastify' {
  interface FastifyInstance {
    /** A new text for the field `_once` of a form. */
    newOnce: () => string;
  }
  interface FastifyContextConfig {
    /** Whether the form of this route changes nothing, so that it is not registered. (Default: false.) */
    repeatable?: boolean;
  }
  interface FastifyRequest {
    /** The form of this request. Null without one, and for a repetition. */
    sentForm: SentForm | null;
    /** The page to which a repetition of a form leads, if the form's own answer is a part of a page. */
    doneAt: string | null;
  }
}

const TEXT = /^[A-Za-z0-9_-]{22}$/;
const OCTETS = 16;
/** How long a repetition waits for the first request, and the time between its looks, in ms. */
const WAIT_MS = 20_000;
const POLL_MS = 100;
/** How long the page of a new key may take to open, in ms. */
const SECRETS_MS = 10 * 60_000;

/** To be called after the hook that checks the CSRF token. */
export function sendOnce(app: FastifyInstance, { context }: Pick<ConsoleParts, 'context'>): void {
  app.decorate('newOnce', () => context.random(OCTETS).toString('base64url'));
  app.decorateRequest('sentForm', null);
  app.decorateRequest('doneAt', null);
  app.addHook('preHandler', async (request, reply) => {
    const sentForm = readForm(request);
    if (!sentForm || !request.actor) return undefined;
    const until = context.now().getTime() + WAIT_MS;
    for (;;) {
      const formState = await beginForm<Outcome>(context, request.actor, sentForm);
      if (formState.state === 'new') request.sentForm = formState.form;
      if (formState.state === 'new') return undefined;
      if (formState.state === 'done') return repeat(request, reply, formState.outcome);
      if (context.now().getTime() > until) throw refusal('form-outcome-unknown');
      await sleep(POLL_MS);
    }
  });
  app.addHook('onSend', async (request, reply) => {
    const form = request.sentForm;
    if (!form) return;
    request.sentForm = null;
    const location = reply.statusCode === 303 ? String(reply.getHeader('location')) : request.doneAt;
    if (location === null) return void (await forgetForm(context, form));
    const { session } = request;
    const outcome = { location, flash: session.get('flash') ?? null, secrets: session.get('secrets') ?? null };
    await endForm(context, form, outcome satisfies Outcome);
  });
}

/** Puts the secrets of a new key into the cookie, which is sealed, for the page that shows them. */
export function keepSecrets(request: FastifyRequest, secrets: Omit<NewSecrets, 'at' | 'form'>, now: Date): void {
  request.session.set('secrets', { ...secrets, at: now.getTime(), form: request.sentForm });
}

/** The secrets of a new key, once. Null if a page has shown them, or after ten minutes. */
export async function takeSecrets(
  { context }: Pick<ConsoleParts, 'context'>,
  request: FastifyRequest,
  keyId: string,
): Promise<NewSecrets | null> {
  const secrets = request.session.get('secrets');
  if (secrets?.keyId !== keyId) return null;
  request.session.set('secrets', undefined);
  if (secrets.form) {
    const location = request.url.split('?')[0] as string;
    await endForm(context, secrets.form, { location, flash: null, secrets: null } satisfies Outcome);
  }
  return context.now().getTime() - secrets.at > SECRETS_MS ? null : secrets;
}

/** Forms with files only preview, so they are not registered. */
function readForm(request: FastifyRequest): { text: string; fields: string } | null {
  if (request.routeOptions.config.repeatable) return null;
  if (request.method !== 'POST' || !request.headers['content-type']?.startsWith('application/x-www-form-urlencoded')) {
    return null;
  }
  const { _csrf, _once, ...fields } = (request.body ?? {}) as Record<string, string | string[]>;
  if (typeof _once !== 'string' || !TEXT.test(_once)) return null;
  return { text: _once, fields: JSON.stringify([request.url, fields]) };
}

function repeat(request: FastifyRequest, reply: FastifyReply, { location, flash, secrets }: Outcome): FastifyReply {
  if (flash) request.session.set('flash', flash);
  if (secrets) request.session.set('secrets', secrets);
  if (request.headers['hx-request'] === 'true') return reply.header('hx-redirect', location).send('');
  return reply.redirect(location, 303);
}

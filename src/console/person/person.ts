// The page of the signed-in person: sessions and keys, and the end of each.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { readCaller, requireActor } from '#http/hooks/auth.ts';
import { endOwnKey, endOwnSessions, readOwnKeys } from '#service/accounts/own-keys.ts';
import type { ConsoleParts } from '../parts.ts';
import { attemptForm, type FormErrors } from '../shell/forms.ts';
import { readVisitor } from '../shell/session.ts';
import { clipText } from '../shell/shown.ts';
import { done, showPage } from '../shell/views.ts';

const ADDRESS = '/console/me';

export function personPages(app: FastifyInstance, { context }: ConsoleParts): void {
  const page = async (request: FastifyRequest, reply: FastifyReply, errors: FormErrors = {}) => {
    const { sessions, keys } = await readOwnKeys(context, requireActor(request));
    const shown = (row: (typeof keys)[number]) => ({
      ...{ id: row.id, name: clipText(row.name), by: row.lastUsedBy === null ? null : clipText(row.lastUsedBy, 80) },
      ...{ createdAt: row.createdAt.toISOString(), lastUsedAt: row.lastUsedAt?.toISOString() ?? null },
    });
    const own = readVisitor(request).session.id;
    return showPage(request, reply, 'person/person', {
      title: 'Your sessions and keys',
      errors,
      own,
      sessions: sessions.map(shown),
      keys: keys.map(shown),
    });
  };

  app.get('/me', async (request, reply) => page(request, reply));

  app.post<{ Params: { keyId: string } }>(
    '/me/keys/:keyId/end',
    { config: { counts: 'account' } },
    async (request, reply) =>
      attemptForm(
        reply,
        [],
        async () => {
          const { name } = await endOwnKey(context, readCaller(request), request.params.keyId);
          return done(request, reply, ADDRESS, `The key or session ${name} has ended.`);
        },
        (errors) => page(request, reply, errors),
      ),
  );

  app.post('/me/sign-out-everywhere', { config: { counts: 'account' } }, async (request, reply) =>
    attemptForm(
      reply,
      [],
      async () => {
        await endOwnSessions(context, readCaller(request));
        request.session.regenerate();
        return reply.redirect('/console/sign-in', 303);
      },
      (errors) => page(request, reply, errors),
    ),
  );
}

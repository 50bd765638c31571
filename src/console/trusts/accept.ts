// Accepts a service account that was deleted and created again, after a confirmation: another person may have created
// it.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { acceptBody } from '#contract/trust.ts';
import { readCaller, requireActor } from '#http/hooks/auth.ts';
import { readTeam } from '#service/accounts/teams.ts';
import { acceptSubject } from '#service/credentials/subjects.ts';
import { readTrust } from '#service/credentials/trusts.ts';
import type { ConsoleParts } from '../parts.ts';
import { attemptForm, type FormErrors, judge, readTyped, type Typed, textField } from '../shell/forms.ts';
import { done, showPage } from '../shell/views.ts';

interface OfTrust {
  Params: { teamId: string; trustId: string };
}

export function acceptPages(app: FastifyInstance, { context }: ConsoleParts): void {
  const path = '/teams/:teamId/trusts/:trustId/accept';
  const page = async (
    request: FastifyRequest<OfTrust>,
    reply: FastifyReply,
    pageFields: { subject: string; typed?: Typed; errors?: FormErrors },
  ) => {
    const { teamId, trustId } = request.params;
    const team = await readTeam(context, requireActor(request), teamId);
    const trust = await readTrust(context, requireActor(request), teamId, trustId);
    return showPage(request, reply, 'trusts/accept', {
      title: 'Accept a new service account',
      team,
      trust,
      ...pageFields,
    });
  };
  app.get<OfTrust & { Querystring: { subject?: string } }>(path, async (request, reply) =>
    page(request, reply, { subject: request.query.subject ?? '' }),
  );
  app.post<OfTrust>(path, { config: { counts: 'account' } }, async (request, reply) => {
    const { teamId, trustId } = request.params;
    const typed = readTyped(request);
    const subject = textField(typed, 'subject');
    return attemptForm(
      reply,
      ['uid'],
      async () => {
        const { uid = null } = judge(acceptBody, { subject, uid: textField(typed, 'uid') || null });
        await acceptSubject(context, readCaller(request), teamId, trustId, { subject, uid });
        const address = `/console/teams/${encodeURIComponent(teamId)}/trusts/${encodeURIComponent(trustId)}`;
        const which = uid === null ? 'The next token' : `The service account with the UID ${uid}`;
        return done(request, reply, address, `${which} of ${subject} is accepted.`);
      },
      (errors) => page(request, reply, { subject, typed, errors }),
    );
  });
}

// The test of a token: which trust of the team accepts it, or why none does. The token is in no log, no row of the
// database and no answer: the form is not registered, and its page is shown without it.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { trustTestBody } from '#contract/trust.ts';
import { requireActor } from '#http/hooks/auth.ts';
import { readTeam } from '#service/accounts/teams.ts';
import { explainToken } from '#service/trusts/explain.ts';
import type { ConsoleParts } from '../parts.ts';
import { attemptForm, type FormErrors, judge, readTyped, textField } from '../shell/forms.ts';
import { showPage } from '../shell/views.ts';

interface OfTeam {
  Params: { teamId: string };
}

export function testPages(app: FastifyInstance, { context }: ConsoleParts): void {
  const page = async (
    request: FastifyRequest<OfTeam>,
    reply: FastifyReply,
    pageFields: { verdict?: unknown; errors?: FormErrors } = {},
  ) => {
    const team = await readTeam(context, requireActor(request), request.params.teamId);
    return showPage(request, reply, 'trusts/test', { title: 'Test a token', team, verdict: null, ...pageFields });
  };
  app.get<OfTeam>('/teams/:teamId/trusts/test', async (request, reply) => page(request, reply));
  app.post<OfTeam>('/teams/:teamId/trusts/test', { config: { repeatable: true } }, async (request, reply) => {
    const token = textField(readTyped(request), 'token');
    return attemptForm(
      reply,
      ['token'],
      async () => {
        const body = judge(trustTestBody, { token });
        const verdict = await explainToken(context, requireActor(request), request.params.teamId, body.token);
        return page(request, reply, { verdict });
      },
      (errors) => page(request, reply, { errors }),
    );
  });
}

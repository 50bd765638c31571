// The test of a token: which trust of the team accepts it, or why none does. The token is in no log, no row of the
// database and no answer: the form is not registered, and its page is shown without it.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { trustTestBody } from '#contract/trust.ts';
import { actorOf } from '#http/hooks/auth.ts';
import { readTeam } from '#service/accounts/teams.ts';
import { explainToken } from '#service/trusts/explain.ts';
import type { ConsoleParts } from '../parts.ts';
import { attempt, type FormErrors, judge, text, typedOf } from '../shell/forms.ts';
import { show } from '../shell/views.ts';

interface OfTeam {
  Params: { teamId: string };
}

export function testPages(app: FastifyInstance, { context }: ConsoleParts): void {
  const page = async (
    request: FastifyRequest<OfTeam>,
    reply: FastifyReply,
    pageFields: { verdict?: unknown; errors?: FormErrors } = {},
  ) => {
    const team = await readTeam(context, actorOf(request), request.params.teamId);
    return show(request, reply, 'trusts/test', { title: 'Test a token', team, verdict: null, ...pageFields });
  };
  app.get<OfTeam>('/teams/:teamId/trusts/test', async (request, reply) => page(request, reply));
  app.post<OfTeam>('/teams/:teamId/trusts/test', { config: { repeatable: true } }, async (request, reply) => {
    const token = text(typedOf(request), 'token');
    return attempt(
      reply,
      ['token'],
      async () => {
        const body = judge(trustTestBody, { token });
        const verdict = await explainToken(context, actorOf(request), request.params.teamId, body.token);
        return page(request, reply, { verdict });
      },
      (errors) => page(request, reply, { errors }),
    );
  });
}

// The list of teams: the invitations of the visitor, the visitor's teams, and the form for a new team.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { requireActor } from '#http/hooks/auth.ts';
import { readInvitations } from '#service/accounts/invitations.ts';
import { readTeams } from '#service/accounts/teams.ts';
import type { ServiceContext } from '#service/context.ts';
import type { FormErrors, Typed } from '../shell/forms.ts';
import { showPage } from '../shell/views.ts';

/** @param again the refused form */
export async function teamListPage(
  context: ServiceContext,
  request: FastifyRequest,
  reply: FastifyReply,
  again: { typed?: Typed; errors?: FormErrors } = {},
): Promise<FastifyReply> {
  const actor = requireActor(request);
  const [list, invitations] = [await readTeams(context, actor), await readInvitations(context, actor)];
  return showPage(request, reply, 'teams/list', { title: 'Teams', list, invitations, ...again });
}

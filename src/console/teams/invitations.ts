// Invitations: the visitor accepts or declines one, and an owner revokes one.
import type { FastifyInstance } from 'fastify';
import { readCaller } from '#http/hooks/auth.ts';
import {
  acceptInvitation,
  countInvitations,
  declineInvitation,
  revokeInvitation,
} from '#service/accounts/invitations.ts';
import type { ServiceContext } from '#service/context.ts';
import type { ConsoleParts } from '../parts.ts';
import { attemptForm } from '../shell/forms.ts';
import { done } from '../shell/views.ts';
import { teamListPage } from './list.ts';
import { membersAddress, membersPage } from './members.ts';

interface OfInvitation {
  Params: { invitationId: string };
}
interface OfTeamInvitation {
  Params: { teamId: string; invitationId: string };
}

export function invitationPages(app: FastifyInstance, { context }: ConsoleParts): void {
  app.post<OfInvitation>(
    '/invitations/:invitationId/accept',
    { config: { counts: 'account' } },
    async (request, reply) =>
      attemptForm(
        reply,
        [],
        async () => {
          const { id, name } = await acceptInvitation(context, readCaller(request), request.params.invitationId);
          return done(request, reply, `/console/teams/${id}/members`, `You are now a member of the team ${name}.`);
        },
        (errors) => teamListPage(context, request, reply, { errors }),
      ),
  );

  app.post<OfInvitation>(
    '/invitations/:invitationId/decline',
    { config: { counts: 'account' } },
    async (request, reply) =>
      attemptForm(
        reply,
        [],
        async () => {
          await declineInvitation(context, readCaller(request), request.params.invitationId);
          return done(request, reply, '/console/teams', 'The invitation was declined.');
        },
        (errors) => teamListPage(context, request, reply, { errors }),
      ),
  );

  app.post<OfTeamInvitation>(
    '/teams/:teamId/invitations/:invitationId/revoke',
    { config: { counts: 'account' } },
    async (request, reply) => {
      const { teamId, invitationId } = request.params;
      return attemptForm(
        reply,
        [],
        async () => {
          await revokeInvitation(context, readCaller(request), teamId, invitationId);
          return done(request, reply, membersAddress(teamId), 'The invitation was revoked.');
        },
        (errors) => membersPage(context, request, reply, { errors }),
      );
    },
  );
}

/**
 * The sentence that the page after signing in shows. Null if the person has no open invitation.
 * @param email the address of the person
 */
export async function invitationNotice(context: ServiceContext, email: string): Promise<string | null> {
  const open = await countInvitations(context, email);
  if (open === 0) return null;
  return open === 1 ? 'You have one open invitation: see Teams.' : `You have ${open} open invitations: see Teams.`;
}

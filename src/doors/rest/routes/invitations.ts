// Invitations over HTTP: those of a team for its members, and those to a person. src/service/accounts/invitations.ts
// holds the rules.
import type { FastifyInstance } from 'fastify';
import * as api from '#contract/operations/invitations.ts';
import {
  acceptInvitation,
  declineInvitation,
  invite,
  readInvitations,
  readTeamInvitations,
  revokeInvitation,
} from '#service/accounts/invitations.ts';
import type { ServiceContext } from '#service/context.ts';
import { serveOn } from '../serve.ts';

/** Below /account/teams. */
export function teamInvitationRoutes(app: FastifyInstance, context: ServiceContext): void {
  const serve = serveOn(app);
  serve(api.inviteMember, ({ caller, params, body }) => invite(context, caller(), params.teamId, body));
  serve(api.listTeamInvitations, async ({ actor, params }) => ({
    invitations: await readTeamInvitations(context, actor(), params.teamId),
  }));
  serve(api.revokeInvitation, ({ caller, params: { teamId, invitationId } }) =>
    revokeInvitation(context, caller(), teamId, invitationId),
  );
}

/** Below /account/invitations. */
export function invitationRoutes(app: FastifyInstance, context: ServiceContext): void {
  const serve = serveOn(app);
  serve(api.listInvitations, async ({ actor }) => ({ invitations: await readInvitations(context, actor()) }));
  serve(api.acceptInvitation, ({ caller, params }) => acceptInvitation(context, caller(), params.invitationId));
  serve(api.declineInvitation, ({ caller, params }) => declineInvitation(context, caller(), params.invitationId));
}

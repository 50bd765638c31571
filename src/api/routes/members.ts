// The members of a team over HTTP. src/service/accounts/members.ts holds the rules.
import type { FastifyInstance } from 'fastify';
import * as api from '#contract/operations/teams.ts';
import { changeMember, readMembers, removeMember } from '#service/accounts/members.ts';
import type { ServiceContext } from '#service/context.ts';
import { serveOn } from '../serve.ts';

export function memberRoutes(app: FastifyInstance, context: ServiceContext): void {
  const serve = serveOn(app);
  serve(api.listMembers, async ({ actor, params }) => ({
    members: await readMembers(context, actor(), params.teamId),
  }));
  serve(api.updateMember, ({ caller, params: { teamId, userId }, body }) =>
    changeMember(context, caller(), teamId, userId, body.role),
  );
  serve(api.removeMember, ({ caller, params: { teamId, userId }, query: { revokeKeys } }) =>
    removeMember(context, caller(), teamId, userId, { revokeKeys }),
  );
}

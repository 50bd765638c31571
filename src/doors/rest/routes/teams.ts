// Teams and their members over HTTP. src/service/accounts holds the rules.
import type { FastifyInstance } from 'fastify';
import * as api from '#contract/operations/teams.ts';
import { readAccountChanges } from '#service/accounts/account.ts';
import { changeMember, readMembers, removeMember } from '#service/accounts/members.ts';
import { changeTeamName, createTeam, readTeamDetail, readTeams } from '#service/accounts/teams.ts';
import type { ServiceContext } from '#service/context.ts';
import { serveOn } from '../serve.ts';

export function teamRoutes(app: FastifyInstance, context: ServiceContext): void {
  const serve = serveOn(app);
  serve(api.listTeams, async ({ actor }) => ({ teams: await readTeams(context, actor()) }));
  serve(api.createTeam, ({ caller, body }) => createTeam(context, caller(), body.name));
  serve(api.getTeam, ({ actor, params }) => readTeamDetail(context, actor(), params.teamId));
  serve(api.renameTeam, ({ caller, params, body }) => changeTeamName(context, caller(), params.teamId, body.name));
  serve(api.listTeamChanges, ({ actor, params, query }) => readAccountChanges(context, actor(), params.teamId, query));
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

// The clusters that write records of a team: their state, and their last heartbeat. Owners drain and restore them.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { actorOf, callerOf } from '#api/hooks/auth.ts';
import { readTeam } from '#service/accounts/teams.ts';
import { readClusters, setDrained } from '#service/clusters/clusters.ts';
import type { ConsoleParts } from '../parts.ts';
import { attempt, type FormErrors } from '../shell/forms.ts';
import { done, show } from '../shell/views.ts';

interface OfTeam {
  Params: { teamId: string };
}
interface OfCluster {
  Params: { teamId: string; name: string };
}

export function clusterPages(app: FastifyInstance, { context }: ConsoleParts): void {
  /** @param errors the sentences about a refused form */
  const page = async (request: FastifyRequest<OfTeam>, reply: FastifyReply, errors?: FormErrors) => {
    const { teamId } = request.params;
    const team = await readTeam(context, actorOf(request), teamId);
    const clusters = await readClusters(context, actorOf(request), `org:${teamId}`);
    const title = `Clusters of ${team.name}`;
    return show(request, reply, 'teams/clusters', { title, team, clusters, ...(errors ? { errors } : {}) });
  };
  app.get<OfTeam>('/teams/:teamId/clusters', async (request, reply) => page(request, reply));
  for (const { verb, drained, text } of [
    { verb: 'drain', drained: true, text: 'is drained: its records are served only where nothing else is.' },
    { verb: 'restore', drained: false, text: 'is restored: its records are served unless it is lost.' },
  ]) {
    app.post<OfCluster>(`/teams/:teamId/clusters/:name/${verb}`, async (request, reply) => {
      const { teamId, name } = request.params;
      return attempt(
        reply,
        [],
        async () => {
          await setDrained(context, callerOf(request), name, `org:${teamId}`, drained);
          const here = `/console/teams/${encodeURIComponent(teamId)}/clusters`;
          return done(request, reply, here, `The cluster ${name} ${text}`);
        },
        (errors) => page(request, reply, errors),
      );
    });
  }
}

// The clusters that write records of a team: their state, and their last heartbeat. Owners drain and restore them, and
// release their names.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { readCaller, requireActor } from '#http/hooks/auth.ts';
import { readTeam } from '#service/accounts/teams.ts';
import { acceptOlder } from '#service/clusters/accept-older.ts';
import { readClusters, releaseCluster, setDrained } from '#service/clusters/clusters.ts';
import { refusal } from '#service/refusal.ts';
import type { ConsoleParts } from '../parts.ts';
import { attemptForm, type FormErrors } from '../shell/forms.ts';
import { done, showPage } from '../shell/views.ts';

interface OfTeam {
  Params: { teamId: string };
}
interface OfCluster {
  Params: { teamId: string; name: string };
}
type Change = typeof releaseCluster;

export function clusterPages(app: FastifyInstance, { context }: ConsoleParts): void {
  /** @param errors the sentences about a refused form */
  const page = async (request: FastifyRequest<OfTeam>, reply: FastifyReply, errors?: FormErrors) => {
    const { teamId } = request.params;
    const team = await readTeam(context, requireActor(request), teamId);
    const clusters = await readClusters(context, requireActor(request), `org:${teamId}`);
    const title = `Clusters of ${team.name}`;
    return showPage(request, reply, 'teams/clusters', { title, team, clusters, ...(errors ? { errors } : {}) });
  };
  app.get<OfTeam>('/teams/:teamId/clusters', async (request, reply) => page(request, reply));
  for (const { verb, view, heading } of [
    { verb: 'release', view: 'teams/release-cluster', heading: 'Release' },
    { verb: 'accept-older', view: 'teams/accept-older', heading: 'Accept the older objects of' },
  ] as const) {
    app.get<OfCluster>(`/teams/:teamId/clusters/:name/${verb}`, async (request, reply) => {
      const { teamId, name } = request.params;
      const team = await readTeam(context, requireActor(request), teamId);
      if (team.role !== 'owner') throw refusal('owners-only');
      const clusters = await readClusters(context, requireActor(request), `org:${teamId}`);
      const cluster = clusters.find((each) => each.name === name);
      if (cluster === undefined) {
        const names = clusters.map((each) => each.name).join(', ');
        throw refusal('no-cluster', { name, known: names === '' ? 'none has sent a heartbeat' : `there are ${names}` });
      }
      return showPage(request, reply, view, { title: `${heading} ${name}`, team, cluster });
    });
  }
  const drain: Change = (...about) => setDrained(...about, true);
  const restore: Change = (...about) => setDrained(...about, false);
  for (const { verb, change, text } of [
    { verb: 'drain', change: drain, text: 'is drained: its records are served only where nothing else is.' },
    { verb: 'restore', change: restore, text: 'is restored: its records are served unless it is lost.' },
    {
      verb: 'release',
      change: releaseCluster,
      text: 'is released: the next key that sends its heartbeat gets the name.',
    },
    {
      verb: 'accept-older',
      change: acceptOlder,
      text: 'is accepted as its objects are: the operator sees it within 10 seconds.',
    },
  ]) {
    app.post<OfCluster>(`/teams/:teamId/clusters/:name/${verb}`, async (request, reply) => {
      const { teamId, name } = request.params;
      return attemptForm(
        reply,
        [],
        async () => {
          await change(context, readCaller(request), name, `org:${teamId}`);
          const here = `/console/teams/${encodeURIComponent(teamId)}/clusters`;
          return done(request, reply, here, `The cluster ${name} ${text}`);
        },
        (errors) => page(request, reply, errors),
      );
    });
  }
}

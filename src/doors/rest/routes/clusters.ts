// Clusters over HTTP: heartbeats, the list, drain, restore and remove. src/service/clusters holds the rules.
import type { FastifyInstance } from 'fastify';
import * as api from '#contract/operations/clusters.ts';
import { requireCounter } from '#http/hooks/limits.ts';
import { acceptOlder } from '#service/clusters/accept-older.ts';
import { readChangedSets } from '#service/clusters/changed-sets.ts';
import { readClusters, releaseCluster, removeCluster, setDrained } from '#service/clusters/clusters.ts';
import { takeHeartbeat } from '#service/clusters/heartbeat.ts';
import type { ServiceContext } from '#service/context.ts';
import { serveOn } from '../serve.ts';

export function clusterRoutes(app: FastifyInstance, context: ServiceContext): void {
  const serve = serveOn(app);
  serve(api.listClusters, async ({ actor, query }) => ({
    clusters: await readClusters(context, actor(), query.owner),
  }));
  serve(api.sendHeartbeat, async ({ actor, params, query, request }) => {
    const { owner, instance, objects, notReady, lease, renewals, restore } = query;
    const heartbeat = {
      owner,
      instance,
      objects: objects === undefined ? null : { total: Number(objects), notReady: Number(notReady ?? 0) },
      lease: lease === undefined || renewals === undefined ? null : { uid: lease, renewals: Number(renewals) },
      restore: restore ?? null,
      older: Number(query.older ?? 0),
      isControlPlaneAway: query.controlPlane === 'unreachable',
    };
    const count = requireCounter(request);
    const clusterView = await takeHeartbeat(context, actor(), params.name, heartbeat, () => count(1));
    return { ...clusterView, changed: await readChangedSets(context, actor(), clusterView) };
  });
  serve(api.deleteCluster, ({ caller, params, query }) => removeCluster(context, caller(), params.name, query.owner));
  serve(api.drainCluster, ({ caller, params, query }) => setDrained(context, caller(), params.name, query.owner, true));
  serve(api.restoreCluster, ({ caller, params, query }) =>
    setDrained(context, caller(), params.name, query.owner, false),
  );
  serve(api.acceptOlder, ({ caller, params, query }) => acceptOlder(context, caller(), params.name, query.owner));
  serve(api.releaseCluster, ({ caller, params, query }) => releaseCluster(context, caller(), params.name, query.owner));
}

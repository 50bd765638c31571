// Clusters over HTTP: heartbeats, the list, drain, restore and remove. src/service/clusters holds the rules.
import type { FastifyInstance } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { cluster, clusterList, clusterParams, clusterQuery, heartbeatQuery } from '#contract/clusters.ts';
import { readChangedSets } from '#service/clusters/changed-sets.ts';
import { readClusters, releaseCluster, removeCluster, setDrained, takeHeartbeat } from '#service/clusters/clusters.ts';
import type { ServiceContext } from '#service/context.ts';
import { actorOf, callerOf } from '../hooks/auth.ts';
import { counterOf } from '../hooks/limits.ts';
import { errorAnswers, needs } from './answers.ts';

const TAGS = ['clusters'];
const common = { tags: TAGS, querystring: clusterQuery };

export function clusterRoutes(app: FastifyInstance, context: ServiceContext): void {
  const routes = app.withTypeProvider<ZodTypeProvider>();
  routes.get(
    '/clusters',
    {
      schema: {
        ...common,
        operationId: 'listClusters',
        summary: 'List the clusters',
        description:
          'Lists the clusters of the team of an app key, or those of a person and of all teams of the person.',
        security: needs('clusters:write'),
        response: { 200: clusterList, ...errorAnswers('bad_request', 'forbidden') },
      },
    },
    async (request) => ({ clusters: await readClusters(context, actorOf(request), request.query.owner) }),
  );
  routes.put(
    '/clusters/:name',
    {
      config: { counts: { bucket: 'records', changes: 'operation' } },
      schema: {
        ...common,
        querystring: heartbeatQuery,
        operationId: 'sendHeartbeat',
        summary: 'Send the heartbeat of a cluster',
        description:
          'An installation sends it every 10 seconds. The first one adds the cluster, counts as a record write, and gives the name to the key: the heartbeats of another key are refused (`conflict`), unless they are of the same `instance` or an owner of the team released the name. A heartbeat after a silence ends the loss. It has no body.',
        security: needs('clusters:write'),
        params: clusterParams,
        response: { 200: cluster, ...errorAnswers('bad_request', 'forbidden', 'conflict', 'rate_limited') },
      },
    },
    async (request) => {
      const { owner, instance, objects, notReady } = request.query;
      const counts = objects === undefined ? null : { total: Number(objects), notReady: Number(notReady ?? 0) };
      const heartbeat = { owner, instance, objects: counts };
      const actor = actorOf(request);
      const count = counterOf(request);
      const taken = await takeHeartbeat(context, actor, request.params.name, heartbeat, () => count(1));
      return { ...taken, changed: await readChangedSets(context, actor, taken) };
    },
  );
  routes.delete(
    '/clusters/:name',
    {
      schema: {
        ...common,
        operationId: 'deleteCluster',
        summary: 'Remove a cluster that is gone',
        description: 'The cluster must be silent for 60 seconds and must own no records.',
        security: needs('owner'),
        params: clusterParams,
        response: { 204: z.null(), ...errorAnswers('bad_request', 'forbidden', 'not_found', 'conflict', 'busy') },
      },
    },
    async (request, reply) => {
      await removeCluster(context, callerOf(request), request.params.name, request.query.owner);
      return reply.code(204).send(null);
    },
  );
  const drain: typeof releaseCluster = (...about) => setDrained(...about, true);
  const restore: typeof releaseCluster = (...about) => setDrained(...about, false);
  for (const { verb, change, summary, description } of [
    {
      verb: 'drain',
      change: drain,
      summary: 'Withdraw the records of a cluster',
      description:
        'The name servers answer without the records whose owners are all withdrawn, except where nothing else is at the name and type. The records stay, and the cluster can still write.',
    },
    {
      verb: 'restore',
      change: restore,
      summary: 'Serve the records of a drained cluster again',
      description: 'The name servers answer with all records of the cluster again, unless it is lost.',
    },
    {
      verb: 'release',
      change: releaseCluster,
      summary: 'Give the name of a cluster to the next key',
      description:
        'The next key that sends a heartbeat of the name gets it. For an operator whose key was replaced. The cluster and its records stay; revoke a key that must not get the name first.',
    },
  ] as const) {
    routes.post(
      `/clusters/:name/${verb}`,
      {
        schema: {
          ...common,
          operationId: `${verb}Cluster`,
          summary,
          description,
          security: needs('owner'),
          params: clusterParams,
          response: { 200: cluster, ...errorAnswers('bad_request', 'forbidden', 'not_found', 'busy') },
        },
      },
      async (request) => {
        const { name } = request.params;
        return change(context, callerOf(request), name, request.query.owner);
      },
    );
  }
}

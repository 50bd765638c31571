// The contract of `/v1/clusters`: the installations that write records, their heartbeats, and draining them.
import { z } from 'zod';
import { CLUSTER_NAME, CLUSTER_NAME_RULE } from '#base/part-names.ts';
import { moment } from './shared.ts';

const OWNER_ERROR = 'must be "org:<teamId>" or "personal"';

const name = z
  .string({ error: CLUSTER_NAME_RULE })
  .regex(CLUSTER_NAME, { error: CLUSTER_NAME_RULE })
  .meta({
    description: 'The name of the cluster, as owners of records have it: `k8s:<cluster>/<namespace>/<name>`.',
    examples: ['prod-eu'],
  });

export const clusterParams = z.object({ name });

export const clusterQuery = z.strictObject({
  owner: z
    .string({ error: OWNER_ERROR })
    .max(128, { error: OWNER_ERROR })
    .optional()
    .meta({
      description:
        'The owner of the cluster: `org:<teamId>` or `personal`. If omitted: the team of an app key. For a person, a heartbeat is then for a personal cluster, and other requests look at all clusters that the person sees.',
      examples: ['org:team_7b1f'],
    }),
});

export const CLUSTER_STATES = ['active', 'drained', 'lost'] as const;

export const cluster = z
  .object({
    name,
    owner: z.string().meta({ description: 'The owner of the cluster: `org:<teamId>` or `personal`.' }),
    state: z.enum(CLUSTER_STATES).meta({
      description:
        '`active`: its records are served. `drained`: its records are withdrawn until it is restored. `lost`: it was silent for 60 seconds, and its sets with `whenClusterLost` `Withdraw` are withdrawn until the next heartbeat.',
    }),
    settled: z.boolean().meta({
      description: 'False while the service still changes which of its records are served.',
    }),
    lastHeartbeat: moment.meta({ description: 'The time of the last heartbeat.' }),
    drainedAt: moment.nullable().meta({ description: 'The time at which the cluster was drained. Null: it is not.' }),
    lostAt: moment.nullable().meta({
      description: 'The time at which the service missed the heartbeats. Null: it does not miss any.',
    }),
    createdAt: moment.meta({ description: 'The time of the first heartbeat.' }),
  })
  .meta({ id: 'Cluster', description: 'An installation that writes records.' });

export const clusterList = z
  .object({ clusters: z.array(cluster).meta({ description: 'The clusters, by name.' }) })
  .meta({ id: 'ClusterList', description: 'The clusters that the key may see.' });

export type Cluster = z.infer<typeof cluster>;

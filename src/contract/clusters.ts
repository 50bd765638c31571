// The contract of `/v1/clusters`: the installations that write records, their heartbeats, and draining them.
import { z } from 'zod';
import { CLUSTER_NAME, CLUSTER_NAME_RULE } from '#base/part-names.ts';
import { chosenOwner, moment } from './shared.ts';

const name = z
  .string({ error: CLUSTER_NAME_RULE })
  .regex(CLUSTER_NAME, { error: CLUSTER_NAME_RULE })
  .meta({
    description: 'The name of the cluster, as owners of records have it: `k8s:<cluster>/<namespace>/<name>`.',
    examples: ['prod-eu'],
  });

export const clusterParams = z.object({ name });

export const clusterQuery = z.strictObject({
  owner: chosenOwner.optional().meta({
    description:
      'The owner of the cluster: `org:<teamId>` or `personal`. If omitted: the team of an app key. For a person, a heartbeat is then for a personal cluster, and other requests look at all clusters that the person sees.',
    examples: ['org:team_7b1f'],
  }),
});

const COUNT_ERROR = 'must be a number from 0 to 10000000';
const objectCount = (description: string) =>
  z
    .string({ error: COUNT_ERROR })
    .regex(/^([1-9][0-9]{0,6}|0|10000000)$/, { error: COUNT_ERROR })
    .optional()
    .meta({ description });

const RENEWALS_ERROR = 'must be a number of at most 15 digits';
const AWAY_ERROR = 'must be "unreachable", or omitted';

/** @param example ends the error of a wrong text */
function visibleText(example: string) {
  const error = `must be 1 to 64 visible ASCII characters, such as ${example}`;
  return z
    .string({ error })
    .regex(/^[!-~]{1,64}$/, { error })
    .optional();
}

export const heartbeatQuery = clusterQuery.extend({
  instance: visibleText('the uid of the namespace kube-system').meta({
    description:
      'The Kubernetes cluster that sends the heartbeat: the uid of its namespace `kube-system`. While it is not lost, the heartbeat of another instance with the same name is refused (`conflict`). If omitted, it is not compared.',
    examples: ['6f0c2b1e-1d57-4c7e-9c44-7a5d0a1f7c11'],
  }),
  objects: objectCount('The number of DNSZone and DNSRecord objects of the owner in the cluster.'),
  notReady: objectCount('How many of these objects are not Ready. Sent together with `objects`.'),
  lease: visibleText('the uid of the Lease').meta({
    description: 'The uid of the Lease of the operator. Sent together with `renewals`.',
  }),
  renewals: z
    .string({ error: RENEWALS_ERROR })
    .regex(/^(0|[1-9][0-9]{0,14})$/, { error: RENEWALS_ERROR })
    .optional()
    .meta({
      description:
        'How often this Lease was renewed. If the number is lower than before, by more than a late heartbeat explains, the etcd of the cluster was restored from a backup: see `etcdRestoredAt`.',
    }),
  older: objectCount(
    'The number of DNSRecords that are older than those of the service. More than 5 mean that etcd was restored from a backup.',
  ),
  restore: visibleText('a UUID').meta({
    description:
      'The operator saw that the versions of its kube-apiserver went back, so the etcd of the cluster was restored from a backup. An id of its own for each restore: the service counts an id once.',
  }),
  controlPlane: z.literal('unreachable', { error: AWAY_ERROR }).optional().meta({
    description:
      '`unreachable`: the operator lives, but its kube-apiserver does not answer it. Such a heartbeat keeps the cluster from being lost.',
  }),
});

const changedSet = z
  .object({
    change: z.int().meta({ description: 'The number of the change in the history of the zone.' }),
    zoneId: z.string().meta({ description: 'The id of the zone.' }),
    owner: z
      .string()
      .meta({ description: 'The owner whose records were changed.', examples: ['k8s:prod/default/www'] }),
    by: z.string().meta({ description: 'The key that changed them.', examples: ['key ci (3f0a9c71d2e4)'] }),
  })
  .meta({ id: 'ChangedSet', description: 'A set of a cluster whose records another client changed.' });

const CLUSTER_STATES = ['active', 'drained', 'lost'] as const;

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
    // Absent in the answer of an older api, which refuses the numbers in a heartbeat.
    objects: z
      .object({
        total: z.int().meta({ description: 'The number of DNSZone and DNSRecord objects of the owner.' }),
        notReady: z.int().meta({ description: 'How many of them are not Ready.' }),
      })
      .nullable()
      .optional()
      .meta({ description: 'The objects in the cluster, by the last heartbeat that told them. Null: none did.' }),
    controlPlane: z.enum(['reachable', 'unreachable']).meta({
      description:
        '`unreachable`: operators of the cluster send heartbeats, but none of them has reached its kube-apiserver for 25 seconds. The records stay as they are.',
    }),
    etcdRestoredAt: moment.nullable().meta({
      description:
        'Since when the objects of the cluster are older than the data of the service, because etcd was restored from a backup. The operator then releases no records and deletes no zones. Null: they are not older, or an owner accepted it.',
    }),
    olderAcceptedAt: moment.nullable().meta({
      description: 'When an owner last accepted the objects as they are in the cluster. Null: never.',
    }),
    changed: z.array(changedSet).optional().meta({
      description:
        'Only in the answer to a heartbeat: the sets of the cluster whose records a client other than an owner updated or deleted in the last minute, the newest change first, at most 100. Sets with the drift policy `Ignore` are not told.',
    }),
  })
  .meta({ id: 'Cluster', description: 'An installation that writes records.' });

export const clusterList = z
  .object({ clusters: z.array(cluster).meta({ description: 'The clusters, by name.' }) })
  .meta({ id: 'ClusterList', description: 'The clusters that the key may see.' });

export type Cluster = z.infer<typeof cluster>;

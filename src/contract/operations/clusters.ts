// The REST API of clusters.
import { z } from 'zod';
import { cluster, clusterList, clusterParams, clusterQuery, heartbeatQuery } from '../clusters.ts';
import { operation } from '../operation.ts';

export const listClusters = operation({
  id: 'listClusters',
  method: 'GET',
  path: '/v1/clusters',
  tag: 'clusters',
  summary: 'List the clusters',
  description: 'Lists the clusters of the team of an app key, or those of a person and of all teams of the person.',
  needs: 'clusters:write',
  query: clusterQuery,
  answers: { 200: clusterList },
  errors: ['bad_request', 'forbidden'],
});

export const sendHeartbeat = operation({
  id: 'sendHeartbeat',
  method: 'PUT',
  path: '/v1/clusters/{name}',
  tag: 'clusters',
  summary: 'Send the heartbeat of a cluster',
  description:
    'An installation sends it every 10 seconds. The first one adds the cluster, counts as a record write, and gives the name to the key: the heartbeats of another key are refused (`conflict`), unless they are of the same `instance` or an owner of the team released the name. A heartbeat after a silence ends the loss. It has no body.',
  needs: 'clusters:write',
  counts: { bucket: 'records', changes: 'operation' },
  params: clusterParams,
  query: heartbeatQuery,
  answers: { 200: cluster },
  errors: ['bad_request', 'forbidden', 'conflict', 'rate_limited'],
});

export const deleteCluster = operation({
  id: 'deleteCluster',
  method: 'DELETE',
  path: '/v1/clusters/{name}',
  tag: 'clusters',
  summary: 'Remove a cluster that is gone',
  description: 'The cluster must be silent for 60 seconds and must own no records.',
  needs: 'owner',
  params: clusterParams,
  query: clusterQuery,
  answers: { 204: z.null() },
  errors: ['bad_request', 'forbidden', 'not_found', 'conflict', 'busy'],
});

export const drainCluster = operation({
  id: 'drainCluster',
  method: 'POST',
  path: '/v1/clusters/{name}/drain',
  tag: 'clusters',
  summary: 'Withdraw the records of a cluster',
  description:
    'The name servers answer without the records whose owners are all withdrawn, except where nothing else is at the name and type. The records stay, and the cluster can still write.',
  needs: 'owner',
  params: clusterParams,
  query: clusterQuery,
  answers: { 200: cluster },
  errors: ['bad_request', 'forbidden', 'not_found', 'busy'],
});

export const restoreCluster = operation({
  id: 'restoreCluster',
  method: 'POST',
  path: '/v1/clusters/{name}/restore',
  tag: 'clusters',
  summary: 'Serve the records of a drained cluster again',
  description: 'The name servers answer with all records of the cluster again, unless it is lost.',
  needs: 'owner',
  params: clusterParams,
  query: clusterQuery,
  answers: { 200: cluster },
  errors: ['bad_request', 'forbidden', 'not_found', 'busy'],
});

export const releaseCluster = operation({
  id: 'releaseCluster',
  method: 'POST',
  path: '/v1/clusters/{name}/release',
  tag: 'clusters',
  summary: 'Give the name of a cluster to the next key',
  description:
    'The next key that sends a heartbeat of the name gets it. For an operator whose key was replaced. The cluster and its records stay; revoke a key that must not get the name first.',
  needs: 'owner',
  params: clusterParams,
  query: clusterQuery,
  answers: { 200: cluster },
  errors: ['bad_request', 'forbidden', 'not_found', 'busy'],
});

export const acceptOlder = operation({
  id: 'acceptOlder',
  method: 'POST',
  path: '/v1/clusters/{name}/accept-older',
  tag: 'clusters',
  summary: 'Accept the older objects of a cluster',
  description:
    'For a cluster whose etcd was restored from a backup: the DNSRecords count as they are in the cluster now, also those that are older than the data of the service, and the operator releases what it has held back. A repeated call does the same again.',
  needs: 'owner',
  params: clusterParams,
  query: clusterQuery,
  answers: { 200: cluster },
  errors: ['bad_request', 'forbidden', 'not_found', 'busy'],
});

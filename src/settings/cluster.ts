// The settings by which the operator knows its cluster, and by which one of its replicas leads.
import { clusterName, leaseName, namespace, onOff, text } from './forms.ts';
import { optional } from './setting.ts';

export const CLUSTER_SETTINGS = {
  ZONESTEAD_CLUSTER: optional(
    clusterName,
    'the uid of the namespace kube-system',
    'The owners of records at the service name the cluster by this text. Each cluster that uses the service needs a different one, and it must not change: the records of another name are those of another cluster.',
  ),
  ZONESTEAD_LEADER_ELECTION: optional(
    onOff,
    'on without KUBECONFIG',
    'With on, only the replica that holds the Lease reconciles.',
  ),
  ZONESTEAD_LEASE_NAMESPACE: optional(namespace, 'the namespace of the pod', 'The Lease is in this namespace.'),
  ZONESTEAD_LEASE_NAME: optional(
    leaseName,
    'zonestead-operator',
    'The Lease has this name. Each installation in one namespace needs a different one.',
  ),
  ZONESTEAD_LEASE_IDENTITY: optional(
    text('text', 253),
    'the host name and a random text',
    'The Lease names its holder by this text. Two processes must never have the same one.',
  ),
};

// The parts of a fresh cluster: CoreDNS, and volumes for pods that claim one, as data.

export const COREDNS_IMAGE = 'localhost/coredns:1.15.0';

const labels = { 'k8s-app': 'kube-dns' };

/**
 * CoreDNS under its usual name and rights (Kubernetes DNS specification 1.1.0); names outside the cluster are refused.
 */
export function coreDns(address: string): object[] {
  const metadata = { name: 'coredns', namespace: 'kube-system' };
  const Corefile = `.:5353 {
  errors
  health :8080
  ready :8181
  kubernetes cluster.local in-addr.arpa ip6.arpa {
    pods insecure
    ttl 5
  }
  cache 5
  loop
}
`;
  return [
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata },
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRole',
      metadata: { name: 'coredns' },
      rules: [
        { apiGroups: [''], resources: ['endpoints', 'services', 'pods', 'namespaces'], verbs: ['list', 'watch'] },
        { apiGroups: ['discovery.k8s.io'], resources: ['endpointslices'], verbs: ['list', 'watch'] },
      ],
    },
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRoleBinding',
      metadata: { name: 'coredns' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'coredns' },
      subjects: [{ kind: 'ServiceAccount', ...metadata }],
    },
    { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { Corefile } },
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { ...metadata, labels },
      spec: {
        replicas: 1,
        selector: { matchLabels: labels },
        template: {
          metadata: { labels },
          spec: {
            serviceAccountName: 'coredns',
            dnsPolicy: 'Default',
            containers: [
              {
                name: 'coredns',
                image: COREDNS_IMAGE,
                args: ['-conf', '/etc/coredns/Corefile'],
                volumeMounts: [{ name: 'config', mountPath: '/etc/coredns' }],
                readinessProbe: { httpGet: { path: '/ready', port: 8181 }, periodSeconds: 1 },
              },
            ],
            volumes: [{ name: 'config', configMap: { name: 'coredns' } }],
          },
        },
      },
    },
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'kube-dns', namespace: 'kube-system', labels },
      spec: {
        clusterIP: address,
        selector: labels,
        ports: [
          { name: 'dns', port: 53, targetPort: 5353, protocol: 'UDP' },
          { name: 'dns-tcp', port: 53, targetPort: 5353, protocol: 'TCP' },
        ],
      },
    },
  ];
}

/**
 * A default storage class without a provisioner, and volumes of it in these folders, which must exist. Their type is
 * `local`: the kubelet gives them to the group that a pod requests, as it does with real disks.
 */
export function volumes(node: string, folders: readonly string[]): object[] {
  return [
    {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'StorageClass',
      metadata: { name: 'local', annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } },
      provisioner: 'kubernetes.io/no-provisioner',
      volumeBindingMode: 'WaitForFirstConsumer',
    },
    ...folders.map((path, index) => ({
      apiVersion: 'v1',
      kind: 'PersistentVolume',
      metadata: { name: `local-${index}` },
      spec: {
        capacity: { storage: '20Gi' },
        accessModes: ['ReadWriteOnce'],
        persistentVolumeReclaimPolicy: 'Retain',
        storageClassName: 'local',
        local: { path },
        nodeAffinity: {
          required: {
            nodeSelectorTerms: [
              { matchExpressions: [{ key: 'kubernetes.io/hostname', operator: 'In', values: [node] }] },
            ],
          },
        },
      },
    })),
  ];
}

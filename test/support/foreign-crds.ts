// CustomResourceDefinitions of the Prometheus operator and CloudNativePG, as far as a server has to know a kind to take its
// objects: their schemas are theirs to check, and no registry that the tests reach carries them.
const KINDS = [
  { group: 'monitoring.coreos.com', version: 'v1', kind: 'ServiceMonitor' },
  { group: 'monitoring.coreos.com', version: 'v1', kind: 'PrometheusRule' },
  { group: 'postgresql.cnpg.io', version: 'v1', kind: 'Cluster' },
] as const;

export function foreignCrds(): object[] {
  return KINDS.map(({ group, version, kind }) => {
    const singular = kind.toLowerCase();
    const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
    return {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: `${singular}s.${group}` },
      spec: {
        group,
        scope: 'Namespaced',
        names: { kind, listKind: `${kind}List`, plural: `${singular}s`, singular },
        versions: [{ name: version, served: true, storage: true, schema }],
      },
    };
  });
}

// CustomResourceDefinitions of the Prometheus operator, the plugin Barman Cloud, Argo CD and Flux, as far as a server
// has to know a kind to take its objects: their schemas are theirs to check, and no registry that the tests reach
// carries them.
const KINDS = [
  { group: 'monitoring.coreos.com', version: 'v1', kind: 'ServiceMonitor' },
  { group: 'monitoring.coreos.com', version: 'v1', kind: 'PodMonitor' },
  { group: 'monitoring.coreos.com', version: 'v1', kind: 'PrometheusRule' },
  { group: 'barmancloud.cnpg.io', version: 'v1', kind: 'ObjectStore' },
  { group: 'argoproj.io', version: 'v1alpha1', kind: 'Application' },
  { group: 'helm.toolkit.fluxcd.io', version: 'v2', kind: 'HelmRelease' },
  { group: 'source.toolkit.fluxcd.io', version: 'v1', kind: 'GitRepository' },
  { group: 'source.toolkit.fluxcd.io', version: 'v1', kind: 'OCIRepository' },
  { group: 'kustomize.toolkit.fluxcd.io', version: 'v1', kind: 'Kustomization' },
] as const;

export function foreignCrds(): object[] {
  return KINDS.map(({ group, version, kind }) => {
    const singular = kind.toLowerCase();
    const plural = kind.endsWith('Repository') ? singular.replace(/y$/, 'ies') : `${singular}s`;
    const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
    return {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: `${plural}.${group}` },
      spec: {
        group,
        scope: 'Namespaced',
        names: { kind, listKind: `${kind}List`, plural, singular },
        versions: [{ name: version, served: true, storage: true, schema }],
      },
    };
  });
}

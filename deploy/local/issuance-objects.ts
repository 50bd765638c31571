// The objects of the local issuance that differ from the manifests in deploy/: a solver outside of the cluster, and a
// ClusterIssuer for Pebble. Pure.

const SOLVER = { name: 'zonestead-solver', namespace: 'zonestead' };

/**
 * kube-apiserver reaches a process on its own machine through an ExternalName service; the port is the APIService's.
 */
export function solverObjects(port: number): object[] {
  return [
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: SOLVER,
      spec: { type: 'ExternalName', externalName: 'localhost' },
    },
    {
      apiVersion: 'apiregistration.k8s.io/v1',
      kind: 'APIService',
      metadata: {
        name: 'v1alpha1.acme.zonestead.dev',
        annotations: { 'cert-manager.io/inject-ca-from': `${SOLVER.namespace}/${SOLVER.name}` },
      },
      spec: {
        group: 'acme.zonestead.dev',
        version: 'v1alpha1',
        groupPriorityMinimum: 1_000,
        versionPriority: 15,
        service: { ...SOLVER, port },
      },
    },
  ];
}

/** The same name as in deploy/examples/clusterissuer.yaml, so that the example Certificate is the same. */
export function pebbleIssuer(pebble: { url: string; authority: string }): object {
  return {
    apiVersion: 'cert-manager.io/v1',
    kind: 'ClusterIssuer',
    metadata: { name: 'zonestead' },
    spec: {
      acme: {
        server: pebble.url,
        caBundle: Buffer.from(pebble.authority).toString('base64'),
        privateKeySecretRef: { name: 'zonestead-acme-account' },
        solvers: [
          {
            waitInsteadOfSelfCheck: '0s',
            dns01: { webhook: { groupName: 'acme.zonestead.dev', solverName: 'zonestead' } },
          },
        ],
      },
    },
  };
}

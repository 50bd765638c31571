// The zones that the certificate suites share.
import { recordObject, zoneObject } from '../../support/stack/stack.ts';

export const namespaceObject = (name: string, labels = {}) => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name, labels },
});

/**
 * A key of the namespace's own and the operator's right to read this one Secret, as in deploy/examples/team-key.yaml.
 */
export function keyObjects(namespace: string, apiKey: string): object[] {
  const metadata = { name: 'dns-key', namespace };
  return [
    namespaceObject(namespace),
    { apiVersion: 'v1', kind: 'Secret', metadata, stringData: { apiKey } },
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'Role',
      metadata,
      rules: [{ apiGroups: [''], resources: ['secrets'], resourceNames: ['dns-key'], verbs: ['get'] }],
    },
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'RoleBinding',
      metadata,
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'dns-key' },
      subjects: [{ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: 'zonestead-operator' }],
    },
  ];
}

/** Permits challenges of namespaces with the label, such as `tenant`, for a few names. */
export const sharedZone = () =>
  zoneObject('shared', 'shared.example', {
    acme: {
      namespaces: { from: 'Selector', selector: { matchLabels: { certificates: 'yes' } } },
      names: ['a', 'b', '*.b'],
    },
  });

export function groundFor(): object[] {
  return [
    namespaceObject('tenant', { certificates: 'yes' }),
    zoneObject('site', 'site.example', { acme: {} }),
    sharedZone(),
    zoneObject('wild', 'wild.example', { acme: {} }),
    recordObject('wild', 'wild', { name: '*', type: 'A', content: '192.0.2.1' }),
  ];
}

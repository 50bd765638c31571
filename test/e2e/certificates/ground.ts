// The zones that the certificate suites share.
import { recordObject, zoneObject } from '../../support/stack/stack.ts';

export const namespaceObject = (name: string, labels = {}) => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name, labels },
});

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

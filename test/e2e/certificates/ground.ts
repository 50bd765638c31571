// The zones that the suites of certificates have in common.
import { recordObject, zoneObject } from '../../support/stack.ts';

export const namespaceObject = (name: string, labels = {}) => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name, labels },
});

/** Takes challenges of namespaces that carry the label, as `tenant` does. */
export const sharedZone = () =>
  zoneObject('shared', 'shared.example', {
    acme: { namespaces: { from: 'Selector', selector: { matchLabels: { certificates: 'yes' } } } },
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

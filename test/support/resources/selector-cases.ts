// Label selectors in grants that `kubectl apply` must refuse, as Kubernetes refuses them in its own kinds.
import type { ResourceCase } from './resource-case.ts';

const REFUSED = /set values with the operators In and NotIn/;

const acmeFrom = (requirement: Record<string, unknown>) => ({
  acme: {
    namespaces: { from: 'Selector', selector: { matchExpressions: [{ key: 'team', ...requirement }] } },
    names: ['*'],
  },
});

const refused = (title: string, spec: Record<string, unknown>): ResourceCase => ({
  title,
  kind: 'DNSZone',
  spec: { zoneName: 'example.org', ...spec },
  refused: REFUSED,
});

export const SELECTORS: readonly ResourceCase[] = [
  refused('In without values', acmeFrom({ operator: 'In' })),
  // It would be a grant to every namespace.
  refused('NotIn without values', acmeFrom({ operator: 'NotIn' })),
  refused('NotIn with an empty list', acmeFrom({ operator: 'NotIn', values: [] })),
  refused('Exists with values', acmeFrom({ operator: 'Exists', values: ['a'] })),
  refused('an empty In in allowedRecords', {
    allowedRecords: [{ namespaces: acmeFrom({ operator: 'In' }).acme.namespaces }],
  }),
];

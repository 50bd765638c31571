// Faults in the metrics of edges.
import type { Fault } from '../fault.ts';

export const EDGE_FAULTS: readonly Fault[] = [
  {
    name: 'edge-no-counters',
    breaks: 'the knotd of an edge counts no queries and answers',
    edits: [
      { file: 'src/dns/secondaries/knot-config.ts', find: 'mod-stats/default, mod-cookies', replace: 'mod-cookies' },
    ],
    project: 'integration',
    tests: ['test/integration/nameserver/edge/edge.test.ts'],
  },
  {
    name: 'edge-volume',
    breaks: 'an edge does not measure its volume, so no alert says that it is full',
    edits: [{ file: 'src/nameserver/edge/server.ts', find: '{ ...folder, storage: folder.root }', replace: 'folder' }],
    project: 'integration',
    tests: ['test/integration/nameserver/edge/edge.test.ts'],
  },
  {
    name: 'edge-expiry-latest',
    breaks: 'the expiry of an edge is that of its freshest zone',
    edits: [{ file: 'src/nameserver/edge/held.ts', find: 'seconds < least', replace: 'seconds > least' }],
    project: 'unit',
    tests: ['test/unit/nameserver/edge/metrics.test.ts'],
  },
  {
    name: 'edge-no-catalog',
    breaks: 'an edge without its catalog seems to lack nothing',
    edits: [
      {
        file: 'src/nameserver/edge/metrics.ts',
        find: "held.state === 'all' ? 0 : held.state === 'some' ? held.lacking : 1",
        replace: "held.state === 'some' ? held.lacking : 0",
      },
    ],
    project: 'unit',
    tests: ['test/unit/nameserver/edge/metrics.test.ts'],
  },
  {
    name: 'edge-hidden-nodes-count',
    breaks: 'a hidden name server that answers hides that all edges are down',
    edits: [
      {
        file: 'charts/zonestead/files/alerts/edge.yaml',
        find: 'zonestead_dns_up and on (namespace, instance) zonestead_edge_zones_missing{namespace=~".+"}',
        replace: 'zonestead_dns_up{namespace=~".+"}',
      },
    ],
    project: 'integration',
    tests: ['test/integration/chart/alerts.test.ts'],
  },
  {
    name: 'edge-metrics-open',
    breaks: 'every pod reads the metrics of edges',
    edits: [
      {
        file: 'charts/zonestead/templates/networkpolicies.yaml',
        find: '{{- else if and (has $component (list "api" "operator" "solver" "nameserver" "edge" "canary"))',
        replace: '{{- else if and (has $component (list "api" "operator" "solver" "nameserver" "canary"))',
      },
    ],
    project: 'integration',
    tests: ['test/integration/chart/network-policies.test.ts'],
  },
];

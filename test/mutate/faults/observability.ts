// Faults in the metrics and rules by which people learn of an outage.
import type { Fault } from '../fault.ts';
import { fault } from './fault.ts';

const NODE_METRICS = 'test/unit/service/nodes/node-metrics.test.ts';
const SIGNATURES = 'test/unit/nameserver/node/signatures.test.ts';
const RULES = 'test/integration/chart/alerts.test.ts';

export const OBSERVABILITY_FAULTS: readonly Fault[] = [
  fault(
    'observability-forget-nodes',
    'the metrics of nodes vanish while the database is down, and end the alerts about nodes',
    [
      'src/service/nodes/node-metrics.ts',
      '        () => undefined,\n',
      '        () => {\n          last = null;\n        },\n',
    ],
    'unit',
    NODE_METRICS,
  ),
  fault(
    'observability-age-all',
    'nodes that have all changes seem to be behind while the database is down',
    ['src/service/nodes/node-metrics.ts', 'lag === null || lag === 0 ||', 'lag === null ||'],
    'unit',
    NODE_METRICS,
  ),
  fault(
    'observability-key-never',
    'the key of a node seems to end when the one that ends last does',
    ['src/service/nodes/node-metrics.ts', 'keyExpiry: findMin(', 'keyExpiry: findMax('],
    'unit',
    NODE_METRICS,
  ),
  fault(
    'observability-node-labels',
    'names of nodes make any number of series',
    ['src/service/nodes/node-metrics.ts', 'names.size < MAX_NODES && !names', '!names'],
    'unit',
    NODE_METRICS,
  ),
  fault(
    'observability-signature-last',
    'a node tells the end of the signature that ends last',
    ['src/nameserver/node/compare.ts', 'if (end < first) first = end;\n    };', 'first = end;\n    };'],
    'unit',
    SIGNATURES,
  ),
  fault(
    'observability-signature-away',
    'renewed signatures seem old while the api is down',
    ['src/nameserver/node/compare.ts', 'if (tries === 0) await this.#readDigest(name, signal);', ''],
    'unit',
    SIGNATURES,
  ),
  fault(
    'observability-signature-removed',
    'the signatures of removed zones are told',
    ['src/nameserver/node/compare.ts', 'if (!zones.has(name)) this.#signatureEnds.delete(name);\n      else if', 'if'],
    'unit',
    SIGNATURES,
  ),
  fault(
    'observability-feed-certificate',
    'a certificate that is not accepted seems to be a network that is down',
    ['src/nameserver/node/follow.ts', "return 'certificate';", "return 'unreachable';"],
    'unit',
    'test/unit/nameserver/node/follow.test.ts',
  ),
  fault(
    'observability-delegations',
    'a zone whose parent was not asked yet is not counted',
    [
      'src/operator/run/metrics.ts',
      "counts.get(delegated?.reason ?? 'NotChecked')",
      "counts.get(delegated?.reason ?? '')",
    ],
    'unit',
    'test/unit/operator/reasons.test.ts',
  ),
  fault(
    'observability-budget',
    'the alert on a window of an hour needs ten times the burn rate',
    [
      'charts/zonestead/files/alerts/slo.yaml',
      'ratio_1h{namespace=~".+", slo="answers"} > 0.00144',
      'ratio_1h{namespace=~".+", slo="answers"} > 0.9',
    ],
    'integration',
    RULES,
  ),
  fault(
    'observability-now',
    'the alert on the events of two minutes waits for the sum of recorded rates',
    [
      'charts/zonestead/files/alerts/slo.yaml',
      'and 120 * zonestead_slo:bad:rate2m{namespace=~".+", slo="changes"} >= 2',
      'and 30 * sum_over_time(zonestead_slo:bad:rate2m{namespace=~".+", slo="changes"}[2m]) >= 2',
    ],
    'integration',
    RULES,
  ),
  fault(
    'observability-fallback',
    'SERVFAIL counts although a canary measures the answers',
    [
      'charts/zonestead/files/alerts/slo.yaml',
      'or 0 * (sum by (namespace) (rate(zonestead_canary_queries_total{namespace=~".+"}[2m])))',
      '',
    ],
    'integration',
    RULES,
  ),
  fault(
    'observability-namespace',
    'rules about absent processes look at every installation',
    [
      'charts/zonestead/templates/observability.yaml',
      'printf "namespace=%q" (include "zonestead.namespace" $)',
      'printf "namespace=~\\".+\\""',
    ],
    'integration',
    RULES,
  ),
  fault(
    'observability-components',
    'a release with name servers only has the rules of the api',
    [
      'charts/zonestead/templates/_rules.tpl',
      '{{- if include "zonestead.isPresent" (dict "root" . "component" "api") }}',
      '{{- if true }}',
    ],
    'integration',
    RULES,
  ),
  fault(
    'observability-tenant',
    'one object that is not Ready fires an alert',
    ['charts/zonestead/files/alerts/operator.yaml', ' >= 20', ' >= 1'],
    'integration',
    RULES,
  ),
];

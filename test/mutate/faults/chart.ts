// Faults in the Helm chart. The comparison with deploy/manifests is not a test of them: the command that renders the
// chart writes both.
import type { Fault } from '../fault.ts';

const policies = { project: 'integration', tests: ['test/integration/chart/network-policies.test.ts'] } as const;
const exposure = { project: 'integration', tests: ['test/integration/chart/exposure.test.ts'] } as const;
const pods = { project: 'integration', tests: ['test/integration/chart/pods.test.ts'] } as const;

const rendered = {
  project: 'integration',
  tests: ['test/integration/chart/encrypted.test.ts', 'test/integration/chart/rendered.test.ts'],
} as const;

export const CHART_FAULTS: readonly Fault[] = [
  {
    name: 'chart-np-postgres-default',
    breaks: 'without networkPolicy.enabled, every pod reaches the built-in Postgres',
    edits: [
      {
        file: 'charts/zonestead/templates/networkpolicies.yaml',
        find: '(or $.Values.networkPolicy.enabled (eq $component "postgres"))',
        replace: '$.Values.networkPolicy.enabled',
      },
    ],
    ...policies,
  },
  {
    name: 'chart-database-ca-everywhere',
    breaks: 'the authority of the database counts for every connection of the api',
    edits: [
      {
        file: 'charts/zonestead/templates/_database.tpl',
        find: '- { name: ZONESTEAD_DATABASE_CA, value: /etc/zonestead/database-ca/ca.crt }',
        replace: '- { name: NODE_EXTRA_CA_CERTS, value: /etc/zonestead/database-ca/ca.crt }',
      },
    ],
    ...rendered,
  },
  {
    name: 'chart-operator-http',
    breaks: 'the tokens of the operator cross the network in plain text',
    edits: [
      {
        file: 'charts/zonestead/templates/_database.tpl',
        find: '{{- printf "https://%s:%v" $host .Values.api.service.tlsPort -}}',
        replace: '{{- printf "http://%s:%v" $host .Values.api.service.port -}}',
      },
    ],
    ...rendered,
  },
  {
    name: 'chart-certificates-account',
    breaks: 'the CronJob that renews certificates has the account of the bootstrap Job',
    edits: [
      {
        file: 'charts/zonestead/templates/certificates.yaml',
        find: '"component" "certificates" "values" .Values.certificates "token" true',
        replace: '"component" "bootstrap" "values" .Values.bootstrap "token" true',
      },
    ],
    ...rendered,
  },
  {
    name: 'chart-np-postgres',
    breaks: 'with network policies, every pod reaches the built-in Postgres',
    edits: [
      {
        file: 'charts/zonestead/templates/_networkpolicies.tpl',
        find: '- ports: [{ port: postgres }]\n  from:\n    {{- range list "api" "bootstrap" }}\n    {{- include "zonestead.peer" (dict "root" $.root "component" .) | nindent 4 }}\n    {{- end }}\n',
        replace: '- ports: [{ port: postgres }]\n',
      },
    ],
    ...policies,
  },
  {
    name: 'chart-np-health',
    breaks: 'networkPolicy.metricsFrom has no effect',
    edits: [
      {
        file: 'charts/zonestead/templates/_networkpolicies.tpl',
        find: '{{- with .Values.networkPolicy.metricsFrom }}',
        replace: '{{- with .Values.networkPolicy.noSuchValue }}',
      },
    ],
    ...policies,
  },
  {
    name: 'chart-np-health-default',
    breaks: 'without networkPolicy.enabled, every pod of the cluster reads metrics',
    edits: [
      {
        file: 'charts/zonestead/templates/networkpolicies.yaml',
        find: '- { port: 1, endPort: 9089, protocol: TCP }',
        replace: '- { port: 1, endPort: 9090, protocol: TCP }',
      },
    ],
    ...policies,
  },
  {
    name: 'chart-readyz',
    breaks: 'pods are ready before they can work, because readiness asks /healthz',
    edits: [
      {
        file: 'charts/zonestead/templates/_probes.tpl',
        find: 'httpGet: { path: /readyz, port: health }',
        replace: 'httpGet: { path: /healthz, port: health }',
      },
    ],
    ...pods,
  },
  {
    name: 'chart-leader',
    breaks: 'two replicas of the operator work at once',
    edits: [
      {
        file: 'charts/zonestead/templates/operator.yaml',
        find: '{ name: ZONESTEAD_LEADER_ELECTION, value: "on" }',
        replace: '{ name: ZONESTEAD_LEADER_ELECTION, value: "off" }',
      },
    ],
    ...pods,
  },
  {
    name: 'chart-prestop',
    breaks: 'knotd ends at once when its pod leaves',
    edits: [
      {
        file: 'charts/zonestead/templates/nameserver.yaml',
        find: 'pod is terminating.\n            preStop: { sleep: { seconds: 10 } }',
        replace: 'pod is terminating.\n            preStop: { sleep: { seconds: 0 } }',
      },
    ],
    ...pods,
  },
  {
    name: 'chart-not-ready-addresses',
    breaks: 'the Service for queries sends them to pods that terminate',
    edits: [
      {
        file: 'charts/zonestead/templates/dns-service.yaml',
        find: '  type: {{ $s.type }}\n',
        replace: '  type: {{ $s.type }}\n  publishNotReadyAddresses: true\n',
      },
    ],
    ...pods,
  },
  {
    name: 'chart-ingress-tls',
    breaks: 'an Ingress whose certificate is for another host is accepted',
    edits: [
      {
        file: 'charts/zonestead/templates/_exposure.tpl',
        find: '{{- if not (or $all (has .host $covered) (has $wildcard $covered)) }}',
        replace: '{{- if not $.Values.ingress.tls }}',
      },
    ],
    ...exposure,
  },
  {
    name: 'chart-route-listener',
    breaks: 'an HTTPRoute also answers at listeners without TLS',
    edits: [
      {
        file: 'charts/zonestead/templates/exposure-checks.yaml',
        find: '{{- if not (or $r.allowWithoutTls .sectionName (and .port (ne (int .port) 80))) }}',
        replace: '{{- if not $r.parentRefs }}',
      },
    ],
    ...exposure,
  },
  {
    name: 'chart-np-api-from',
    breaks: 'networkPolicy.apiFrom cuts the operator off from the api',
    edits: [
      {
        file: 'charts/zonestead/templates/_networkpolicies.tpl',
        find: '{{- range list "operator" "nameserver" "test" }}',
        replace: '{{- range list "nameserver" "test" }}',
      },
    ],
    ...exposure,
  },
];

// Faults in the Helm chart. The comparison with deploy/manifests is not a test of them: the command that renders the
// chart writes both.
import type { Fault } from '../fault.ts';

const policies = { project: 'integration', tests: ['test/integration/chart/network-policies.test.ts'] } as const;
const exposure = { project: 'integration', tests: ['test/integration/chart/exposure.test.ts'] } as const;
const trusts = { project: 'integration', tests: ['test/integration/chart/trusts.test.ts'] } as const;
const pods = { project: 'integration', tests: ['test/integration/chart/pods.test.ts'] } as const;

const warnings = { project: 'integration', tests: ['test/integration/chart/warnings.test.ts'] } as const;

const rendered = {
  project: 'integration',
  tests: ['test/integration/chart/encrypted.test.ts', 'test/integration/chart/rendered.test.ts'],
} as const;

export const CHART_FAULTS: readonly Fault[] = [
  {
    name: 'chart-warnings-observed',
    breaks: 'the deletion of an object that only observes a zone warns that the zone is deleted',
    edits: [
      {
        file: 'charts/zonestead/files/policies/warnings.yaml',
        find: "|| (has(oldObject.status.origin) && oldObject.status.origin == 'Observed')",
        replace: '',
      },
    ],
    ...warnings,
  },
  {
    name: 'chart-warnings-unbound',
    breaks: 'the bindings of the policies that warn name policies that do not exist',
    edits: [
      {
        file: 'charts/zonestead/templates/warnings.yaml',
        find: '{{- if $object.spec.policyName }}{{ $_ := set $object.spec "policyName" $name }}{{ end }}',
        replace: '',
      },
    ],
    ...warnings,
  },
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
        find: '(list 9090) (and',
        replace: '(list 9091) (and',
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
        find: 'httpGet: { path: /readyz,',
        replace: 'httpGet: { path: /healthz,',
      },
    ],
    ...pods,
  },
  {
    name: 'chart-operator-numbers',
    breaks: 'the namespaces of a cluster share the 60 record writes of one key',
    edits: [
      {
        file: 'charts/zonestead/templates/_trusts.tpl',
        find: '$_ := set $trust "recordWrites" (int .)',
        replace: '$_ := int .',
      },
    ],
    ...trusts,
  },
  {
    name: 'chart-operator-numbers-always',
    breaks: 'without limits of the service, the operator still has one',
    edits: [
      {
        file: 'charts/zonestead/templates/_trusts.tpl',
        find: '{{- if .Values.api.limits -}}',
        replace: '{{- if true -}}',
      },
    ],
    ...trusts,
  },
  {
    name: 'chart-notes-namespaces',
    breaks: 'the notes warn of too many namespaces only at twice their number',
    edits: [
      {
        file: 'charts/zonestead/templates/NOTES.txt',
        find: 'if gt (mul 2 (len $names)) (int',
        replace: 'if gt (len $names) (int',
      },
    ],
    project: 'integration',
    tests: ['test/integration/chart/sign-in-notes.test.ts'],
  },
  {
    name: 'chart-min-ready',
    breaks: 'an update takes the next name server away before queries reach the new one',
    edits: [
      {
        file: 'charts/zonestead/templates/nameserver.yaml',
        find: '  minReadySeconds: 10\n',
        replace: '',
      },
    ],
    ...pods,
  },
  {
    name: 'chart-load-start',
    breaks: 'knotd is killed while its databases are checked',
    edits: [
      {
        file: 'charts/zonestead/templates/_probes.tpl',
        find: '  failureThreshold: 600',
        replace: '  failureThreshold: 60',
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

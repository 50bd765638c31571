// Faults in the Cluster of CloudNativePG that the chart renders.
import type { Fault } from '../fault.ts';

const cluster = { project: 'integration', tests: ['test/integration/chart/cloudnativepg.test.ts'] } as const;

export const CLOUDNATIVEPG_FAULTS: readonly Fault[] = [
  {
    name: 'chart-cnpg-volumes',
    breaks: 'no alert fires for the full volume of a Cluster with a name of its own',
    edits: [
      {
        file: 'charts/zonestead/templates/observability.yaml',
        find: '(printf "%s-[0-9]+" (include "zonestead.cnpgName" $))',
        replace: '".*-db-[0-9]+"',
      },
    ],
    project: 'integration',
    tests: ['test/integration/chart/alerts.test.ts'],
  },
  {
    name: 'chart-cnpg-merged',
    breaks: 'a recovery is rendered next to initdb, which CloudNativePG refuses',
    edits: [
      {
        file: 'charts/zonestead/templates/_cnpg.tpl',
        find: '{{- toYaml (dict $method (mergeOverwrite $own (deepCopy $given))) -}}',
        replace: '{{- toYaml (merge (dict $method (mergeOverwrite $own (deepCopy $given))) (dict "initdb" $own)) -}}',
      },
    ],
    ...cluster,
  },
  {
    name: 'chart-cnpg-owner',
    breaks: 'a recovered Cluster gives the api an empty database called app',
    edits: [
      {
        file: 'charts/zonestead/templates/_cnpg.tpl',
        find: '(mergeOverwrite $own (deepCopy $given))',
        replace: '(ternary $own $given (eq $method "initdb"))',
      },
    ],
    ...cluster,
  },
  {
    name: 'chart-cnpg-secret',
    breaks: 'the api of a new Cluster keeps the login of the one before it',
    edits: [
      {
        file: 'charts/zonestead/templates/_cnpg.tpl',
        find: '(printf "%s-app" (include "zonestead.cnpgName" .))',
        replace: '(printf "%s-db-app" (include "zonestead.fullname" .))',
      },
    ],
    ...cluster,
  },
  {
    name: 'chart-cnpg-policy',
    breaks: 'the network policy cuts the api off from a Cluster with a name of its own',
    edits: [
      {
        file: 'charts/zonestead/templates/_networkpolicies.tpl',
        find: 'cnpg.io/cluster: {{ include "zonestead.cnpgName" .root }}',
        replace: 'cnpg.io/cluster: {{ include "zonestead.fullname" .root }}-db',
      },
    ],
    ...cluster,
  },
  {
    name: 'chart-cnpg-two-instances',
    breaks: 'with two instances, the loss of the standby stops all writes',
    edits: [
      {
        file: 'charts/zonestead/templates/_cnpg.tpl',
        find: '(ternary 3 2 $required)',
        replace: '(ternary 2 2 $required)',
      },
    ],
    ...cluster,
  },
  {
    name: 'chart-cnpg-quorum',
    breaks: 'a standby that lacks acknowledged writes is promoted',
    edits: [
      {
        file: 'charts/zonestead/templates/_cnpg.tpl',
        find: '"failoverQuorum" $required',
        replace: '"failoverQuorum" false',
      },
    ],
    ...cluster,
  },
  {
    name: 'chart-cnpg-smart-shutdown',
    breaks: 'an isolated primary lets open sessions commit for three minutes',
    edits: [
      {
        file: 'charts/zonestead/templates/cnpg.yaml',
        find: '"smartShutdownTimeout" 0',
        replace: '"smartShutdownTimeout" 180',
      },
    ],
    ...cluster,
  },
  {
    name: 'chart-cnpg-second-bootstrap',
    breaks: 'extraSpec can add a second way to start the Cluster',
    edits: [
      {
        file: 'charts/zonestead/templates/cnpg-checks.yaml',
        find: '{{- if hasKey $d.cnpg.extraSpec "bootstrap" }}',
        replace: '{{- if hasKey $d.cnpg.extraSpec "bootstraps" }}',
      },
    ],
    ...cluster,
  },
  {
    name: 'chart-cnpg-backup-plugin',
    breaks: 'scheduled backups name a plugin that the Cluster does not load',
    edits: [
      {
        file: 'charts/zonestead/templates/cnpg-checks.yaml',
        find: '(not (has $backup.plugin $plugins))',
        replace: '(not $backup.plugin)',
      },
    ],
    ...cluster,
  },
];

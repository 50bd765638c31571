// Faults in the profiles of the chart, and in the one pod of profile small.
import type { Fault } from '../fault.ts';

const profiles = { project: 'integration', tests: ['test/integration/chart/profiles.test.ts'] } as const;
const TEMPLATES = 'charts/zonestead/templates';

export const PROFILE_FAULTS: readonly Fault[] = [
  {
    name: 'profile-over-user',
    breaks: 'a profile replaces values of the user',
    edits: [
      {
        file: `${TEMPLATES}/_profile.tpl`,
        find: '(eq (toJson $given) (toJson $default))',
        replace: 'true',
      },
    ],
    ...profiles,
  },
  {
    name: 'profile-false',
    breaks: 'a false of the user counts as not set',
    edits: [{ file: `${TEMPLATES}/_profile.tpl`, find: '(kindIs "invalid" $given)', replace: '(not $given)' }],
    ...profiles,
  },
  {
    name: 'production-first-only',
    breaks: 'profile production names one missing thing after the other',
    edits: [
      {
        file: `${TEMPLATES}/production-checks.yaml`,
        find: '(join "\\n- " $missing)',
        replace: '(first $missing)',
      },
    ],
    ...profiles,
  },
  {
    name: 'production-no-failover',
    breaks: 'profile production takes a Postgres that may have no standby',
    edits: [
      {
        file: `${TEMPLATES}/_production.tpl`,
        find: '(not $d.external.failsOver)',
        replace: 'false',
      },
    ],
    ...profiles,
  },
  {
    name: 'one-pod-token',
    breaks: 'knotd and Postgres have the token of the operator',
    edits: [
      {
        file: `${TEMPLATES}/_pod.tpl`,
        find: 'automountServiceAccountToken: {{ .token | default false }}',
        replace: 'automountServiceAccountToken: {{ or .token .root.Values.onePod | default false }}',
      },
    ],
    ...profiles,
  },
  {
    name: 'one-pod-unready',
    breaks: 'no Service leads to the one pod while one of its containers is not ready',
    edits: [
      {
        file: `${TEMPLATES}/dns-service.yaml`,
        find: '{{- with include "zonestead.publish" $ }}',
        replace: '{{- with "" }}',
      },
    ],
    ...profiles,
  },
  {
    name: 'one-pod-postgres-open',
    breaks: 'every pod reaches the Postgres of the one pod',
    edits: [{ file: `${TEMPLATES}/networkpolicies.yaml`, find: '(list 5432 9090 9091', replace: '(list 9090 9091' }],
    ...profiles,
  },
  {
    name: 'one-pod-claim',
    breaks: 'a change to separate pods deletes the volume of the database',
    edits: [
      {
        file: `${TEMPLATES}/postgres.yaml`,
        find: '(dict "helm.sh/resource-policy" "keep")',
        replace: '(dict "helm.sh/resource-policy" "")',
      },
    ],
    ...profiles,
  },
];

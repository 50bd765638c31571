// Faults in the view of people on health checks: the command line, the console, the chart and the alerts.
import type { Fault } from '../fault.ts';

const CLI = ['test/integration/cli/checks.test.ts'];
const CONSOLE = ['test/integration/console/checks.test.ts'];

type Row = readonly [name: string, breaks: string, file: string, find: string, replace: string];

const faults = (project: Fault['project'], tests: readonly string[], rows: readonly Row[]): Fault[] =>
  rows.map(([name, breaks, file, find, replace]) => ({
    name: `check-pages-${name}`,
    breaks,
    edits: [{ file, find, replace }],
    project,
    tests,
  }));

export const CHECK_PAGE_FAULTS: readonly Fault[] = [
  ...faults('integration', CLI, [
    [
      'part',
      'an option about the tier takes the check off a record',
      'src/cli/records/health.ts',
      '{ check = before.check, tier',
      '{ check, tier',
    ],
    [
      'new-value',
      'a new value of a name is not checked, although the others are',
      'src/cli/records/set-changes.ts',
      'hasHealthOptions(shared) ? { ...shared, ...options } : options',
      'options',
    ],
    [
      'dry-set',
      'a dry run of checks set writes the check',
      'src/cli/checks/set.ts',
      'if (dryRun) {',
      'if (dryRun && owner !== undefined) {',
    ],
    [
      'dry-pin',
      'a dry run of a pin pins',
      'src/cli/checks/pin.ts',
      'if (dryRun) return preview(session, place, owner, `would pin',
      'if (dryRun && owner) return preview(session, place, owner, `would pin',
    ],
  ]),
  ...faults('integration', CONSOLE, [
    [
      'replaced',
      'the form of a new check replaces another one of its name',
      'src/console/checks/checks.ts',
      'if (names.includes(name))',
      'if (names.includes(typed.none as string))',
    ],
    [
      'not-sent',
      'a form without fields of a check takes the check off the record',
      'src/console/records/record-input.ts',
      'if (typed.check === undefined || ',
      'if (',
    ],
    [
      'unmarked',
      'the list of records does not mark a record whose check fails',
      'src/service/records/pages.ts',
      'failing: rows[at]?.failing ?? false',
      'failing: false',
    ],
    [
      'history',
      'the history does not show that the check of a record changed',
      'src/console/shell/changed-fields.ts',
      "  'check',\n",
      '',
    ],
  ]),
  ...faults(
    'integration',
    ['test/integration/chart/network-policies.test.ts'],
    [
      [
        'cluster-open',
        'the policy of the api opens private addresses that no value lists',
        'charts/zonestead/templates/_networkpolicies.tpl',
        'except: [10.0.0.0/8, ',
        'except: [',
      ],
    ],
  ),
  ...faults(
    'integration',
    ['test/integration/chart/alerts.test.ts'],
    [
      [
        'not-probed',
        'an alert fires although one process probes',
        'charts/zonestead/files/alerts/api.yaml',
        'max by (namespace) (zonestead_checks_probing) == 1',
        'min by (namespace) (zonestead_checks_probing) == 1',
      ],
    ],
  ),
];

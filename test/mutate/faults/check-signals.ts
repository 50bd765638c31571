// Faults in the signals of monitors: their end, their order, the rights of a monitor, and the brakes.
import type { Fault } from '../fault.ts';

const SIGNALS = ['test/integration/service/checks/signals.test.ts'];

type Row = readonly [name: string, breaks: string, file: string, find: string, replace: string];

const rows: readonly Row[] = [
  [
    'no-end',
    'a signal counts after its end',
    'src/store/check-signals.ts',
    "g.address in ('', t.address) and g.until > now()",
    "g.address in ('', t.address)",
  ],
  [
    'all-first',
    'the signal for all addresses counts instead of that for one',
    'src/store/check-signals.ts',
    'order by g.address desc limit 1',
    'order by g.address limit 1',
  ],
  [
    'any-type',
    'a check that is probed takes signals',
    'src/service/checks/signals.ts',
    "if (type !== 'signal') throw",
    "if (type === 'https') throw",
  ],
  [
    'other-check',
    'a monitor sends signals for another check than its own',
    'src/service/checks/signals.ts',
    'matchesPattern(pattern, name)',
    'matchesPattern(pattern, name) || true',
  ],
  [
    'names-others',
    'a monitor learns the names of other checks',
    'src/service/checks/checks.ts',
    'map((row) => row.name))].filter(mayName)',
    'map((row) => row.name))]',
  ],
  [
    'pin-loses',
    'a signal counts instead of a pin',
    'src/store/check-targets.ts',
    "then pin = 'Unhealthy' else $5 = 'Unhealthy' end`;",
    "then $5 = 'Unhealthy' else $5 = 'Unhealthy' end`;",
  ],
  [
    'always-written',
    'a repeated signal is a write of the key, and an entry in the history',
    'src/service/checks/signals.ts',
    'if (extendedEnd !== null) return',
    'if (extendedEnd === 0) return',
  ],
  [
    'revoked',
    'a revoked key moves the end of its signal',
    'src/store/check-signals.ts',
    'select from api_keys k where k.id = $7 and',
    'select from api_keys k where k.id = $7 or',
  ],
  [
    'no-freeze',
    'a monitor without a network takes most addresses out of the answers',
    'src/service/checks/brake.ts',
    'groups.has(toGroup(watched));',
    '(!watched.isSignalled && groups.has(toGroup(watched)));',
  ],
  [
    'no-pause',
    'an address whose signal ended goes down again at once',
    'src/service/checks/flips.ts',
    "state !== 'Unhealthy' && before === 'Unhealthy'",
    "state === 'Healthy' && before === 'Unhealthy'",
  ],
  [
    'kept',
    'a check that is probed again keeps its signals',
    'src/service/checks/checks.ts',
    "if (definition.type !== 'signal') await",
    "if (definition.type === 'signal') await",
  ],
];

export const CHECK_SIGNAL_FAULTS: readonly Fault[] = rows.map(([name, breaks, file, find, replace]) => ({
  name: `signals-${name}`,
  breaks,
  edits: [{ file, find, replace }],
  project: 'integration',
  tests: SIGNALS,
}));

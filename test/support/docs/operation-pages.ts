// The commands of the pages for the person on call, for routine tasks, transfers over TLS, dangling names, signals of
// monitors, reverse records and key rolls, in the order in which their tests type them.
import { begins, block, howTo, type Scenario } from './choices.ts';

const INCIDENT = howTo('handle-an-incident');
const TASKS = howTo('routine-tasks');
const OVER_TLS = howTo('transfers-over-tls');
const ROLL = howTo('roll-a-dnssec-key');
const SIGNED = howTo('move-a-signed-zone');
const DANGLING = howTo('dangling-names');
const TEST = 'test/integration/cli/operation-pages.test.ts';

export const OPERATION_PAGES = {
  incident: {
    test: TEST,
    choices: [block(INCIDENT, 'Find the noisy team'), block(INCIDENT, 'Collect facts before you ask for help')],
  },
  'one zone restored': { test: TEST, choices: [block(TASKS, 'Restore one zone, or one team')] },
  'a key roll': { test: TEST, choices: [block(ROLL, 'Roll to a new key'), block(ROLL, 'Cancel a roll')] },
  'a new zone key': { test: TEST, choices: [block(howTo('compromised-zone-key'), 'Replace the key')] },
  'transfers over TLS': {
    test: TEST,
    choices: [
      block(OVER_TLS, 'Require TLS for a secondary'),
      block(OVER_TLS, 'Require a certificate of the secondary'),
    ],
  },
  'dangling names': { test: TEST, choices: begins(DANGLING, 'zonestead zones dangling') },
  'private keys encrypted again': {
    test: TEST,
    choices: [
      ...begins(howTo('rotate-keys'), 'zonestead admin encrypt-keys'),
      ...begins(howTo('back-up-and-restore'), 'zonestead admin encrypt-keys'),
    ],
  },
  'health signals': {
    test: 'test/integration/cli/signals.test.ts',
    choices: begins(
      howTo('send-health-signals'),
      ...['zonestead checks set', 'zonestead keys mint', 'zonestead checks signal', 'curl', 'zonestead checks show'],
    ),
  },
  'from BIND with its key': {
    test: 'test/integration/cli/import-pages.test.ts',
    choices: [block(SIGNED, 'Look at the keys of the zone'), block(SIGNED, 'Move the zone')],
  },
  'reverse records': { test: TEST, choices: begins(howTo('reverse-records'), 'zonestead ') },
  'keys by last use': { test: TEST, choices: [block(TASKS, 'List keys by last use and end')] },
  'fewer name servers': { test: TEST, choices: [block(TASKS, 'Use fewer name servers')] },
  'restore drill': { test: TEST, choices: begins(TASKS, 'select max(at)') },
  renamed: { test: TEST, choices: [block(TASKS, 'Rename something')] },
  'a team leaves': {
    test: TEST,
    choices: [block(TASKS, 'Revoke all keys of a team'), block(TASKS, 'A team leaves')],
  },
} as const satisfies Record<string, Scenario>;

// Faults in how the processes are put together: a setting is read and then has no effect.
import type { Fault } from '../fault.ts';

const settings = { project: 'integration', tests: ['test/integration/http/settings.test.ts'] } as const;

export const WIRING_FAULTS: readonly Fault[] = [
  {
    name: 'wire-public-suffixes',
    breaks: 'the api process allows zones such as co.uk by default',
    edits: [
      {
        file: 'src/api/context.ts',
        find: "allowPublicSuffixes: config.ZONESTEAD_PUBLIC_SUFFIXES === 'allow'",
        replace: "allowPublicSuffixes: config.ZONESTEAD_PUBLIC_SUFFIXES !== 'never'",
      },
    ],
    ...settings,
  },
  {
    name: 'wire-busy',
    breaks: 'the api process waits 60 s for the lock of a zone and ignores ZONESTEAD_BUSY_AFTER_MS',
    edits: [
      {
        file: 'src/api/database.ts',
        find: 'lockTimeoutMs: config.ZONESTEAD_BUSY_AFTER_MS,',
        replace: 'lockTimeoutMs: 60_000,',
      },
    ],
    ...settings,
  },
  {
    name: 'wire-delegation',
    breaks: 'ZONESTEAD_DELEGATION_CHECK=on has no effect',
    edits: [
      {
        file: 'src/nameserver/resolver/outside.ts',
        find: 'look: config.ZONESTEAD_DELEGATION_CHECK ?',
        replace: 'look: config.ZONESTEAD_DELEGATION_CHECK === undefined ?',
      },
    ],
    ...settings,
  },
  {
    name: 'wire-private-tlds',
    breaks: 'ZONESTEAD_PRIVATE_TLDS has no effect',
    edits: [
      {
        file: 'src/nameserver/resolver/outside.ts',
        find: 'new Set(config.ZONESTEAD_PRIVATE_TLDS)',
        replace: 'new Set<string>()',
      },
    ],
    ...settings,
  },
  {
    name: 'wire-dangling-hours',
    breaks: 'ZONESTEAD_DANGLING_HOURS has no effect',
    edits: [
      {
        file: 'src/api/rounds.ts',
        find: 'config.ZONESTEAD_DANGLING_HOURS * HOUR_MS',
        replace: '2 * HOUR_MS',
      },
    ],
    ...settings,
  },
  {
    name: 'wire-challenge-first',
    breaks: 'a challenge waits behind the other records of its namespace for a worker of the operator',
    edits: [
      {
        file: 'src/operator/run/queues.ts',
        find: 'isChallenge(record) ? HIGH_PRIORITY : NORMAL_PRIORITY',
        replace: 'isChallenge(record) ? NORMAL_PRIORITY : NORMAL_PRIORITY',
      },
    ],
    project: 'unit',
    tests: ['test/unit/operator/triggers.test.ts'],
  },
  {
    name: 'wire-proxy-header',
    breaks: 'a client chooses its address with the header that trusted proxies pass on',
    edits: [
      {
        file: 'src/http/connections/client-address.ts',
        find: "header === 'Forwarded' ?",
        replace: "header === 'Forwarded' || headers.forwarded.length > 0 ?",
      },
    ],
    project: 'integration',
    tests: ['test/integration/console/behind-proxy.test.ts'],
  },
];

// Faults in the companion of PowerDNS.
import type { Fault } from '../fault.ts';

export const NAMESERVER_FAULTS: readonly Fault[] = [
  {
    name: 'ns-memory-first',
    breaks: 'a zone whose purge fails is never purged again',
    edits: [
      {
        file: 'src/nameserver/companion/companion.ts',
        find: '      if (next.everything) await purgeEverything(socket, PURGE_TIMEOUT_MS);\n',
        replace:
          '      memory = next.memory;\n      if (next.everything) await purgeEverything(socket, PURGE_TIMEOUT_MS);\n',
      },
    ],
    project: 'integration',
    tests: ['test/integration/dns/companion.test.ts'],
  },
  {
    name: 'ns-poll',
    breaks: 'the companion looks for changed zones every 500 ms instead of every 25 ms',
    edits: [
      {
        file: 'src/config.ts',
        find: 'ZONESTEAD_POLL_MS: whole(5, 5_000).default(25)',
        replace: 'ZONESTEAD_POLL_MS: whole(5, 5_000).default(500)',
      },
    ],
    project: 'integration',
    tests: ['test/integration/dns/companion.test.ts'],
  },
];

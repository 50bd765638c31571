// Faults in the keys of name servers.
import type { Fault } from '../fault.ts';

export const NAMESERVER_FAULTS: readonly Fault[] = [
  {
    name: 'node-key-rotation-forgotten',
    breaks: 'a key that was replaced before a rotation that failed stays valid',
    edits: [
      {
        file: 'src/cli/jobs/credentials.ts',
        find: 'const replaced = [...earlier, ',
        replace: 'const replaced = [',
      },
    ],
    project: 'integration',
    tests: ['test/integration/cli/bootstrap.test.ts'],
  },
];

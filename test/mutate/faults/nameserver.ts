// Faults in the keys of name servers.
import type { Fault } from '../fault.ts';

export const NAMESERVER_FAULTS: readonly Fault[] = [
  {
    name: 'ns-shared-modules',
    breaks: 'Knot DNS 3.2 is started with a shared module, and crashes at the first removal of a zone',
    edits: [
      {
        file: 'src/nameserver/knot/prepare.ts',
        find: 'if (fault !== null) throw new Error(',
        replace: 'if (fault !== null) options.warn?.(',
      },
    ],
    project: 'unit',
    tests: ['test/unit/nameserver/shared-modules.test.ts'],
  },
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

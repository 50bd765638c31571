// Faults in the pages: a command that ends with code 0 and does nothing.
import type { Fault } from '../fault.ts';

export const DOCS_FAULTS: readonly Fault[] = [
  {
    name: 'docs-without-effect',
    breaks: 'the page has a command that prints its help and creates no key',
    edits: [
      {
        file: 'docs/how-to/nodes-outside-the-cluster.md',
        find: 'zonestead keys mint --node eu --network 198.51.100.0/24',
        replace: 'zonestead keys mint --node eu --network 198.51.100.0/24 --help',
      },
    ],
    project: 'e2e',
    tests: ['test/e2e/docs.test.ts'],
  },
];

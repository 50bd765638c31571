// Faults in the pages and in the references to them.
import type { Fault } from '../fault.ts';

export const DOCS_FAULTS: readonly Fault[] = [
  {
    name: 'docs-without-effect',
    breaks: 'the page has a command that prints its help and creates no key',
    edits: [
      {
        file: 'docs/how-to/nodes-outside-the-cluster.md',
        find: 'zonestead admin keys mint --node eu --network 198.51.100.0/24',
        replace: 'zonestead admin keys mint --node eu --network 198.51.100.0/24 --help',
      },
    ],
    project: 'e2e',
    tests: ['test/e2e/docs/local.test.ts'],
  },
  {
    name: 'docs-cites-no-rule',
    breaks: 'a comment cites a rule of the contract that does not exist',
    edits: [
      {
        file: 'src/dns/rules/chain.ts',
        find: 'inside one zone (contract X4)',
        replace: 'inside one zone (contract X44)',
      },
    ],
    project: 'unit',
    tests: ['test/unit/docs/citations.test.ts'],
  },
];

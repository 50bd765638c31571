// Faults in the rules of DNS, and in the rendering of zones for name servers.
import type { Fault } from '../fault.ts';

const RENDER = 'src/service/nodes/render.ts';

export const DNS_FAULTS: readonly Fault[] = [
  {
    name: 'dns-size-reserved',
    breaks: 'the largest RRset leaves no room in a message for the NSEC proof of a wildcard answer',
    edits: [
      {
        file: 'src/dns/rules/same-name.ts',
        find: 'const RESERVED = 12 + 11 + 1_000;',
        replace: 'const RESERVED = 12 + 11;',
      },
    ],
    project: 'unit',
    tests: ['test/unit/dns'],
  },
  {
    name: 'dname-one-commit',
    breaks: 'a DNAME is in the same commit as the removal of the names below it, which Knot refuses',
    edits: [
      {
        file: 'src/nameserver/knot/transaction.ts',
        find: 'const later = laterDnames(plan);',
        replace: 'const later = laterDnames({ ...plan, add: [] });',
      },
    ],
    project: 'integration',
    tests: ['test/integration/nameserver/knot/zones.test.ts'],
  },
  {
    name: 'dname-above',
    breaks: 'a record is accepted below a DNAME that was written before it',
    edits: [
      {
        file: 'src/store/zone-load.ts',
        find: "type in ('NS', 'DNAME')",
        replace: "type in ('NS')",
      },
    ],
    project: 'integration',
    tests: ['test/integration/doors/rest/records/types.test.ts'],
  },
  {
    name: 'render-ttl-lowest',
    breaks: 'an RRset has the highest TTL of its records instead of the lowest',
    edits: [
      {
        file: RENDER,
        find: 'set.ttl = Math.min(ttl, set.ttl)',
        replace: 'set.ttl = Math.max(ttl, set.ttl)',
      },
    ],
    project: 'integration',
    tests: ['test/integration/service/nodes/rendered.test.ts'],
  },
  {
    name: 'render-quadratic',
    breaks: 'name servers keep the api from all other work while they read a name with thousands of records',
    edits: [
      {
        file: RENDER,
        find: 'for (const each of rdata) set.rdata.set(each, weight);',
        replace: 'set.rdata = new Map([...set.rdata, ...rdata.map((each) => [each, weight] as const)]);',
      },
    ],
    project: 'unit',
    tests: ['test/unit/service/nodes/render.test.ts'],
  },
  {
    name: 'render-child-apex',
    breaks: 'a zone keeps its own records at the name of a hosted child zone',
    edits: [
      {
        file: RENDER,
        find: "  else if (zone.state === 'active') {",
        replace: "  if (zone.state === 'active') {",
      },
    ],
    project: 'integration',
    tests: ['test/integration/service/nodes/rendered.test.ts'],
  },
  {
    name: 'served-grandchildren',
    breaks: 'a zone delegates the hosted zones below its child zones as well',
    edits: [
      {
        file: 'src/store/served-zones.ts',
        find: '{zone.tree}!`;',
        replace: '{zone.tree}`;',
      },
    ],
    project: 'integration',
    tests: ['test/integration/service/nodes/source.test.ts'],
  },
  {
    name: 'dns-file-repeats',
    breaks: 'a value that is twice in a zone file is two records',
    edits: [
      {
        file: 'src/dns/zonefile/read.ts',
        find: 'const earlier = lines.get(key);',
        replace: "const earlier = lines.get('');",
      },
    ],
    project: 'unit',
    tests: ['test/unit/dns/zonefile-whole.test.ts'],
  },
];

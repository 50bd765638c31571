// Faults in the rules of DNS and in the functions of Postgres that PowerDNS asks.
import type { Fault } from '../fault.ts';

/** The newest definition of the functions and views that PowerDNS reads. */
const SERVED = 'src/store/migrations/0001_served.sql';

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
    name: '2-ent-sibling',
    breaks: 'a name counts as an empty non-terminal because a sibling begins like it',
    edits: [
      {
        file: SERVED,
        find: "r.ordername > ord || ' ' and r.ordername < ord || '!'",
        replace: "r.ordername > ord and r.ordername like ord || '%'",
      },
    ],
    project: 'integration',
    tests: ['test/integration/dns/answers.test.ts', 'test/integration/dns/nsec.test.ts'],
  },
  {
    name: 'store-ttl-lowest-answers',
    breaks: 'DNS answers an RRset with the highest TTL of its records instead of the lowest',
    edits: [
      {
        file: SERVED,
        find: '(min(least(coalesce(r.ttl, z.default_ttl), a.ttl)) over (partition by coalesce(a.type, r.type)))::integer',
        replace:
          '(max(least(coalesce(r.ttl, z.default_ttl), a.ttl)) over (partition by coalesce(a.type, r.type)))::integer',
      },
    ],
    project: 'integration',
    tests: ['test/integration/dns/answers.test.ts', 'test/integration/api/records.test.ts'],
  },
  {
    name: 'store-ttl-lowest-transfer',
    breaks: 'a zone transfer gives an RRset the highest TTL of its records instead of the lowest',
    edits: [
      {
        file: SERVED,
        find: '(min(least(coalesce(r.ttl, z.default_ttl), a.ttl)) over (partition by r.zone_no,',
        replace: '(max(least(coalesce(r.ttl, z.default_ttl), a.ttl)) over (partition by r.zone_no,',
      },
    ],
    project: 'integration',
    tests: ['test/integration/dns/transfer.test.ts'],
  },
];

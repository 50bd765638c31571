// Scripts of nsupdate for a matrix: each prerequisite in each situation, and each change in each situation. `$` stands
// for names of a scenario's own.

interface Scenario {
  name: string;
  /** Sent as one message first. */
  before: readonly string[];
  /** Sent as one message. */
  lines: readonly string[];
}

/** The situations of a name. */
const SITUATIONS: Readonly<Record<string, readonly string[]>> = {
  'no records': [],
  'one A': ['update add a.$ 300 A 192.0.2.1'],
  'two A': ['update add a.$ 300 A 192.0.2.1', 'update add a.$ 300 A 192.0.2.2'],
  'A and TXT': ['update add a.$ 300 A 192.0.2.1', 'update add a.$ 600 TXT "one" "two"'],
  'a CNAME': ['update add a.$ 300 CNAME target.example.net.'],
  'a wildcard above': ['update add *.$ 300 A 192.0.2.1'],
  'a name below only': ['update add x.a.$ 300 A 192.0.2.1'],
};

/** The five prerequisites, and combinations. */
const PREREQUISITES: Readonly<Record<string, readonly string[]>> = {
  'name is used': ['prereq yxdomain a.$'],
  'name is unused': ['prereq nxdomain a.$'],
  'A exists': ['prereq yxrrset a.$ A'],
  'A is absent': ['prereq nxrrset a.$ A'],
  'A is one value': ['prereq yxrrset a.$ A 192.0.2.1'],
  'A is two values': ['prereq yxrrset a.$ A 192.0.2.2', 'prereq yxrrset a.$ A 192.0.2.1'],
  'TXT is its value': ['prereq yxrrset a.$ TXT "one" "two"'],
  'CNAME is its value in capitals': ['prereq yxrrset a.$ CNAME Target.Example.NET.'],
  'name is used, and A is absent': ['prereq yxdomain a.$', 'prereq nxrrset a.$ A'],
};

const CHANGES: Readonly<Record<string, readonly string[]>> = {
  'adds an A': ['update add a.$ 300 A 192.0.2.9'],
  'adds the same A with another TTL': ['update add a.$ 900 A 192.0.2.1'],
  'adds an A with another TTL': ['update add a.$ 900 A 192.0.2.9'],
  'adds a CNAME': ['update add a.$ 300 CNAME other.example.net.'],
  'adds the same CNAME with another TTL': ['update add a.$ 900 CNAME target.example.net.'],
  'adds two CNAME': ['update add a.$ 300 CNAME one.example.net.', 'update add a.$ 300 CNAME two.example.net.'],
  'adds a DNAME twice': ['update add d.$ 300 DNAME one.example.net.', 'update add d.$ 300 DNAME two.example.net.'],
  'deletes an A': ['update delete a.$ A 192.0.2.1'],
  'deletes another A': ['update delete a.$ A 192.0.2.7'],
  'deletes all A': ['update delete a.$ A'],
  'deletes all TXT': ['update delete a.$ TXT'],
  'deletes the name': ['update delete a.$'],
  'deletes an unknown type': ['update delete a.$ TYPE65280'],
  'replaces all A': ['update delete a.$ A', 'update add a.$ 60 A 192.0.2.5', 'update add a.$ 60 A 192.0.2.6'],
  'replaces data with a CNAME': ['update delete a.$', 'update add a.$ 60 CNAME new.example.net.'],
  'replaces a CNAME with data': ['update delete a.$ CNAME', 'update add a.$ 60 A 192.0.2.5'],
  'adds before it deletes': ['update add a.$ 60 A 192.0.2.5', 'update delete a.$ A'],
  'adds, deletes and adds a value': [
    'update add a.$ 60 A 192.0.2.5',
    'update delete a.$ A 192.0.2.5',
    'update add a.$ 90 A 192.0.2.5',
  ],
  'adds records of many types': [
    'update add m.$ 300 MX 10 mail.example.net.',
    'update add m.$ 300 MX 20 mail.example.net.',
    'update add m.$ 300 AAAA 2001:db8::1',
    'update add m.$ 300 TXT "a \\"quoted\\" text" "\\200\\000"',
    'update add m.$ 300 CAA 0 issue "ca.example.net"',
    'update add m.$ 300 SSHFP 4 2 0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef',
    'update add m.$ 300 DHCID AAIBY2/AuCccgoJbsaxcQc9TUapptP69lOjxfNuVAA2kjEA=',
    'update add m.$ 300 TYPE65280 \\# 3 010203',
    'update add _sip._tcp.m.$ 300 SRV 1 2 5060 sip.example.net.',
    'update add m.$ 300 NAPTR 10 20 "u" "E2U+sip" "!^.*$!sip:a@example.net!" .',
    'update add m.$ 300 HTTPS 1 . alpn="h2,h3" port=8443',
  ],
  'works at a name in capitals': ['update add A.$ 300 A 192.0.2.9', 'update delete A.$ A 192.0.2.1'],
};

/** Messages that a server refuses as a whole, or that concern names outside. */
const OTHERS: readonly Scenario[] = [
  { name: 'adds outside of the zone', before: [], lines: ['update add www.example.org 300 A 192.0.2.1'] },
  { name: 'has a prerequisite outside of the zone', before: [], lines: ['prereq yxdomain www.example.org'] },
  {
    name: 'fails at its second prerequisite, and changes nothing',
    before: ['update add a.$ 300 A 192.0.2.1'],
    lines: ['prereq yxrrset a.$ A', 'prereq nxdomain a.$', 'update delete a.$'],
  },
  {
    name: 'adds a good and an outside record, and changes nothing',
    before: [],
    lines: ['update add a.$ 300 A 192.0.2.1', 'update add www.example.org 300 A 192.0.2.1'],
  },
];

/** Prerequisites in all situations, with a change that shows whether they were met; changes in all situations. */
export const SCENARIOS: readonly Scenario[] = [
  ...Object.entries(SITUATIONS).flatMap(([situation, before]) => [
    ...Object.entries(PREREQUISITES).map(([prerequisite, lines]) => ({
      name: `${situation}; prerequisite: ${prerequisite}`,
      before,
      lines: [...lines, 'update add met.$ 300 TXT "met"'],
    })),
    ...Object.entries(CHANGES).map(([change, lines]) => ({ name: `${situation}; ${change}`, before, lines })),
  ]),
  ...OTHERS,
];

/** The lines of a scenario below `parent`, with the names of the scenario. */
export function buildScript({ before, lines }: Scenario, own: string): string[] {
  const written = (each: readonly string[]) => [
    ...each.map((line) => line.replaceAll(/(?<=[a-z*A-Z])\.\$/g, `.${own}`)),
    'send',
  ];
  return [...(before.length === 0 ? [] : written(before)), ...written(lines)];
}

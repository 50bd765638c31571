// Objects that `kubectl apply` must take or refuse. The unit test feeds them to zod, the integration test to a real
// kube-apiserver, so that the two twins of every rule cannot drift apart.

import { SELECTORS } from './selector-cases.ts';
import { SEVERAL } from './several-cases.ts';

export interface ResourceCase {
  readonly title: string;
  readonly kind: 'DNSZone' | 'DNSRecord';
  readonly spec: Record<string, unknown>;
  /** A part of the refusal's message; undefined when the case is accepted. */
  readonly refused?: RegExp;
  /** CEL cannot tell; zod refuses, as the operator then does with Accepted=False. */
  readonly passesServer?: true;
}

const zone = (title: string, spec: Record<string, unknown>, refused?: RegExp): ResourceCase => ({
  title,
  kind: 'DNSZone',
  spec: { zoneName: 'example.org', ...spec },
  ...(refused === undefined ? {} : { refused }),
});

/** Undefined takes a field of the base away, as it does in JSON. */
export const aRecord = { zoneRef: { name: 'example' }, name: 'www', type: 'A', content: '192.0.2.1' };

const record = (title: string, spec: Record<string, unknown>, refused?: RegExp): ResourceCase => ({
  title,
  kind: 'DNSRecord',
  spec: JSON.parse(JSON.stringify({ ...aRecord, ...spec })) as Record<string, unknown>,
  ...(refused === undefined ? {} : { refused }),
});

const onlyZod = (each: ResourceCase): ResourceCase => ({ ...each, passesServer: true });

const label = (length: number) => 'a'.repeat(length);
const values = (...contents: string[]) => ({ content: undefined, values: contents.map((content) => ({ content })) });

const ZONES: readonly ResourceCase[] = [
  zone('a zone with nothing but a name', {}),
  zone('capitals and a final dot', { zoneName: 'Example.ORG.' }),
  zone('a single label', { zoneName: 'internal' }),
  zone('an international name', { zoneName: 'bücher.example' }),
  zone('an A-label', { zoneName: 'xn--bcher-kva.example' }),
  zone('an underscore', { zoneName: '_tcp.example.org' }),
  zone('a reverse zone', { zoneName: '2.0.192.in-addr.arpa' }),
  zone('a label of 63 octets', { zoneName: `${label(63)}.org` }),
  zone('a label of 64 octets', { zoneName: `${label(64)}.org` }, /zoneName.*must be a domain name/),
  zone('a name over 254 characters', { zoneName: `${`${label(50)}.`.repeat(5)}org` }, /zoneName/),
  zone('no name', { zoneName: undefined }, /zoneName/),
  zone('an empty name', { zoneName: '' }, /zoneName/),
  zone('the root', { zoneName: '.' }, /must be a domain name such as example.org/),
  zone('an empty label', { zoneName: 'example..org' }, /must be a domain name/),
  zone('a leading dot', { zoneName: '.example.org' }, /must be a domain name/),
  zone('a hyphen at the end of a label', { zoneName: 'example-.org' }, /must be a domain name/),
  zone('a blank', { zoneName: 'exa mple.org' }, /must be a domain name/),
  zone('a line end', { zoneName: 'example.org\n' }, /must be a domain name/),
  zone('a wildcard', { zoneName: '*.example.org' }, /must be a domain name/),
  zone('an address', { zoneName: '192.0.2.1' }, /must be a domain name/),
  zone('a URL', { zoneName: 'https://example.org/' }, /must be a domain name/),
  onlyZod(zone('a broken A-label', { zoneName: 'xn--a.example' }, /must be a domain name/)),
  zone('an owner', { owner: 'org:team_1' }),
  zone('a personal owner', { owner: 'personal' }),
  zone('an owner that is a bare id', { owner: 'team_1' }, /must be org:<teamId>/),
  zone('an owner without id', { owner: 'org:' }, /must be org:<teamId>/),
  zone('the shortest default ttl', { defaultTtl: 30 }),
  zone('the longest default ttl', { defaultTtl: 86_400 }),
  zone('a default ttl of 29', { defaultTtl: 29 }, /30/),
  zone('a default ttl of 86401', { defaultTtl: 86_401 }, /86400/),
  zone('a default ttl as text', { defaultTtl: '3600' }, /defaultTtl/),
  zone('policies', { deletionPolicy: 'Retain', managementPolicy: 'Observe', driftPolicy: 'Report', parked: true }),
  zone('an unknown deletion policy', { deletionPolicy: 'Orphan' }, /Delete.*Retain/),
  zone('secondaries, and Ready without them', { secondaries: ['eu', 'us-2'], readyWhen: 'OwnNodes' }),
  zone('no secondary', { secondaries: [] }),
  zone('nine secondaries', { secondaries: [...'abcdefghi'] }, /secondaries/),
  zone('the name of a secondary with a dot', { secondaries: ['eu.example'] }, /must be the name of a secondary/),
  zone('the name of a secondary in capitals', { secondaries: ['EU'] }, /must be the name of a secondary/),
  zone('an unknown meaning of Ready', { readyWhen: 'Never' }, /AllNameservers.*OwnNodes/),
  zone('an unknown management policy', { managementPolicy: 'None' }, /Full.*Observe/),
  zone('an unknown drift policy', { driftPolicy: 'enforce' }, /Enforce.*Report.*Ignore/),
  zone('grants', {
    allowedRecords: [
      { namespaces: { from: 'All' }, names: ['*', '@', '*.dev', '_acme-challenge', 'a.b'], types: ['A', 'TXT'] },
      { namespaces: { from: 'Selector', selector: { matchLabels: { team: 'shop' } } } },
      { namespaces: { from: 'Same' }, names: ['www'] },
    ],
  }),
  zone('a grant that does not say for which namespaces', { allowedRecords: [{ names: ['www'] }] }, /namespaces/),
  zone('a grant for namespaces that it does not name', { allowedRecords: [{ namespaces: {} }] }, /from/),
  zone('challenges of its own namespace', { acme: {} }),
  zone('challenges of its own namespace at a target', { acme: { targets: ['certs', '*.auth'] } }),
  zone('challenges of others for names', { acme: { namespaces: { from: 'All' }, names: ['shop', '*.shop', '@'] } }),
  zone(
    'challenges of others without names',
    { acme: { namespaces: { from: 'All' } } },
    /set names with from: All and from: Selector/,
  ),
  zone('a selector by expressions', {
    allowedRecords: [
      {
        namespaces: {
          from: 'Selector',
          selector: { matchExpressions: [{ key: 'team', operator: 'In', values: ['a', 'b'] }] },
        },
      },
    ],
  }),
  zone(
    'from Selector without a selector',
    { allowedRecords: [{ namespaces: { from: 'Selector' } }] },
    /set selector with from: Selector/,
  ),
  zone(
    'a selector without from Selector',
    { allowedRecords: [{ namespaces: { from: 'All', selector: { matchLabels: { a: 'b' } } } }] },
    /set selector with from: Selector/,
  ),
  zone(
    'a name pattern with a star inside',
    { allowedRecords: [{ namespaces: { from: 'All' }, names: ['a*b.dev'] }] },
    /names.*must be "\*" for every name, "@"/,
  ),
  zone('a type by its number in a grant', {
    allowedRecords: [{ namespaces: { from: 'All' }, types: ['TYPE65280', 'DNAME'] }],
  }),
  zone('an unknown type in a grant', { allowedRecords: [{ namespaces: { from: 'All' }, types: ['SOA'] }] }, /types/),
  zone(
    'more grants than 32',
    { allowedRecords: Array.from({ length: 33 }, () => ({ namespaces: { from: 'All' } })) },
    /allowedRecords/,
  ),
];

const NAMES: readonly ResourceCase[] = [
  record('the apex', { name: '@' }),
  record('capitals', { name: 'WWW' }),
  record('several labels', { name: 'a.b.c' }),
  record('a wildcard', { name: '*' }),
  record('a wildcard below', { name: '*.dev' }),
  record('a challenge', {
    name: '_acme-challenge.www',
    type: 'TXT',
    content: 'x4MZk9GhR0y1Jp3aPqkqWq1T3VtqzE8hBf2sVd6uL7M',
  }),
  record('an absolute name', { name: 'www.example.org.' }),
  record('an international name', { name: 'bücher' }),
  record('hyphens at the ends of a label', { name: '-a-', type: 'TXT', content: 'x' }),
  record('a label of 63 octets', { name: label(63) }),
  record('a label of 64 octets', { name: label(64) }, /name.*must be "@"/),
  record('no name', { name: undefined }, /name/),
  record('an empty name', { name: '' }, /name/),
  record('a star that is not first', { name: 'a.*' }, /must be "@"/),
  record('a star with letters', { name: 'a*' }, /must be "@"/),
  record('the apex sign with labels', { name: '@.www' }, /must be "@"/),
  record('an empty label', { name: 'a..b' }, /must be "@"/),
  record('a leading dot', { name: '.a' }, /must be "@"/),
  record('a blank', { name: 'a b' }, /must be "@"/),
  record('a line end', { name: 'www\n' }, /must be "@"/),
  record('a backslash', { name: 'a\\.b' }, /must be "@"/),
];

const FIELDS: readonly ResourceCase[] = [
  record('a zone in another namespace', { zoneRef: { name: 'example', namespace: 'dns' } }),
  record('no zone', { zoneRef: undefined }, /zoneRef/),
  record('a zone without a name', { zoneRef: { namespace: 'dns' } }, /name/),
  record('a zone name that no object can have', { zoneRef: { name: 'Example.org' } }, /zoneRef\.name/),
  record('no type', { type: undefined }, /type/),
  record('an unknown type', { type: 'SPF' }, /type/),
  record('a type in lower case', { type: 'a' }, /type/),
  record('the shortest ttl', { ttl: 30 }),
  record('the longest ttl', { ttl: 86_400 }),
  record('a ttl of 29', { ttl: 29 }, /30/),
  record('a ttl of 86401', { ttl: 86_401 }, /86400/),
  record('a ttl with a fraction', { ttl: 60.5 }, /ttl/),
  record('neither content nor values', { content: undefined }, /either content \(one value\) or values/),
  record('both content and values', { values: [{ content: '192.0.2.2' }] }, /either content \(one value\) or values/),
  record('an empty list of values', { content: undefined, values: [] }, /values/),
  record('an empty content', { content: '' }, /content/),
  record('two values', values('192.0.2.1', '192.0.2.2')),
  record('a hundred values', values(...Array.from({ length: 100 }, (_, i) => `192.0.2.${i}`))),
  record('a hundred and one values', values(...Array.from({ length: 101 }, (_, i) => `192.0.2.${i}`)), /values/),
  record('one value twice', values('192.0.2.1', '192.0.2.1'), /each value must be unique/),
  // Two distinct values that begin alike, as often as the server allows: the comparison must not exceed its limit.
  record('a hundred values of 2048 octets', {
    type: 'TXT',
    ...values(...Array.from({ length: 100 }, (_, i) => label(2045) + String(i).padStart(3, '0'))),
  }),
  record(
    'one value twice among a hundred',
    values(...Array.from({ length: 99 }, (_, i) => `192.0.2.${i}`), '192.0.2.7'),
    /values.*each value must be unique/,
  ),
  record('policies', { deletionPolicy: 'Retain', driftPolicy: 'Ignore', adopt: 'IfIdentical' }),
  record('an unknown adoption', { adopt: 'Always' }, /Never.*IfIdentical/),
  record('a priority on A', { priority: 10 }, /only type MX accepts a priority/),
  record(
    'a priority in the values of A',
    { content: undefined, values: [{ content: '192.0.2.1', priority: 1 }] },
    /only type MX accepts a priority/,
  ),
];

const APEX: readonly ResourceCase[] = [
  record('CNAME at the apex', { name: '@', type: 'CNAME', content: 'www.example.net' }, /use type ALIAS/),
  record('ALIAS at the apex', { name: '@', type: 'ALIAS', content: 'www.example.net' }),
  record('NS at the apex', { name: '@', type: 'NS', content: 'ns1.example.net' }, /set name to a name below it/),
  record('NS below', { name: 'child', type: 'NS', ...values('ns1.example.net', 'ns2.example.net') }),
  record('DS at the apex', { name: '@', type: 'DS', content: '1 13 2 ab' }, /belongs in the parent/),
];

const HOSTS = ['ALIAS', 'NS', 'PTR', 'DNAME'];
const SHA256 = 'Ab'.repeat(32);
/** RFC 2782, 9460, 8659, 4034 section 5, 6698: the forms, and what breaks them. */
const FORMS = [
  {
    type: 'SRV',
    name: '_sip._tcp',
    good: ['0 0 0 .', '10 20 5060 sip.example.net.', ' 1\t2 3  sip.example.net '],
    bad: [
      '10 20 5060',
      '10 20 sip.example.net',
      'a 20 5060 sip.example.net',
      '10 20 5060 sip',
      '1 2 3 192.0.2.1',
      '1 2 3 a.b c.d',
    ],
  },
  {
    type: 'HTTPS',
    name: 'www',
    good: [
      '0 svc.example.net',
      '0 .',
      '1 .',
      '1 . alpn="h2,h3" port=8443',
      '65535 svc.example.net. ipv4hint=192.0.2.1',
    ],
    bad: ['1', '. alpn=h2', 'a . alpn=h2', '1 svc', '0 svc.example.net alpn=h2'],
  },
  {
    type: 'CAA',
    name: '@',
    good: [
      '0 issue "ca.example.net"',
      '128 ISSUE ca.example.net',
      '0 issuewild ";"',
      '"0" "iodef" "mailto:a@example.net"',
    ],
    bad: ['0 issue', 'issue "ca.example.net"', '0 is-sue "x"', 'x issue "ca.example.net"'],
  },
  {
    type: 'DS',
    name: 'child',
    good: [`1 13 2 ${SHA256}`, `65535 8 1 ${'0'.repeat(40)}`, `1 13 4 ${'a'.repeat(96)}`, `1 13 2 ${'ab '.repeat(32)}`],
    bad: [
      `1 13 2 ${SHA256}0`,
      `1 13 1 ${SHA256}`,
      '1 13 2 abcd',
      `1 13 0 ${SHA256}`,
      `13 2 ${SHA256}`,
      `1 13 2 ${'zz'.repeat(32)}`,
    ],
  },
  {
    type: 'TLSA',
    name: '_443._tcp',
    good: [`3 1 1 ${SHA256}`, `2 0 2 ${SHA256}${SHA256}`, '0 0 0 00ff'],
    bad: [`4 1 1 ${SHA256}`, `3 2 1 ${SHA256}`, `3 1 3 ${SHA256}`, '3 1 1 abcd', `3 1 2 ${SHA256}`, `1 1 ${SHA256}`],
  },
  {
    type: 'SVCB',
    name: '_dns',
    good: ['0 svc.example.net', '1 . alpn=dot port=853', '1 dns.example.net. dohpath=/dns-query{?dns}'],
    bad: ['1', 'a . alpn=dot', '1 svc', '0 svc.example.net port=1'],
  },
  {
    type: 'SMIMEA',
    name: 'c93f1e400f26708f98cb19d936620da35eec8f72e57f9eec01c1afd6._smimecert',
    good: [`3 1 1 ${SHA256}`, '0 0 0 00ff'],
    bad: [`4 1 1 ${SHA256}`, '3 1 1 abcd', `1 1 ${SHA256}`],
  },
  {
    type: 'SSHFP',
    name: 'www',
    good: [`4 2 ${SHA256}`, `1 1 ${'0'.repeat(40)}`, '255 3 ab cd'],
    bad: [`4 1 ${SHA256}`, '4 2 abcd', '4 2', `4 0 ${SHA256}`, '4 3 xyz', `x 2 ${SHA256}`],
  },
  {
    type: 'NAPTR',
    name: '@',
    good: [
      '100 10 "s" "SIP+D2U" "" _sip._udp.example.net.',
      '100 10 u E2U+sip !^.*$!sip:info@example.net! .',
      String.raw`1 2 "" "a \"b\"" "!x!\\1!" .`,
    ],
    bad: [
      '100 10 "s" "SIP+D2U" "" ',
      '100 "s" "SIP+D2U" "" .',
      'a 10 "s" "" "" .',
      '1 2 "s" "" "" host',
      '1 2 "s" "" "',
    ],
  },
  {
    type: 'URI',
    name: '_ftp._tcp',
    good: ['10 1 "ftp://ftp.example.net/public"', '10 1 mailto:a@example.net'],
    bad: ['10 1', '10 "ftp://ftp.example.net/"', '10 1 "ftp://a b"', '10 1 "//example.net/"', 'x 1 "ftp://a/"'],
  },
  {
    type: 'LOC',
    name: '@',
    good: ['52 22 23 N 4 53 32 E -2m', '52 n 4 e 1', '52 22 23.999 S 4 53 W 1.5m 1m 10000m 10m'],
    bad: ['52 22 23 N 4 53 32 E', '52 22 23 4 53 32 1m', '52 N 4 E 1km', '52 N 4 E 1m 1m 1m 1m 1m', '4 E 52 N 1m'],
  },
  {
    type: 'CERT',
    name: 'mail',
    good: ['PKIX 0 0 MIIBIjAN', '1 65535 RSASHA256 MIIB IjAN', '65280 0 253 AA=='],
    bad: ['PKIX 0 0', 'PKIX 0 0 MI%B', 'PKIX x 0 MIIB', '0 0 MIIBIjAN'],
  },
  {
    type: 'OPENPGPKEY',
    name: 'c93f1e400f26708f98cb19d936620da35eec8f72e57f9eec01c1afd6._openpgpkey',
    good: ['mQENBFitwwoBCADA', 'mQEN BFit\twwoBCADA'],
    bad: ['-----BEGIN PGP PUBLIC KEY BLOCK-----', 'mQ%NBFit', '='],
  },
  {
    type: 'DHCID',
    name: 'host',
    good: ['AAIBY2/AuCccgoJbsaxcQc9TUapptP69lOjxfNuVAA2kjEA='],
    bad: ['AAIBY2/AuCccgoJbsaxcQc9TUapptP69lOjxfNuVAA2kjE-', '!'],
  },
];

/** RFC 3597 section 5. */
const NUMBERED = {
  good: ['\\# 4 c0000201', '\\# 4 C000 0201', ' \\#  0 '],
  bad: ['c0000201', '\\# c0000201x', '\\#', '# 0', '\\# -1'],
};

const TYPES: readonly ResourceCase[] = [
  record('A with a name', { content: 'hello' }, /content.*must be an IPv4 address such as 192\.0\.2\.10/),
  record('A with IPv6', { content: '2001:db8::1' }, /must be an IPv4 address/),
  record('A with a leading zero', { content: '192.0.2.01' }, /without leading zeros/),
  record('A in short form', { content: '127.1' }, /must be an IPv4 address/),
  record('A with a blank', { content: '192.0.2.1 ' }, /must be an IPv4 address/),
  record('A with one bad value of two', values('192.0.2.1', '192.0.2.256'), /values.*each content of type A/),
  record('AAAA', { type: 'AAAA', content: '2001:DB8:0:0::1' }),
  record('AAAA with IPv4 inside', { type: 'AAAA', content: '2001:db8::192.0.2.1' }),
  record('AAAA with a mapped IPv4', { type: 'AAAA', content: '::ffff:192.0.2.1' }),
  record('AAAA with a mapped IPv4 in hex', { type: 'AAAA', content: '0:0:0:0:0:FFFF:c000:201' }),
  onlyZod(record('AAAA with too many groups', { type: 'AAAA', content: '0:0:0:0:0:0:ffff:1.2.3.4' }, /IPv6/)),
  record('AAAA with IPv4', { type: 'AAAA', content: '192.0.2.1' }, /must be an IPv6 address such as 2001:db8::10/),
  record('AAAA with a zone', { type: 'AAAA', content: 'fe80::1%eth0' }, /must be an IPv6 address/),
  record('AAAA with a prefix', { type: 'AAAA', content: '2001:db8::/32' }, /must be an IPv6 address/),
  record('CNAME', { type: 'CNAME', content: 'target.example.net' }),
  record('CNAME with a final dot and capitals', { type: 'CNAME', content: 'Target.Example.NET.' }),
  record('CNAME with service labels', { type: 'CNAME', content: '_a.b-.example.net' }),
  record('CNAME to a single label with a final dot', { type: 'CNAME', content: 'localhost.' }),
  record('CNAME to a single label', { type: 'CNAME', content: 'target' }, /end a name of one label with a dot/),
  record('CNAME to an address', { type: 'CNAME', content: '192.0.2.1' }, /must be a host name/),
  record('CNAME to a URL', { type: 'CNAME', content: 'https://example.net/' }, /must be a host name/),
  record('CNAME to the root', { type: 'CNAME', content: '.' }, /must be a host name/),
  record('CNAME with a blank', { type: 'CNAME', content: 'a b.example.net' }, /must be a host name/),
  record('CNAME as a list of one', { type: 'CNAME', ...values('target.example.net') }),
  record(
    'CNAME with two values',
    { type: 'CNAME', ...values('a.example.net', 'b.example.net') },
    /has exactly one value/,
  ),
  record('MX', { type: 'MX', content: 'mail.example.net' }),
  record('MX with a priority', { type: 'MX', content: 'mail.example.net', priority: 0 }),
  record('MX with a priority of 65536', { type: 'MX', content: 'mail.example.net', priority: 65_536 }, /65535/),
  record('MX with the number inside', { type: 'MX', content: '10 mail.example.net' }, /set the preference in priority/),
  record('MX to an address', { type: 'MX', content: '192.0.2.1' }, /content of type MX must be a host name/),
  onlyZod(record('MX with an underscore', { type: 'MX', content: '_mail.example.net' }, /must be a host name/)),
  record('MX with several hosts', {
    type: 'MX',
    content: undefined,
    values: [
      { content: 'a.example.net', priority: 10 },
      { content: 'b.example.net', priority: 20 },
      { content: 'a.example.net', priority: 30 },
    ],
  }),
  record(
    'MX twice, once with an explicit default',
    {
      type: 'MX',
      content: undefined,
      values: [{ content: 'a.example.net' }, { content: 'a.example.net', priority: 10 }],
    },
    /each value must be unique/,
  ),
  record(
    'MX with a priority and values',
    { type: 'MX', priority: 5, ...values('a.example.net') },
    /set the priority of each value/,
  ),
  record('a null MX', { type: 'MX', content: '.', priority: 0 }),
  record('a null MX without priority', { type: 'MX', content: '.' }, /set priority to 0/),
  record('a null MX in a list', { type: 'MX', ...values('.', 'a.example.net') }, /must be the only value/),
  record('TXT as it is', { type: 'TXT', content: 'v=spf1 include:example.net -all; x=ü' }),
  record('TXT of one character', { type: 'TXT', content: 'x' }),
  record('TXT in quotes', { type: 'TXT', content: '"one" "two; \\"2\\" \\\\ \\195"' }),
  record('TXT in quotes without a blank between', { type: 'TXT', content: '"one""two"' }),
  record('an empty TXT', { type: 'TXT', content: '""' }),
  record('TXT with a tab', { type: 'TXT', content: 'a\tb' }),
  record('TXT of 60000 octets', { type: 'TXT', content: label(60_000) }),
  record('two TXT values', { type: 'TXT', ...values('one', '"two"') }),
  record('a TXT value of 2048 octets in a list', { type: 'TXT', ...values(label(2048), 'x') }),
  record('a TXT value of 2049 octets in a list', { type: 'TXT', ...values(label(2049), 'x') }, /2048/),
  record('TXT with a quote inside', { type: 'TXT', content: 'say "hi"' }, /one or more quoted strings/),
  record('TXT with a backslash inside', { type: 'TXT', content: 'a\\b' }, /one or more quoted strings/),
  record('TXT that is not closed', { type: 'TXT', content: '"a' }, /one or more quoted strings/),
  record('TXT with a bad escape', { type: 'TXT', content: '"\\256"' }, /one or more quoted strings/),
  record('TXT half in quotes', { type: 'TXT', content: '"a" b' }, /one or more quoted strings/),
  record('TXT with an outer blank', { type: 'TXT', content: ' a' }, /leading or trailing blanks/),
  record('TXT with a line end', { type: 'TXT', content: 'a\nb' }, /content of type TXT/),
  record('TXT with one bad value of two', { type: 'TXT', ...values('one', 'a"b') }, /each content of type TXT/),
  ...HOSTS.flatMap((type) => [
    record(`${type} to a host`, { type, name: 'child', content: 'host.example.net' }),
    record(`${type} to an address`, { type, name: 'child', content: '192.0.2.1' }, /must be a host name/),
    record(`${type} to a single label`, { type, name: 'child', content: 'host' }, /end a name of one label with a dot/),
    record(
      `${type} as a list with a bad one`,
      { type, name: 'child', ...values('a b.example') },
      /each content of type/,
    ),
  ]),
  ...FORMS.flatMap(({ type, name, good, bad }) => [
    ...good.map((content) => record(`${type} ${content}`, { type, name, content })),
    ...bad.map((content) =>
      record(`${type} ${content}`, { type, name, content }, new RegExp(`content of type ${type} must`)),
    ),
  ]),
  ...NUMBERED.good.map((content) => record(`TYPE65280 ${content}`, { type: 'TYPE65280', content })),
  ...NUMBERED.bad.map((content) =>
    record(`TYPE65280 ${content}`, { type: 'TYPE65280', content }, /content of type TYPEn must be generic RDATA/),
  ),
  onlyZod(
    record(
      'TYPE65280 with another length',
      { type: 'TYPE65280', content: '\\# 3 c0000201' },
      /content of type TYPEn must be generic RDATA/,
    ),
  ),
  record('a type by a number with zeros', { type: 'TYPE065280', content: '\\# 0' }, /type/),
  record('a number without TYPE', { type: '65280', content: '\\# 0' }, /type/),
  record(
    'DNAME with two values',
    { type: 'DNAME', name: 'old', ...values('a.example.net', 'b.example.net') },
    /has exactly one value/,
  ),
  record('DNAME at the apex', { name: '@', type: 'DNAME', content: 'www.example.net' }),
  record(
    'SSHFP with one bad value of two',
    { type: 'SSHFP', ...values(`4 2 ${SHA256}`, '4 2 ab') },
    /values.*each content/,
  ),
  onlyZod(record('LOC with 91 degrees', { type: 'LOC', content: '91 N 4 E 1m' }, /content of type LOC must/)),
  onlyZod(record('DHCID with a short digest', { type: 'DHCID', content: 'AAIBY2/A' }, /content of type DHCID must/)),
  onlyZod(record('CAA with flag 1', { type: 'CAA', name: '@', content: '1 issue ";"' }, /content of type CAA must/)),
  onlyZod(
    record('SRV with port 65536', { type: 'SRV', content: '1 1 65536 a.example.net' }, /content of type SRV must/),
  ),
  onlyZod(
    record('HTTPS with an unknown parameter', { type: 'HTTPS', content: '1 . nope=1' }, /content of type HTTPS must/),
  ),
  record('CAA', { type: 'CAA', name: '@', content: '0 issue "letsencrypt.org"' }),
  record('DS', { type: 'DS', name: 'child', content: `1 13 2 ${'ab'.repeat(32)}` }),
  record('HTTPS', { type: 'HTTPS', name: '@', content: '1 . alpn=h2,h3' }),
  record('PTR', { type: 'PTR', name: '1', content: 'host.example.net' }),
  record('SRV', { type: 'SRV', name: '_sip._tcp', content: '10 20 5060 sip.example.net' }),
  record('TLSA', { type: 'TLSA', name: '_443._tcp.www', content: `3 1 1 ${'ab'.repeat(32)}` }),
];

export const RESOURCE_CASES: readonly ResourceCase[] = [
  ...ZONES,
  ...SELECTORS,
  ...NAMES,
  ...FIELDS,
  ...SEVERAL,
  ...APEX,
  ...TYPES,
];

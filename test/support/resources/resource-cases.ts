// Objects that `kubectl apply` must take or refuse. The unit test feeds them to zod, the integration test to a real
// kube-apiserver, so that the two twins of every rule cannot drift apart.

import { HEALTH } from './health-cases.ts';
import { TYPES } from './record-type-cases.ts';
import { label, onlyZod, type ResourceCase, record, values, zone } from './resource-case.ts';
import { SELECTORS } from './selector-cases.ts';
import { SEVERAL } from './several-cases.ts';

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
  zone('NSEC3', { denial: 'NSEC3' }),
  zone('an unknown denial', { denial: 'nsec3' }, /NSEC.*NSEC3/),
  zone('a key rollover', {
    keyRollover: { every: '365d', requestedAt: '2026-11-28T10:00:00.25+01:00', algorithm: 'ED25519' },
  }),
  zone('a key rollover without fields', { keyRollover: {} }, /set every, requestedAt or algorithm/),
  zone('a key each week', { keyRollover: { every: '7d' } }, /must be a number of days from 30d to 9999d/),
  zone('a period in years', { keyRollover: { every: '1y' } }, /must be a number of days/),
  zone('a request without a time', { keyRollover: { requestedAt: 'now' } }, /must be a time of RFC 3339/),
  zone('a request in a month 13', { keyRollover: { requestedAt: '2026-13-01T00:00:00Z' } }, /must be a time of RFC/),
  zone('an RSA key', { keyRollover: { algorithm: 'RSASHA256' } }, /ECDSAP256SHA256.*ED25519/),
  zone(
    'a key rollover of an observed zone',
    { keyRollover: { every: '30d' }, managementPolicy: 'Observe' },
    /omit keyRollover with managementPolicy: Observe/,
  ),
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
  zone(
    'an unknown type in a grant',
    { allowedRecords: [{ namespaces: { from: 'All' }, types: ['SOA'] }] },
    /types.*must be one of/,
  ),
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
  record(
    'a zone name that no object can have',
    { zoneRef: { name: 'Example.org' } },
    /zoneRef.*name must be the name of an object, such as example/,
  ),
  record(
    'a namespace that no namespace can be named',
    { zoneRef: { name: 'example', namespace: 'team.dns' } },
    /zoneRef.*namespace must be the name of a namespace: /,
  ),
  record('no type', { type: undefined }, /type/),
  record('an unknown type', { type: 'SPF' }, /type.*must be a record type in capitals.*TXT for SPF/),
  record('a type in lower case', { type: 'a' }, /type.*must be a record type in capitals/),
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

export const RESOURCE_CASES: readonly ResourceCase[] = [
  ...ZONES,
  ...SELECTORS,
  ...NAMES,
  ...FIELDS,
  ...SEVERAL,
  ...APEX,
  ...HEALTH,
  ...TYPES,
];

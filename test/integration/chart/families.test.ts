// The chart in clusters with IPv4, with IPv6, and with both: addresses of Services, listeners, probes and policies.
import { expect, test } from 'vitest';
import { one, type Rendered, render, template, type Values } from '../../support/chart/chart.ts';

const TRUST = { name: 'ci', team: 'first', issuer: 'https://ci.example', audience: 'zonestead', match: { sub: 'ci' } };
const POLICIES = ['ipFamilyPolicy', 'ipFamilies'] as const;
const EVERYTHING: Values = {
  api: { updates: { enabled: true } },
  nameserver: { podServices: { enabled: true } },
  edge: { enabled: true },
};
/** The names of Services that clients use. */
const OUTSIDE = [
  'zonestead-api',
  'zonestead-dns',
  'zonestead-edge-0',
  'zonestead-edge-1',
  'zonestead-nameserver-0',
  'zonestead-nameserver-1',
  'zonestead-updates',
];

const families = (objects: readonly Rendered[], name: string) => {
  const { spec } = one(objects, 'Service', name);
  return Object.fromEntries(POLICIES.flatMap((key) => (spec[key] === undefined ? [] : [[key, spec[key]]])));
};

const texts = (objects: readonly Rendered[], kind: string, name: string) =>
  JSON.stringify(one(objects, kind, name).spec.template.spec.containers);

test('Each Service that clients use has an address of every family of the cluster by default', async () => {
  const objects = await render(EVERYTHING);
  const withPolicy = objects.filter(({ kind, spec }) => kind === 'Service' && spec.ipFamilyPolicy !== undefined);
  expect(withPolicy.map(({ metadata }) => metadata.name).sort()).toEqual(OUTSIDE);
  for (const name of OUTSIDE) expect(families(objects, name)).toEqual({ ipFamilyPolicy: 'PreferDualStack' });
});

test('The families of the DNS Service override those of all Services', async () => {
  const objects = await render({
    ...EVERYTHING,
    ipFamilyPolicy: 'SingleStack',
    ipFamilies: ['IPv6'],
    dns: { service: { ipFamilyPolicy: 'RequireDualStack', ipFamilies: ['IPv6', 'IPv4'] } },
  });
  expect(families(objects, 'zonestead-api')).toEqual({ ipFamilyPolicy: 'SingleStack', ipFamilies: ['IPv6'] });
  expect(families(objects, 'zonestead-nameserver-0')).toEqual({ ipFamilyPolicy: 'SingleStack', ipFamilies: ['IPv6'] });
  expect(families(objects, 'zonestead-dns')).toEqual({
    ipFamilyPolicy: 'RequireDualStack',
    ipFamilies: ['IPv6', 'IPv4'],
  });
});

test('No process of the chart listens on the addresses of one family alone', async () => {
  const objects = await render({ ...EVERYTHING, solver: { enabled: true } });
  const containers = objects.flatMap(({ spec }) => spec?.template?.spec?.containers ?? []);
  const variables: { name: string; value?: string }[] = containers.flatMap(({ env = [] }: Rendered) => env);
  const listeners = variables.filter(({ name }) => name.endsWith('_LISTEN'));
  expect(new Set(listeners.map(({ name, value }) => `${name}=${value}`))).toEqual(
    new Set([
      'ZONESTEAD_TLS_LISTEN=*:8443',
      // For kubectl port-forward alone: pods with only IPv6 have this address, too.
      'ZONESTEAD_LISTEN=127.0.0.1:8080',
      'ZONESTEAD_UPDATE_LISTEN=*:5353',
      'ZONESTEAD_SOLVER_LISTEN=*:8443',
      'ZONESTEAD_KNOT_LISTEN=*',
    ]),
  );
});

test.each([
  [['*'], '127.0.0.1:5353'],
  [['0.0.0.0', '::'], '127.0.0.1:5353'],
  [['::'], '[::1]:5353'],
  [['2001:db8::1'], '[2001:db8::1]:5353'],
])('The probe of a knotd that listens on %j asks %s', async (listenAddresses, address) => {
  const objects = await render({ nameserver: { listenAddresses } });
  expect(texts(objects, 'StatefulSet', 'zonestead-nameserver')).toContain(`"--dns","${address}"`);
});

test('The policies let IPv6 secondaries and proxies in as they do IPv4 ones', async () => {
  const objects = await render({
    networkPolicy: { enabled: true },
    edge: { enabled: true },
    secondaries: [
      { name: 'other', addresses: ['192.0.2.7:5353', '[2001:db8::7]:5353'], transfersFrom: ['2001:db8:7::/48'] },
    ],
  });
  const policy = one(objects, 'NetworkPolicy', 'zonestead-nameserver').spec;
  expect(JSON.stringify(policy.ingress).match(/"cidr":"[^"]+"/g)).toEqual([
    '"cidr":"2001:db8:7::/48"',
    '"cidr":"192.0.2.7/32"',
    '"cidr":"2001:db8::7/128"',
  ]);
  expect(JSON.stringify(policy.egress)).toContain('{"port":5353,"protocol":"UDP"}');
});

test.each([
  [{ api: { trustedProxies: ['::ffff:10.0.0.0/104'] } }, 'api.trustedProxies has ::ffff:10.0.0.0/104, an IPv4 address'],
  [{ operator: { parentNetworks: ['0:0:0:0:0:FFFF:a00:0/104'] } }, 'operator.parentNetworks has 0:0:0:0:0:FFFF'],
  [{ edge: { networks: ['::ffff:192.0.2.1'] } }, 'write the IPv4 address or network alone, for instance 192.0.2.0/24'],
  [{ nameserver: { listenAddresses: ['::ffff:192.0.2.1'] } }, 'nameserver.listenAddresses has ::ffff:192.0.2.1'],
  [{ secondaries: [{ name: 'a', addresses: ['[::ffff:192.0.2.1]:53'] }] }, 'the addresses of the secondary a'],
  [{ api: { resolvers: ['[::ffff:192.0.2.53]:53'] } }, 'api.resolvers has [::ffff:192.0.2.53]:53, an IPv4 address'],
  [
    { operator: { nameserverAddresses: { 'ns1.example': '[::ffff:c000:201]:53' } } },
    'operator.nameserverAddresses has [',
  ],
  [
    { dns: { service: { loadBalancerSourceRanges: ['::ffff:0:0/96'] } } },
    'dns.service.loadBalancerSourceRanges has ::',
  ],
  [{ trusts: { list: [{ ...TRUST, networks: ['::ffff:192.0.2.0/120'] }] } }, 'the networks of the trust ci has ::ffff'],
  [{ api: { trustedProxies: ['fe80::1%eth0'] } }, 'api.trustedProxies has fe80::1%eth0, an address with a zone id'],
  [{ api: { trustedProxies: ['fe80::%eth0/64'] } }, 'on one machine only: write an address without "%"'],
  [
    { nameserver: { listenAddresses: ['fe80::1%eth0'] } },
    'nameserver.listenAddresses has fe80::1%eth0, an address with',
  ],
  [
    { operator: { resolvers: ['[fe80::1%eth0]:53'] } },
    'operator.resolvers has [fe80::1%eth0]:53, an address with a zone',
  ],
  [{ edge: { primaries: ['[fe80::1%eth0]:53'] } }, 'edge.primaries has [fe80::1%eth0]:53, an address with a zone id'],
  [
    { secondaries: [{ name: 'a', addresses: ['[fe80::1%eth0]:53'] }] },
    'the addresses of the secondary a has [fe80::1%',
  ],
  [{ trusts: { list: [{ ...TRUST, networks: ['fe80::1%eth0'] }] } }, 'the networks of the trust ci has fe80::1%eth0'],
  [{ ipFamilies: ['IPv5'] }, '/ipFamilies/0'],
  [{ ipFamilyPolicy: 'DualStack' }, '/ipFamilyPolicy'],
])('The chart refuses %j', async (values, words) => {
  const { ok, text } = await template(values);
  expect(ok ? 'accepted' : text).toContain(words);
});

test('The chart accepts IPv6 addresses that begin like those of IPv4', async () => {
  const networks = ['::/0', '::1', 'fd00::ffff:192.0.2.1', 'ffff::/16', '::ffff:0:192.0.2.0/120'];
  expect(await template({ api: { trustedProxies: networks } })).toMatchObject({ ok: true });
});

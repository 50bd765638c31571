// The condition Delegated, and its message for each state of the parent zone.
import type { Answer } from 'dns-packet';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseRdata } from '#dns/types/index.ts';
import { createParentLookup, type SeenAtParent } from '#nameserver/probe/parent.ts';
import { publicAddresses } from '#nameserver/probe/probe.ts';
import { delegatedAnswer } from '#operator/proof/delegated.ts';
import { type FakeNameServer, type FakeOptions, startNameServer } from '../../support/dns/fake-nameserver.ts';
import { Bench, DNS_ZONE } from '../../support/operator/bench.ts';

const DIGEST = 'e06d44b80b8f1d39a95c0b0d7c65d08458e880409bbc683457104237c7f8ec8d';
const RECORD = `example.org. IN DS 20326 13 2 ${DIGEST}`;
const zone = {
  zoneName: 'example.org',
  nameservers: ['ns1.zonestead.test', 'ns2.zonestead.test'],
  ds: [{ keyTag: 20326, algorithm: 13, digestType: 2, digest: DIGEST, record: RECORD }],
};
const hex = (type: 'NS' | 'DS', content: string) => {
  const parsed = parseRdata(type, content, null);
  if (!parsed.ok) throw new Error(parsed.problem.message);
  return Buffer.from(parsed.value.wire).toString('hex');
};
const NS = zone.nameservers.map((host) => hex('NS', `${host}.`));
const OWN = hex('DS', `20326 13 2 ${DIGEST}`);
const OTHER = hex('DS', `1 13 2 ${'ab'.repeat(32)}`);
const seen = (ns: string[], ds: string[]): SeenAtParent => ({ parent: 'org', ns, ds });
const both = 'example.org. IN NS ns1.zonestead.test.; example.org. IN NS ns2.zonestead.test.';

test.each([
  ['True Delegated', 'with our name servers and DS', seen(NS, [OTHER, OWN]), 'has its DS record'],
  ['False DSRequired', 'without DS', seen(NS, []), `Publish this record there: ${RECORD}`],
  ['False DSMismatch', 'with the DS of another key', seen(NS, [OTHER]), `Replace it with this record: ${RECORD}`],
  ['False DelegationRequired', 'without the name', seen([], []), `${both}; ${RECORD}`],
  ['False DelegationRequired', 'with one of two name servers', seen(NS.slice(1), [OWN]), 'to other name servers'],
  ['Unknown ParentNotAsked', 'that does not answer', 'no name server of org answers', 'no name server of org answers'],
  ['Unknown NoResolver', 'without a resolver', null, 'ZONESTEAD_RESOLVER'],
] as const)('the condition Delegated is %s for a parent %s', (expected, _how, found, words) => {
  const { status, reason, message } = delegatedAnswer(zone, found as SeenAtParent | string | null);
  expect(`${status} ${reason}`).toBe(expected);
  expect(message).toContain(words);
});

test('the condition Delegated calls the parent of a top-level domain the root zone', () => {
  const { message } = delegatedAnswer(zone, { parent: '', ns: NS, ds: [] });
  expect(message).toMatch(/^The root zone delegates this zone but has no DS record\. /);
});

test('the condition Delegated uses the status of the service when the parent cannot be queried', () => {
  const required = delegatedAnswer({ ...zone, status: 'ds_required' }, null);
  expect(required).toMatchObject({ status: 'False', reason: 'DSRequired' });
  expect(required.message).toContain(RECORD);
  const claim = delegatedAnswer({ ...zone, zoneName: 'brand', status: 'handshake_claim_required' }, null);
  expect(claim).toMatchObject({ status: 'False', reason: 'HandshakeClaimRequired' });
  expect(claim.message).toContain('Claim it on Handshake');
});

test('the condition Delegated does not keep a zone from being Ready, and the parent is queried again within a minute', async () => {
  const on = new Bench();
  on.lookUpParent = () => Promise.resolve('the resolver does not answer over UDP');
  on.restart();
  on.cluster.create(DNS_ZONE, { name: 'example' }, { zoneName: 'example.org' });
  await on.settle();
  expect(on.ready(on.cluster.zone('default/example'))).toBe('True Ready');
  expect(on.message(on.cluster.zone('default/example'), 'Delegated')).toContain('does not answer over UDP');
  on.lookUpParent = () => Promise.resolve(seen([], []));
  on.restart();
  const runs = await on.settle();
  expect(on.ready(on.cluster.zone('default/example'))).toBe('True Ready');
  expect(on.message(on.cluster.zone('default/example'), 'Delegated')).toContain('Publish these records there');
  expect(runs.get('zone default/example')?.result?.requeueAfterMs).toBe(60_000);
});

/** A resolver that finds the only name server of the parent at this address. */
function startResolver(family: 'A' | 'AAAA', address: string, own: FakeOptions = {}): Promise<FakeNameServer> {
  const host = 'inside.victim.example';
  const soa = { mname: 'ns.org', rname: 'host.org', serial: 1, refresh: 1, retry: 1, expire: 1, minimum: 1 };
  const answersOf = (name: string, type: string): Answer[] => {
    if (type === 'SOA') return [{ name: 'org', type, ttl: 60, data: soa }];
    if (type === 'NS') return [{ name, type, ttl: 60, data: host }];
    return type === family ? [{ name, type, ttl: 60, data: address }] : [];
  };
  return startNameServer(({ packet }) => {
    const { name = '', type = '' } = packet.questions[0] ?? {};
    return { aa: false, answers: answersOf(name, type) };
  }, own);
}

describe.each([
  { family: 'IPv4', type: 'A', address: '127.0.0.1', network: '127.0.0.0/8' },
  { family: 'IPv6', type: 'AAAA', address: '::1', network: '::1/128' },
] as const)('a name server of the parent with an address of $family', ({ type, address, network }) => {
  let resolver: FakeNameServer;
  let machine: FakeNameServer;
  beforeAll(async () => {
    resolver = await startResolver(type, address, { address });
    machine = await startNameServer(() => ({ rcode: 3 }), { address });
  });
  afterAll(() => Promise.all([resolver.close(), machine.close()]));

  const look = (options: { networks?: string[]; nameservers?: string[] } = {}) => {
    const { networks = [], nameservers = zone.nameservers } = options;
    const overrides = new Map();
    const mayQuery = publicAddresses(networks);
    const parents = createParentLookup({ resolvers: [resolver], overrides, mayQuery, port: machine.port });
    return parents({ ...zone, nameservers }, AbortSignal.timeout(60_000));
  };

  test('a parent whose NS records point to a machine in this network gets no query, not even one datagram, and the condition names the setting that would permit it', async () => {
    const before = machine.queries.length;
    const found = await look();
    expect(found).toContain('not public');
    expect(delegatedAnswer(zone, found)).toMatchObject({
      status: 'Unknown',
      reason: 'ParentNotAsked',
      message: expect.stringContaining('ZONESTEAD_PARENT_NETWORKS'),
    });
    // The message does not contain addresses that are not public either.
    expect(found).not.toContain(address);
    expect(machine.queries).toHaveLength(before);
  });

  test('a parent whose NS records point to a machine in this network gets queries when the setting lists its network, or when it is a name server of this service', async () => {
    expect(await look({ networks: [network] })).toMatchObject({ parent: 'org', ns: [] });
    expect(await look({ nameservers: ['Inside.victim.example.'] })).toMatchObject({ parent: 'org', ns: [] });
    expect(machine.queries.length).toBeGreaterThan(0);
  });
});

test('a name server of the parent with an IPv4 address in the form of IPv6 gets no query, even if every address may be queried', async () => {
  const resolver = await startResolver('AAAA', '::ffff:127.0.0.1');
  const machine = await startNameServer(() => ({ rcode: 3 }));
  try {
    const mayQuery = () => true;
    const parents = createParentLookup({ resolvers: [resolver], overrides: new Map(), mayQuery, port: machine.port });
    expect(await parents(zone, AbortSignal.timeout(60_000))).toBe('no name server of org answers');
    expect(machine.queries).toEqual([]);
  } finally {
    await Promise.all([resolver.close(), machine.close()]);
  }
});

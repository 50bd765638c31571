// The live view with name servers on loopback that agree, differ or do not answer.
import { afterEach, expect, test } from 'vitest';
import { compareServers } from '#dns/live.ts';
import { createLiveLook, type LiveQuestion } from '#nameserver/probe/live.ts';
import { type Resolve, ResolveFailure } from '#nameserver/resolver/resolver.ts';
import { type FakeNameServer, type Reply, startNameServer } from '../../support/dns/fake-nameserver.ts';

const open: FakeNameServer[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((each) => each.close()));
});

const { signal } = new AbortController();
const soa = (serial: number) => ({
  type: 'SOA' as const,
  name: 'example.com',
  ttl: 300,
  data: { mname: 'ns1.example.net', rname: 'h.example.net', serial, refresh: 1, retry: 1, expire: 1, minimum: 1 },
});
const a = (data: string, ttl = 60) => ({ type: 'A' as const, name: 'www.example.com', ttl, data });

async function serving(serial: number, answer: Reply): Promise<FakeNameServer> {
  const started = await startNameServer(({ packet }) => {
    const type = packet.questions?.[0]?.type;
    if (type === 'SOA') return { answers: [soa(serial)] };
    return type === 'A' ? answer : {};
  });
  open.push(started);
  return started;
}

const NO_PARENT: Resolve = async () => {
  throw new ResolveFailure('there is no resolver');
};

function look(servers: Record<string, FakeNameServer>, question: Partial<LiveQuestion> = {}, resolve = NO_PARENT) {
  const none = async () => Promise.reject(new Error('ENOTFOUND'));
  const at = Object.entries(servers).map(([name, { address, port }]) => [name, { address, port }] as const);
  const live = createLiveLook({
    overrides: new Map(at),
    resolver: { resolve4: none, resolve6: none },
    resolve,
    elapsed: () => performance.now(),
    now: () => new Date(),
  });
  const nameservers = [...Object.keys(servers), ...(question.nameservers ?? [])];
  const asked = { zone: 'example.com', name: 'www.example.com', type: 'A', parentHosted: false, ...question } as const;
  return live({ ...asked, nameservers }, signal);
}

test('the live view shows the answer and the serial of each name server, and which one differs', async () => {
  const same = { answers: [a('192.0.2.1'), a('192.0.2.2')] };
  const turned = { answers: [a('192.0.2.2'), a('192.0.2.1', 30)] };
  const old = { answers: [a('192.0.2.9')] };
  const servers = {
    'ns1.test': await serving(7, same),
    'ns2.test': await serving(5, old),
    'ns3.test': await serving(7, turned),
  };
  const seen = (await look(servers)).servers;
  expect(seen[1]).toMatchObject({
    name: 'ns2.test',
    problem: null,
    rcode: 'NOERROR',
    aa: true,
    serial: 5,
    answers: [{ name: 'www.example.com', type: 'A', ttl: 60, text: '192.0.2.9' }],
  });
  expect(compareServers(seen, 7)).toEqual([
    { differs: false, serial: 'current' },
    { differs: true, serial: 'behind' },
    { differs: false, serial: 'current' },
  ]);
  // A name server adds to the serial when it renews signatures.
  expect(compareServers(seen, 6).map(({ serial }) => serial)).toEqual(['current', 'behind', 'current']);
  expect(seen.every(({ ms }) => ms !== null && ms >= 0)).toBe(true);
});

test('the live view names a server without an address and one that does not answer, and still shows the others', async () => {
  const silent = await startNameServer(() => undefined, { tcp: false });
  open.push(silent);
  const servers = { 'ns1.test': await serving(7, { rcode: 3, authorities: [soa(7)] }), 'ns2.test': silent };
  const seen = (await look(servers, { nameservers: ['ns3.test'] })).servers;
  expect(seen.map(({ rcode, problem }) => rcode ?? problem)).toEqual([
    'NXDOMAIN',
    'does not answer over UDP',
    'has no address',
  ]);
  expect(compareServers(seen, 7).map(({ serial }) => serial)).toEqual(['current', 'unknown', 'unknown']);
});

test('the live view asks for signatures, asks for an ALIAS as an address, and asks the same servers for the DS of a hosted parent', async () => {
  const server = await serving(7, { answers: [a('192.0.2.1')] });
  const { chain } = await look({ 'ns1.test': server }, { type: 'ALIAS', parentHosted: true });
  const types = server.queries.map(({ packet }) => packet.questions?.[0]?.type);
  expect(types).toEqual(expect.arrayContaining(['A', 'DS', 'DNSKEY', 'SOA']));
  const query = server.queries.find(({ packet }) => packet.questions?.[0]?.type === 'A')?.packet;
  expect(query?.additionals?.[0]).toMatchObject({ type: 'OPT', flag_do: true });
  expect(query?.flags === undefined || (query.flags & 0x0100) === 0).toBe(true);
  expect([chain.ds.state, chain.dnskey.state, chain.rrsig.state]).toEqual(['missing', 'missing', 'missing']);
});

test('the live view reports an unknown parent if no resolver answers', async () => {
  const server = await serving(7, { answers: [a('192.0.2.1')] });
  expect((await look({ 'ns1.test': server })).chain.ds.state).toBe('unknown');
  const found: Resolve = async () => ({ exists: true, rdatas: [Uint8Array.of(0, 1, 13, 2, 255)], ttl: 60, end: '' });
  expect((await look({ 'ns1.test': server }, {}, found)).chain.ds.entries).toMatchObject([
    { keyTag: 1, digest: 'ff', state: 'mismatch' },
  ]);
});

test('the live view shows the zones above that a resolver knows, from the root downwards, and no name that is not a zone', async () => {
  const server = await serving(7, { answers: [a('192.0.2.1')] });
  const zones = new Set(['', 'com']);
  const found: Resolve = async (name, type) => {
    if (type === 'SOA') return { exists: true, rdatas: zones.has(name) ? [Uint8Array.of(0)] : [], ttl: 60, end: name };
    if (name === 'com') throw new ResolveFailure('the resolver answers SERVFAIL');
    return { exists: true, rdatas: [], ttl: 60, end: name };
  };
  const question = { zone: 'deep.example.com', name: 'deep.example.com' };
  const { above } = (await look({ 'ns1.test': server }, question, found)).chain;
  expect(above.map(({ zone, state }) => [zone, state])).toEqual([
    ['', 'missing'],
    ['com', 'unknown'],
  ]);
  expect((await look({ 'ns1.test': server })).chain.above).toEqual([]);
});

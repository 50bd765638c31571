// Questions to a recursive resolver, against scripted ones on loopback.
import type { Answer } from 'dns-packet';
import { afterEach, expect, test } from 'vitest';
import { createDelegationLook } from '../../../src/nameserver/delegation.ts';
import { createResolver, ResolveFailure } from '../../../src/nameserver/resolver.ts';
import { type FakeNameServer, type Script, startNameServer } from '../../support/fake-nameserver.ts';

const servers: FakeNameServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});
const start = async (script: Script) => {
  const server = await startNameServer(script);
  servers.push(server);
  return server;
};
const { signal } = new AbortController();
const a = (name: string, data: string, ttl: number): Answer => ({ name, type: 'A', ttl, data });
const cname = (name: string, data: string, ttl: number): Answer => ({ name, type: 'CNAME', ttl, data });
const text = (rdatas: readonly Uint8Array[]) => rdatas.map((rdata) => [...rdata].join('.'));

test('asks with recursion desired', async () => {
  const server = await start(() => ({ aa: false, answers: [a('www.example', '192.0.2.1', 60)] }));
  const found = await createResolver({ servers: [server] })('www.example.', 'A', signal);
  expect(server.queries[0]?.packet.flag_rd).toBe(true);
  expect({ ...found, rdatas: text(found.rdatas) }).toMatchObject({ exists: true, rdatas: ['192.0.2.1'], ttl: 60 });
});

test('follows the CNAMEs of the answer, whatever their order and case, and takes the shortest TTL', async () => {
  const answers = [
    a('c.example', '192.0.2.1', 300),
    cname('b.example', 'C.example', 20),
    cname('A.example', 'B.Example', 60),
    a('unasked.example', '192.0.2.66', 1),
  ];
  const server = await start(() => ({ aa: false, answers }));
  const found = await createResolver({ servers: [server] })('a.example', 'A', signal);
  expect([text(found.rdatas), found.ttl]).toEqual([['192.0.2.1'], 20]);
});

test('a circle of CNAMEs ends without addresses', async () => {
  const answers = [cname('a.example', 'b.example', 60), cname('b.example', 'a.example', 60)];
  const server = await start(() => ({ aa: false, answers }));
  expect((await createResolver({ servers: [server] })('a.example', 'A', signal)).rdatas).toEqual([]);
});

test('goes on where an authoritative server stops, with all servers', async () => {
  const own = await start(({ packet }) =>
    packet.questions[0]?.name === 'www.own.example'
      ? { aa: true, answers: [cname('www.own.example', 'out.example', 40)] }
      : { aa: false, rcode: 5 },
  );
  const resolver = await start(() => ({ aa: false, answers: [a('out.example', '192.0.2.1', 300)] }));
  const found = await createResolver({ servers: [own, resolver] })('www.own.example', 'A', signal);
  expect([text(found.rdatas), found.ttl]).toEqual([['192.0.2.1'], 40]);
});

test.each([
  ['SERVFAIL', 2],
  ['NOTIMP', 4],
  ['REFUSED', 5],
])('asks the next server after %s', async (_, rcode) => {
  const first = await start(() => ({ aa: false, rcode }));
  const second = await start(() => ({ aa: false, answers: [a('www.example', '192.0.2.1', 60)] }));
  expect((await createResolver({ servers: [first, second] })('www.example', 'A', signal)).exists).toBe(true);
});

test('NXDOMAIN is an answer, and NODATA another one', async () => {
  const server = await start(({ packet }) => ({
    aa: false,
    rcode: packet.questions[0]?.name === 'gone.example' ? 3 : 0,
  }));
  const resolve = createResolver({ servers: [server] });
  expect(await resolve('gone.example', 'A', signal)).toMatchObject({ exists: false, rdatas: [] });
  expect(await resolve('here.example', 'A', signal)).toMatchObject({ exists: true, rdatas: [] });
});

test('no answer is a failure that says so', async () => {
  const silent = await start(() => undefined);
  const failing = createResolver({ servers: [silent], timeoutMs: 50 })('www.example', 'A', signal);
  await expect(failing).rejects.toThrow(new ResolveFailure('the resolver does not answer over UDP'));
  await expect(createResolver({ servers: [] })('www.example', 'A', signal)).rejects.toThrow('there is no resolver');
});

test('ends at once when it is cancelled', async () => {
  const silent = await start(() => undefined);
  const stop = new AbortController();
  const asking = createResolver({ servers: [silent], timeoutMs: 10_000 })('www.example', 'A', stop.signal);
  stop.abort(new Error('enough'));
  await expect(asking).rejects.toThrow('enough');
});

const DIGEST = 'aa'.repeat(32);
const ds = (keyTag: number) => ({
  name: 'child.example',
  type: 'DS',
  ttl: 60,
  data: { keyTag, algorithm: 13, digestType: 2, digest: Buffer.from(DIGEST, 'hex') },
});
const OWN = Buffer.from(`30390d02${DIGEST}`, 'hex');

test.each([
  ['our DS among others', { aa: false, answers: [ds(1), ds(12_345)] }, 'secure'],
  ["another's DS only", { aa: false, answers: [ds(1)] }, 'insecure'],
  ['no DS', { aa: false }, 'insecure'],
  ['no such name', { aa: false, rcode: 3 }, 'absent'],
  ['an error', { aa: false, rcode: 2 }, 'unknown'],
])('a parent with %s', async (_, reply, seen) => {
  const server = await start(() => reply);
  const look = createDelegationLook(createResolver({ servers: [server] }), () => 0);
  expect(await look('child.example', [OWN])).toBe(seen);
  expect(server.queries.every(({ packet }) => packet.questions[0]?.type === 'DS')).toBe(true);
});

test('a look is remembered, shorter while it is not what is wanted, and shared by all that ask at once', async () => {
  let now = 0;
  let answers: Answer[] = [];
  const server = await start(() => ({ aa: false, answers }));
  const look = createDelegationLook(createResolver({ servers: [server] }), () => now);
  expect(await Promise.all([look('child.example', [OWN]), look('child.example', [OWN])])).toEqual([
    'insecure',
    'insecure',
  ]);
  expect(server.queries).toHaveLength(1);
  answers = [ds(12_345)];
  now = 4_999;
  expect(await look('child.example', [OWN])).toBe('insecure');
  now = 5_000;
  expect(await look('child.example', [OWN])).toBe('secure');
  now = 64_999;
  answers = [];
  expect(await look('child.example', [OWN])).toBe('secure');
  now = 65_000;
  expect(await look('child.example', [OWN])).toBe('insecure');
});

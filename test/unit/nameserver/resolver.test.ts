// Questions to a recursive resolver, with scripted resolvers on loopback.
import type { Answer } from 'dns-packet';
import { afterEach, describe, expect, test } from 'vitest';
import { createDelegationLook } from '#nameserver/resolver/delegation.ts';
import { createResolver, ResolveFailure } from '#nameserver/resolver/resolver.ts';
import { type FakeNameServer, type Reply, type Script, startNameServer } from '../../support/dns/fake-nameserver.ts';

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

test('the query has recursion desired', async () => {
  const server = await start(() => ({ aa: false, answers: [a('www.example', '192.0.2.1', 60)] }));
  const found = await createResolver({ servers: [server] })('www.example.', 'A', signal);
  expect(server.queries[0]?.packet.flag_rd).toBe(true);
  expect({ ...found, rdatas: text(found.rdatas) }).toMatchObject({ exists: true, rdatas: ['192.0.2.1'], ttl: 60 });
});

test('the resolver follows the CNAMEs of the answer in any order and case, and takes the shortest TTL', async () => {
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

test('a loop of CNAMEs ends without addresses', async () => {
  const answers = [cname('a.example', 'b.example', 60), cname('b.example', 'a.example', 60)];
  const server = await start(() => ({ aa: false, answers }));
  expect((await createResolver({ servers: [server] })('a.example', 'A', signal)).rdatas).toEqual([]);
});

test('the resolver continues with all servers where an authoritative server stops', async () => {
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
])('the resolver asks the next server after %s', async (_, rcode) => {
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

test('a missing answer is a failure with a message', async () => {
  const silent = await start(() => undefined);
  const failing = createResolver({ servers: [silent], timeoutMs: 50 })('www.example', 'A', signal);
  await expect(failing).rejects.toThrow(new ResolveFailure('the resolver does not answer over UDP'));
  await expect(createResolver({ servers: [] })('www.example', 'A', signal)).rejects.toThrow('there is no resolver');
});

test('a lookup ends at once when it is cancelled', async () => {
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
])('a delegation is seen as it is at a parent with %s', async (_, reply, seen) => {
  const server = await start(() => reply);
  const look = createDelegationLook(createResolver({ servers: [server] }), () => 0);
  expect(await look('child.example', [OWN], 'team')).toBe(seen);
  expect(server.queries.every(({ packet }) => packet.questions[0]?.type === 'DS')).toBe(true);
});

test('a result is cached, for a shorter time while the delegation is missing, and shared by simultaneous callers', async () => {
  let now = 0;
  let answers: Answer[] = [];
  const server = await start(() => ({ aa: false, answers }));
  const look = createDelegationLook(createResolver({ servers: [server] }), () => now);
  expect(await Promise.all([look('child.example', [OWN], 'team'), look('child.example', [OWN], 'team')])).toEqual([
    'insecure',
    'insecure',
  ]);
  expect(server.queries).toHaveLength(1);
  answers = [ds(12_345)];
  now = 4_999;
  expect(await look('child.example', [OWN], 'team')).toBe('insecure');
  now = 5_000;
  expect(await look('child.example', [OWN], 'team')).toBe('secure');
  now = 64_999;
  answers = [];
  expect(await look('child.example', [OWN], 'team')).toBe('secure');
  now = 65_000;
  expect(await look('child.example', [OWN], 'team')).toBe('insecure');
});

describe('an answer with authority', () => {
  const reply = (name: string, address: string, aa: boolean): Reply => ({
    aa,
    answers: [{ name, type: 'A', ttl: 60, data: address }],
  });
  const address = (found: { rdatas: readonly Uint8Array[] }) => found.rdatas.map((rdata) => [...rdata].join('.'));
  const { signal } = new AbortController();

  test('an answer with authority is skipped if it is not trusted, and the next resolver is asked', async () => {
    const own = await start(() => reply('lb.cloud.example', '203.0.113.66', true));
    const world = await start(() => reply('lb.cloud.example', '192.0.2.1', false));
    const resolve = createResolver({ servers: [own, world] });
    const asked: string[] = [];
    const isTrusted = (answer: boolean) => async (name: string) => {
      asked.push(name);
      return answer;
    };
    expect(address(await resolve('LB.cloud.example.', 'A', signal, isTrusted(false)))).toEqual(['192.0.2.1']);
    expect(address(await resolve('lb.cloud.example', 'A', signal, isTrusted(true)))).toEqual(['203.0.113.66']);
    // A resolver that follows the public delegation answers without authority and needs no trust.
    expect(asked).toEqual(['lb.cloud.example', 'lb.cloud.example']);
  });

  test('an answer with authority that a name does not exist is not an answer if it is not trusted', async () => {
    const own = await start(() => ({ aa: true, rcode: 3 }));
    const resolve = createResolver({ servers: [own] });
    await expect(resolve('lb.cloud.example', 'A', signal, async () => false)).rejects.toThrow(
      'is in a zone of another team of this service',
    );
  });

  test('an answer with authority is trusted link by link, because a name of ours may lead into a zone of another team', async () => {
    const own = await start(({ packet }) => {
      const { name = '' } = packet.questions[0] ?? {};
      const stolen: Answer = { name: 'lb.cloud.example', type: 'A', ttl: 60, data: '203.0.113.66' };
      if (name === 'lb.cloud.example') return { aa: true, answers: [stolen] };
      return { aa: true, answers: [{ name, type: 'CNAME', ttl: 30, data: 'lb.cloud.example' }, stolen] };
    });
    const world = await start(() => reply('lb.cloud.example', '192.0.2.1', false));
    const resolve = createResolver({ servers: [own, world] });
    const found = await resolve('www.ours.example', 'A', signal, async (name) => name.endsWith('ours.example'));
    expect(address(found)).toEqual(['192.0.2.1']);
    expect(found.ttl).toBe(30);
  });
});

test('a slow parent uses the 16 slots of its own owner, and other owners are not delayed', async () => {
  const server = await start(({ packet }) =>
    packet.questions[0]?.name?.endsWith('slow.example') ? undefined : { aa: false, answers: [ds(12_345)] },
  );
  const look = createDelegationLook(createResolver({ servers: [server] }), () => 0);
  const slow = Array.from({ length: 40 }, (_, n) => look(`z${n}.slow.example`, [OWN], 'slow'));
  expect(await look('child.example', [OWN], 'other')).toBe('secure');
  expect(new Set(await Promise.all(slow))).toEqual(new Set(['unknown']));
  const asked = new Set(server.queries.map(({ packet }) => packet.questions[0]?.name));
  expect([...asked].filter((name) => name?.endsWith('slow.example'))).toHaveLength(16);
  // Their slots are free again.
  expect(await look('late.example', [OWN], 'slow')).toBe('insecure');
});

// The proof by DNS and by the reports of nodes, with name servers and nodes that are right, late, wrong or silent.
import { afterEach, describe, expect, test } from 'vitest';
import { type Clock, realClock } from '#base/clock.ts';
import { ApiError, ApiUnavailable } from '#client/errors.ts';
import { NO_NODE_REPORTS } from '#client/zone-nodes.ts';
import type { ZoneNode } from '#contract/feed.ts';
import { listZoneNodes } from '#contract/operations/zones.ts';
import type { ZoneSecondary } from '#contract/secondary.ts';
import { parseRdata } from '#dns/types/index.ts';
import type { ExpectedRecord, ProofScope } from '#nameserver/probe/rounds.ts';
import { createPropagation, NO_PROOF, type ReadyWhen } from '#operator/proof/propagation.ts';
import { type FakeNameServer, type Script, startNameServer } from '../../support/dns/fake-nameserver.ts';
import { fakeClient, on } from '../../support/service/fake-client.ts';

const open: FakeNameServer[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((each) => each.close()));
});

const { signal } = new AbortController();
const verdict = parseRdata('A', '192.0.2.1', null);
const wire = verdict.ok ? verdict.value.wire : new Uint8Array();
const www = { name: 'www.example.org', type: 'A' as const, ttl: 60, rdatas: [wire] };
const right = { answers: [{ name: www.name, type: 'A' as const, ttl: 60, data: '192.0.2.1' }] };
const old = { answers: [{ name: www.name, type: 'A' as const, ttl: 60, data: '192.0.2.9' }] };

const CURRENT: ZoneNode = { node: 'ns1', current: true, reportedAt: '2026-01-01T00:00:00.000Z' };
/** An api that answers with these nodes, or as the function says. */
function apiWith(nodes: ZoneNode[] | (() => Promise<ZoneNode[]>), secondaries: ZoneSecondary[] = []) {
  const waits: number[] = [];
  const client = fakeClient(
    on(listZoneNodes, async ({ query }) => {
      waits.push(Number(query?.wait));
      return { nodes: typeof nodes === 'function' ? await nodes() : nodes, secondaries };
    }),
  );
  return { waits, client };
}

/** One script for each name server: ns1.example.net, ns2.example.net, … */
const proof = (...scripts: Script[]) => proofWith(realClock, scripts);

async function proofWith(clock: Clock, scripts: readonly Script[], scope: ProofScope = 'Reachable') {
  const servers = await Promise.all(scripts.map((script) => startNameServer(script)));
  open.push(...servers);
  const names = servers.map((_, index) => `ns${index + 1}.example.net`);
  const overrides = new Map(servers.map(({ address, port }, index) => [names[index] as string, { address, port }]));
  const nowhere = () => Promise.reject(new Error('ENOTFOUND'));
  const propagation = createPropagation({
    overrides,
    clock,
    date: () => new Date('2026-01-01T00:01:00Z'),
    scope,
    resolver: { resolve4: nowhere, resolve6: nowhere },
  });
  const prove = (
    api: ReturnType<typeof apiWith>,
    also: string[] = [],
    what: ExpectedRecord = www,
    zoneId = 'zone_1',
    readyWhen: ReadyWhen = 'AllNameservers',
  ) =>
    propagation.recordServed(
      { zoneId, namespace: 'default', nameservers: [...names, ...also], readyWhen },
      what,
      api.client,
      signal,
    );
  return {
    servers,
    propagation,
    names,
    prove,
    proveOwn: (api: ReturnType<typeof apiWith>) => prove(api, [], www, 'zone_1', 'OwnNodes'),
    ask: async (also: string[] = [], what: ExpectedRecord = www) =>
      (await prove(apiWith([CURRENT]), also, what)).problem,
  };
}

test('the proof of a record queries every name server over UDP and over TCP', async () => {
  const { servers, ask } = await proof(
    () => right,
    () => right,
  );
  expect(await ask()).toBeNull();
  for (const { queries } of servers) expect(queries.map(({ transport }) => transport)).toEqual(['udp', 'tcp']);
});

test('the proof of a record queries again when a server serves the old answer for a moment', async () => {
  let answers = 0;
  const { ask } = await proof(() => {
    answers += 1;
    return answers < 3 ? old : right;
  });
  expect(await ask()).toBeNull();
});

test('the proof of a record names the server that does not serve it, with the same message each time', async () => {
  const { servers, ask } = await proof(
    () => right,
    () => old,
  );
  const address = servers[1]?.address;
  const words = `Not every name server serves the current data yet, and the operator keeps checking: ns2.example.net (${address}) does not serve it yet.`;
  expect(await ask()).toBe(words);
  expect(await ask()).toBe(words);
});

test('the proof of a record fails when a server answers over UDP only', async () => {
  const { ask } = await proof(({ transport }) => (transport === 'udp' ? right : old));
  expect(await ask()).toMatch(/ns1\.example\.net \(.*\) does not serve it yet/);
});

test('the proof of a record does not wait for a silent server more often than it must', async () => {
  const { servers, ask } = await proof(() => undefined);
  const since = performance.now();
  expect(await ask()).toMatch(/ns1\.example\.net \(.*\) does not answer over UDP/);
  expect(servers[0]?.queries).toHaveLength(2);
  expect(performance.now() - since).toBeLessThan(20_000);
});

test('the proof of a record fails while a name server has no address', async () => {
  const { ask } = await proof(() => right);
  expect(await ask(['ns9.example.invalid'])).toMatch(/^Not every .* ns9\.example\.invalid has no address\.$/);
});

const alias = { ...www, type: 'ALIAS' as const };
const empty = { answers: [] };
const six = { answers: [{ name: www.name, type: 'AAAA' as const, ttl: 30, data: '2001:db8::1' }] };

test('the proof of an ALIAS is an address of either family with any TTL from every name server', async () => {
  const { servers, ask } = await proof(
    ({ packet }) => (packet.questions[0]?.type === 'A' ? old : empty),
    ({ packet }) => (packet.questions[0]?.type === 'AAAA' ? six : empty),
  );
  expect(await ask([], alias)).toBeNull();
  for (const { queries } of servers)
    expect(new Set(queries.map(({ packet }) => packet.questions[0]?.type))).toEqual(new Set(['A', 'AAAA']));
});

test('the proof of an ALIAS fails while one of them has none', async () => {
  const { ask } = await proof(
    () => old,
    () => empty,
  );
  expect(await ask([], alias)).toMatch(/ns2\.example\.net \(127\.0\.0\.1\) serves no address for it yet/);
});

describe('the proof by the reports of nodes', () => {
  const served = () => proof(() => right);
  const since = { behindSince: '2026-01-01T00:00:00.123Z' };

  test('the proof by the reports of nodes names the node that is behind, and since when it is', async () => {
    const { prove } = await served();
    const late = { ...CURRENT, node: 'ns2', current: false, ...since, behindSeconds: 12 };
    expect((await prove(apiWith([CURRENT, late]))).problem).toBe(
      'Not every name server serves the current data yet, and the operator keeps checking: node ns2 has not applied the last change yet (behind since 2026-01-01T00:00:00Z).',
    );
    expect((await prove(apiWith([{ ...late, behindSeconds: 2 }]))).problem).not.toContain('since');
  });

  test('the proof by the reports of nodes contains the error of a node', async () => {
    const { prove } = await served();
    const failing = { ...CURRENT, current: false, error: 'semantic check' };
    expect((await prove(apiWith([failing]))).problem).toContain(
      'node ns1 does not serve the zone as stored: semantic check.',
    );
  });

  test('the proof by the reports of nodes needs no node that is starting, and says that DNS alone decides if there is no other', async () => {
    const { prove } = await served();
    const starting: ZoneNode = { ...CURRENT, node: 'ns2', current: false, starting: true };
    expect(await prove(apiWith([CURRENT, starting]))).toEqual(expect.objectContaining({ problem: null, note: null }));
    for (const nodes of [[starting], []])
      expect(await prove(apiWith(nodes))).toEqual(expect.objectContaining({ problem: null, note: NO_NODE_REPORTS }));
  });

  test('the proof by the reports of nodes comes before the first query, which is too early without it', async () => {
    const asked = Promise.withResolvers<ZoneNode[]>();
    let isThere = false;
    // The time after which the query is sent anyway never comes.
    const clock: Clock = {
      ...realClock,
      setTimeout: (work, ms) => (ms >= 500 ? () => undefined : realClock.setTimeout(work, ms)),
    };
    const { servers, prove } = await proofWith(clock, [() => (isThere ? right : old)]);
    const api = apiWith(() => asked.promise);
    const proving = prove(api);
    await expect.poll(() => api.waits).toHaveLength(1);
    isThere = true;
    asked.resolve([CURRENT]);
    expect((await proving).problem).toBeNull();
    expect(servers[0]?.queries.map(({ transport }) => transport)).toEqual(['udp', 'tcp']);
  });

  test('the proof by the reports of nodes is not waited for without end: the name servers are queried, and again at once when the nodes have it', async () => {
    const asked = Promise.withResolvers<ZoneNode[]>();
    let isThere = false;
    const { servers, prove } = await proof(() => (isThere ? right : old));
    const proving = prove(apiWith(() => asked.promise));
    await expect.poll(() => servers[0]?.queries.length).toBeGreaterThan(4);
    isThere = true;
    asked.resolve([CURRENT]);
    expect((await proving).problem).toBeNull();
  });

  test('the proof by the reports of nodes fails while the api does not say it, and not with an api that has no such question', async () => {
    const { prove } = await served();
    const fails = (error: Error) => prove(apiWith(() => Promise.reject(error)));
    expect((await fails(new ApiUnavailable('away'))).problem).toContain('the api does not answer');
    const refused = (status: number, code: string) =>
      fails(new ApiError({ status, code, message: '', retryAfterMs: null, requestId: null }));
    expect((await refused(503, 'busy')).problem).toContain('(busy)');
    expect(await refused(404, 'not_found')).toEqual(expect.objectContaining({ problem: null, note: null }));
  });

  test('the proof by the reports of nodes is one question for all proofs of a zone that begin together, and another one for later proofs', async () => {
    const { prove } = await served();
    const first = Promise.withResolvers<void>();
    const api = apiWith(async () => {
      await first.promise;
      return [CURRENT];
    });
    const together = Array.from({ length: 10 }, () => prove(api));
    const other = prove(api, [], www, 'zone_2');
    await expect.poll(() => api.waits).toEqual([0.5, 0.5]);
    const later = prove(api);
    await expect.poll(() => api.waits.length).toBe(3);
    // A third question of the zone waits for one of the two.
    const last = prove(api);
    first.resolve();
    for (const { problem } of await Promise.all([...together, other, later, last])) expect(problem).toBeNull();
    expect(api.waits.length).toBe(4);
  });

  test('the proof by the reports of nodes lets a zone be for a node that has been behind for a moment only, if its caller is patient', async () => {
    const soa = {
      answers: [
        {
          name: 'example.org',
          type: 'SOA' as const,
          ttl: 300,
          data: { mname: 'ns1.x', rname: 'h.x', serial: 9, refresh: 1, retry: 2, expire: 3, minimum: 4 },
        },
      ],
    };
    const { propagation, names } = await proof(() => soa);
    const zone = {
      id: 'zone_1',
      zoneName: 'example.org',
      nameservers: names,
      serial: 7,
      namespace: 'default',
      readyWhen: 'AllNameservers' as const,
    };
    const late = { ...CURRENT, current: false, ...since, behindSeconds: 9 };
    const { client } = apiWith([late]);
    expect((await propagation.zoneServed(zone, 0, client, signal)).problem).toContain('node ns1');
    const patient = await propagation.zoneServed(zone, 10, client, signal);
    expect(patient.problem).toBeNull();
    expect(patient.servers[0]).toMatchObject({ serial: 9, node: null });
    const old = apiWith([{ ...late, behindSeconds: 10 }]);
    expect((await propagation.zoneServed(zone, 10, old.client, signal)).problem).toContain('node ns1');
  });
});

describe('the proof with secondaries', () => {
  const EU: ZoneSecondary = {
    name: 'eu',
    nameservers: ['NS2.example.net'],
    listedBy: 'owner',
    chosen: true,
    state: 'behind',
    since: '2026-01-01T00:00:30.500Z',
    reason: 'it has an older version of the zone',
  };
  const late = () =>
    proof(
      () => right,
      () => old,
    );

  test('the proof with secondaries waits for the names of secondaries with AllNameservers, and names the secondary', async () => {
    const { servers, prove } = await late();
    const address = servers[1]?.address;
    const words = async (secondary: Partial<ZoneSecondary> = {}) =>
      (await prove(apiWith([CURRENT], [{ ...EU, ...secondary }]))).problem;
    expect(await words()).toBe(
      `Not every name server serves the current data yet, and the operator keeps checking: ns2.example.net (${address}) does not serve it yet; secondary eu does not have the last change yet: it has an older version of the zone (behind since 2026-01-01T00:00:30Z).`,
    );
    // A moment later it may have the change: neither the cause nor the time is worth a new condition.
    expect(await words({ since: '2026-01-01T00:00:56Z' })).toMatch(
      /; secondary eu does not have the last change yet\.$/,
    );
    expect(await words({ state: 'unknown', reason: 'no report' })).toMatch(/secondary eu is not known: no report\.$/);
  });

  test('the proof with secondaries asks no name of a secondary with OwnNodes', async () => {
    const { servers, proveOwn } = await late();
    expect(await proveOwn(apiWith([CURRENT], [EU]))).toMatchObject({ problem: null, nameservers: ['ns1.example.net'] });
    expect(servers[1]?.queries).toEqual([]);
    expect((await proveOwn(apiWith([{ ...CURRENT, current: false }], [EU]))).problem).toContain('node ns1');
  });

  test('the proof with secondaries asks every name server with OwnNodes while the api names no secondaries', async () => {
    const { proveOwn } = await late();
    expect((await proveOwn(apiWith([CURRENT]))).problem).toContain('ns2.example.net');
    const away = apiWith(() => Promise.reject(new ApiUnavailable('away')), [EU]);
    expect((await proveOwn(away)).problem).toMatch(/ns2\.example\.net .* the api does not answer/);
  });

  test('the proof with secondaries is given by the reports of nodes alone if every name belongs to a secondary, and never without a report', async () => {
    const { servers, proveOwn } = await proof(() => old);
    const only = { ...EU, nameservers: ['ns1.example.net'] };
    expect(await proveOwn(apiWith([CURRENT], [only]))).toMatchObject({ problem: null, nameservers: [] });
    const starting: ZoneNode = { ...CURRENT, current: false, starting: true };
    for (const nodes of [[], [starting]]) expect((await proveOwn(apiWith(nodes, [only]))).problem).toContain(NO_PROOF);
    expect(servers[0]?.queries).toEqual([]);
  });

  test('the proof with secondaries does not wait for a hidden secondary', async () => {
    const { prove } = await proof(() => right);
    const hidden = { ...EU, nameservers: [] };
    expect((await prove(apiWith([CURRENT], [hidden]))).problem).toBeNull();
  });
});

// The proof by DNS with name servers that are right, late, wrong or silent.
import { afterEach, describe, expect, it } from 'vitest';
import { realClock } from '#base/clock.ts';
import { parseRdata } from '#dns/types/index.ts';
import { createPropagation, type ExpectedRecord } from '#operator/proof/propagation.ts';
import { type FakeNameServer, type Script, startNameServer } from '../../support/fake-nameserver.ts';

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

/** One script for each name server: ns1.example.net, ns2.example.net, … */
async function proof(...scripts: Script[]) {
  const servers = await Promise.all(scripts.map((script) => startNameServer(script)));
  open.push(...servers);
  const names = servers.map((_, index) => `ns${index + 1}.example.net`);
  const overrides = new Map(servers.map(({ address, port }, index) => [names[index] as string, { address, port }]));
  const nowhere = () => Promise.reject(new Error('ENOTFOUND'));
  const { recordServed } = createPropagation(overrides, realClock, { resolve4: nowhere, resolve6: nowhere });
  return {
    servers,
    ask: (also: string[] = [], what: ExpectedRecord = www) => recordServed([...names, ...also], what, signal),
  };
}

describe('the proof of a record', () => {
  it('queries every name server over UDP and over TCP', async () => {
    const { servers, ask } = await proof(
      () => right,
      () => right,
    );
    expect(await ask()).toBeNull();
    for (const { queries } of servers) expect(queries.map(({ transport }) => transport)).toEqual(['udp', 'tcp']);
  });

  it('queries again when a server serves the old answer for a moment', async () => {
    let answers = 0;
    const { ask } = await proof(() => {
      answers += 1;
      return answers < 3 ? old : right;
    });
    expect(await ask()).toBeNull();
  });

  it('names the server that does not serve it, with the same message each time', async () => {
    const { servers, ask } = await proof(
      () => right,
      () => old,
    );
    const address = servers[1]?.address;
    const words = `Not every name server serves the current data yet, and the operator keeps checking: ns2.example.net (${address}) does not serve it yet.`;
    expect(await ask()).toBe(words);
    expect(await ask()).toBe(words);
  });

  it('fails when a server answers over UDP only', async () => {
    const { ask } = await proof(({ transport }) => (transport === 'udp' ? right : old));
    expect(await ask()).toMatch(/ns1\.example\.net \(.*\) does not serve it yet/);
  });

  it('does not wait for a silent server more often than it must', async () => {
    const { servers, ask } = await proof(() => undefined);
    const since = performance.now();
    expect(await ask()).toMatch(/ns1\.example\.net \(.*\) does not answer over UDP/);
    expect(servers[0]?.queries).toHaveLength(2);
    expect(performance.now() - since).toBeLessThan(4_000);
  });

  it('fails while a name server has no address', async () => {
    const { ask } = await proof(() => right);
    expect(await ask(['ns9.example.invalid'])).toMatch(/^Not every .* ns9\.example\.invalid has no address\.$/);
  });
});

describe('the proof of an ALIAS', () => {
  const alias = { ...www, type: 'ALIAS' as const };
  const empty = { answers: [] };
  const six = { answers: [{ name: www.name, type: 'AAAA' as const, ttl: 30, data: '2001:db8::1' }] };

  it('is an address of either family with any TTL from every name server', async () => {
    const { servers, ask } = await proof(
      ({ packet }) => (packet.questions[0]?.type === 'A' ? old : empty),
      ({ packet }) => (packet.questions[0]?.type === 'AAAA' ? six : empty),
    );
    expect(await ask([], alias)).toBeNull();
    for (const { queries } of servers)
      expect(new Set(queries.map(({ packet }) => packet.questions[0]?.type))).toEqual(new Set(['A', 'AAAA']));
  });

  it('fails while one of them has none', async () => {
    const { ask } = await proof(
      () => old,
      () => empty,
    );
    expect(await ask([], alias)).toMatch(/ns2\.example\.net \(127\.0\.0\.1\) serves no address for it yet/);
  });
});

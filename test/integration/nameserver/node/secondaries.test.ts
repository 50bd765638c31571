// Two nodes with a real api and database, and Knot, BIND and NSD as their secondaries, each with the configuration that
// `zonestead admin secondaries config` prints.
import { randomBytes } from 'node:crypto';
import { beforeAll, expect, test, vi } from 'vitest';
import { catalogName } from '#dns/secondaries/catalog.ts';
import type { SecondaryKey } from '#dns/secondaries/secondary.ts';
import { isOfSlot } from '#dns/secondaries/serial.ts';
import { isSince } from '#nameserver/knot/version.ts';
import { adminMintNodeKey } from '#service/nodes/administration.ts';
import {
  adminChangeListedZones,
  adminListSecondaries,
  adminPutSecondary,
} from '#service/secondaries/administration.ts';
import { allocatePorts } from '../../../../deploy/local/parts/ports.ts';
import { createResolver, type Resolver } from '../../../support/dns/resolver.ts';
import { testKnot } from '../../../support/knot/knot.ts';
import { nodeProcess } from '../../../support/knot/node-process.ts';
import {
  type Kind,
  parseDigRecords,
  type RunningSecondary,
  serialAt,
  startRunning,
  transfer,
} from '../../../support/knot/secondaries.ts';
import { temporaryFolder } from '../../../support/runner/temporary.ts';
import { startTestService } from '../../../support/service/service.ts';

const KINDS = ['knot', 'bind', 'nsd'] as const;
/** Those that follow a catalog zone. */
const CATALOGS = ['knot', 'bind'] as const;
// The transfers take long on a busy machine.
vi.setConfig({ testTimeout: 600_000, hookTimeout: 600_000 });
const LIMIT = { timeout: 100_000, interval: 100 };

const [service, first, second] = await Promise.all([
  startTestService({ nameserver: false, warnings: ['secondaries', 'name server'] }),
  testKnot(),
  testKnot(undefined, undefined, { own: '127.0.0.2' }),
]);
const { url: database } = service.database;
const knots = [first, second];
const key = await adminMintNodeKey(database, 'nodes', {}, randomBytes, new Date());
const nodes = [
  await nodeProcess(service.url, key.text, 'ns1', first),
  await nodeProcess(service.url, key.text, 'ns2', second),
];
const own = await Promise.all(
  knots.map(async ({ port }) => createResolver({ address: '127.0.0.1', port }, await temporaryFolder('own'))),
);

const ports = await allocatePorts(
  KINDS.map((name) => ({ name, dns: true })),
  { stateDir: await temporaryFolder('secondaries') },
);
const keys = {} as Record<Kind, SecondaryKey>;
const running = {} as Record<Kind, RunningSecondary>;
const view = (kind: Kind, tsig = keys[kind], zones: readonly string[] | null = null) => ({
  primaries: knots.map(({ primary }) => primary),
  key: tsig,
  zones,
  catalog: catalogName(kind),
});
const add = async (kind: Kind, extra: Partial<Parameters<typeof adminPutSecondary>[1]> = {}) => {
  const input = { name: kind, addresses: [`127.0.0.1:${ports[kind]}`], ...extra };
  keys[kind] = (await adminPutSecondary(database, input, randomBytes, new Date())).key;
};
const answers = (kind: Kind, name: string, address: string) =>
  expect
    .poll(
      async () => (await running[kind].resolver.lookup(name, 'A')).answers.map((line) => line.split(' ').at(-1)),
      LIMIT,
    )
    .toEqual([address]);
/** As the owner of the zone sees it. */
const seenByOwner = async (kind: Kind) => {
  const { secondaries } = (await service.request('GET', `/zones/${zone.id}/secondaries`)).body as {
    secondaries: { name: string; state: string }[];
  };
  return secondaries.find(({ name }) => name === kind);
};
const stateOf = async (kind: Kind) => (await adminListSecondaries(database)).find(({ name }) => name === kind)?.report;
const secure = async (kind: Kind, zone: string, name: string, extra: object = {}) =>
  expect(await running[kind].resolver.delv(zone, name, 'A')).toMatchObject({ state: 'secure', ...extra });
const change = (content: string) =>
  service.request('PUT', `/zones/${zone.id}/records/${www}`, { name: 'www', type: 'A', content, ttl: 300 });
/**
 * RRsets with signatures, by one command. Each comes in one message (the SOA with `absent`), so a transfer cannot be
 * between them.
 */
const signed = async (resolver: Resolver) => {
  const apex = ['NS', 'DNSKEY'].flatMap((type) => [zone.zoneName, type, '+noall', '+answer']);
  // BIND adds the NS records to the authority section of an answer.
  const names = ['www', 'other'].flatMap((name) => [`${name}.${zone.zoneName}`, 'A', '+noall', '+answer']);
  const absent = [`absent.${zone.zoneName}`, 'A', '+noall', '+authority'];
  return parseDigRecords(await resolver.dig('+norec', '+dnssec', ...apex, ...names, ...absent));
};
/**
 * Waits until every RRset has exactly the signatures of one of these nodes, and those of RRsets are never of two nodes
 * meanwhile. Both nodes send from the same address, so a secondary cannot tell whose NOTIFY came, and may take the
 * whole zone from the standby.
 */
const servesSignaturesOf = async (kind: Kind, ...of: number[]) => {
  const mixed = new Set<string>();
  await vi.waitFor(async () => {
    const [found = [], ...wanted] = await Promise.all(
      [running[kind].resolver, ...of.map((node) => own[node]!)].map(signed),
    );
    const signatures = found.filter((line) => line.split(' ')[1] === 'RRSIG');
    const sets = signatures.map((line) => line.split(' ').slice(0, 3).join(' '));
    for (const set of sets)
      if (new Set(signatures.filter((line) => line.startsWith(`${set} `))).size > 1) mixed.add(set);
    expect(new Set(sets).size).toBe(6);
    expect(wanted).toContainEqual(found);
  }, LIMIT);
  expect([...mixed]).toEqual([]);
};
const everywhere = (check: (kind: Kind) => Promise<unknown>, kinds: readonly Kind[] = KINDS) =>
  Promise.all(kinds.map(check));

let zone: Awaited<ReturnType<typeof service.zone>>;
let www: string;

beforeAll(async () => {
  for (const node of nodes) await node.start();
  zone = await service.zone();
  www = (await service.record(zone, 'www', 'A', '192.0.2.1')).id;
  await service.record(zone, 'other', 'A', '192.0.2.99');
  await add('knot', { zones: 'all', nameservers: ['ns.knot.test'] });
  await add('bind', { zones: 'all' });
  await add('nsd', { zones: [zone.zoneName], nameservers: ['ns.nsd.test'] });
  await everywhere(async (kind) => {
    running[kind] = await startRunning(
      kind,
      ports[kind],
      view(kind, keys[kind], kind === 'nsd' ? [zone.zoneName] : null),
    );
  });
});

test('secondaries have a zone with the signatures of the source, and are reported as current', async () => {
  await everywhere(async (kind) => {
    await answers(kind, `www.${zone.zoneName}`, '192.0.2.1');
    await secure(kind, zone.zoneName, `www.${zone.zoneName}`);
    await secure(kind, zone.zoneName, `absent.${zone.zoneName}`, { negative: 'nxdomain' });
    const state = { node: 'ns1', silent: null, behind: [], zones: 1, current: 1 };
    await expect.poll(() => stateOf(kind), LIMIT).toMatchObject(state);
  });
  // The zone of NSD was listed a moment ago.
  for (const kind of KINDS) await expect.poll(() => seenByOwner(kind), LIMIT).toMatchObject({ state: 'current' });
  expect(await service.sql`select secondary from secondary_reports where position is null`).toEqual([]);
  await expect.poll(() => nodes[0]!.metric('node_transfer_role{role="source"}'), LIMIT).toBe(1);
  await expect.poll(() => nodes[1]!.metric('node_transfer_role{role="standby"}'), LIMIT).toBe(1);
});

test('secondaries add their names to the NS records', async () => {
  const shown = (await service.request('GET', `/zones/${zone.id}`)).body as { nameservers: string[] };
  expect(shown.nameservers).toEqual(expect.arrayContaining(['ns.knot.test', 'ns.nsd.test']));
  await everywhere(async (kind) => {
    const found = async () =>
      (await running[kind].resolver.lookup(zone.zoneName, 'NS')).answers.map((line) => line.split(' ').at(-1)).sort();
    await expect.poll(found, LIMIT).toEqual([...shown.nameservers].sort());
  });
});

test('a change reaches each secondary by IXFR', async () => {
  await change('192.0.2.2');
  await everywhere((kind) => answers(kind, `www.${zone.zoneName}`, '192.0.2.2'));
  await expect.poll(() => running.knot.log(), LIMIT).toMatch(/IXFR, incoming,.* finished,.* [0-9.]+ (seconds|s|B|ms)/);
  await everywhere((kind) => servesSignaturesOf(kind, 0));
});

test('a change that adds or removes a zone reaches the catalogs, and a list decides who may transfer it', async () => {
  const other = await service.zone();
  await service.record(other, 'www', 'A', '192.0.2.7');
  await everywhere((kind) => answers(kind, `www.${other.zoneName}`, '192.0.2.7'), CATALOGS);
  const nsd = `hmac-sha256:${keys.nsd.name}:${keys.nsd.secret}`;
  expect(await transfer(first.port, other.zoneName, { key: nsd })).toContain('Transfer failed');
  await adminChangeListedZones(database, 'nsd', { add: [other.zoneName], remove: [] }, new Date());
  await expect.poll(() => transfer(first.port, other.zoneName, { key: nsd }), LIMIT).toContain('192.0.2.7');
  await expect
    .poll(async () => (await running.knot.resolver.lookup(other.zoneName, 'NS')).answers.join(), LIMIT)
    .toContain('ns.nsd.test');
  // NSD's own configuration does not have the zone, which its report says.
  await expect
    .poll(async () => (await stateOf('nsd'))?.behind, LIMIT)
    .toMatchObject([{ zone: other.id, state: 'absent', reason: 'answers REFUSED' }]);
  await adminChangeListedZones(database, 'nsd', { add: [], remove: [other.zoneName] }, new Date());
  await expect.poll(async () => (await stateOf('nsd'))?.behind, LIMIT).toEqual([]);
  await service.request('DELETE', `/zones/${other.id}`);
  const rcode = async (kind: Kind) => (await running[kind].resolver.lookup(other.zoneName, 'SOA')).rcode;
  await everywhere((kind) => expect.poll(() => rcode(kind), LIMIT).toBe('REFUSED'), CATALOGS);
  const again = await service.request('POST', '/zones', { zoneName: other.zoneName, owner: other.owner });
  await service.record(again.body as { id: string }, 'new', 'A', '192.0.2.8');
  await everywhere(async (kind) => {
    await answers(kind, `new.${other.zoneName}`, '192.0.2.8');
    await secure(kind, other.zoneName, `new.${other.zoneName}`);
  }, CATALOGS);
  await service.request('DELETE', `/zones/${again.body.id}`);
});

test.each([
  ['without a key', undefined, undefined],
  ['with a wrong secret', () => `hmac-sha256:${keys.knot.name}:${randomBytes(32).toString('base64')}`, undefined],
  ['from a foreign address', () => `hmac-sha256:${keys.knot.name}:${keys.knot.secret}`, '127.0.0.9'],
])('a transfer is refused %s', async (_, tsig, from) => {
  const options = { ...(tsig ? { key: tsig() } : {}), ...(from ? { from } : {}) };
  expect(await transfer(first.port, zone.zoneName, options)).toContain('Transfer failed');
});

test('a transfer is refused to a secondary with a wrong key, which is reported, until it has the right one', async () => {
  const before = keys.knot;
  await add('knot', {
    zones: 'all',
    nameservers: ['ns.knot.test'],
    tsig: { secret: randomBytes(32).toString('base64') },
  });
  const old = `hmac-sha256:${before.name}:${before.secret}`;
  for (const { port } of knots)
    await expect.poll(() => transfer(port, zone.zoneName, { key: old }), LIMIT).toContain('Transfer failed');
  await change('192.0.2.3');
  await expect
    .poll(async () => (await stateOf('knot'))?.behind, LIMIT)
    .toMatchObject([{ zone: zone.id, state: 'behind' }]);
  await expect
    .poll(() => seenByOwner('knot'), LIMIT)
    .toMatchObject({ state: 'behind', serial: expect.any(Number), since: expect.any(String) });
  await answers('bind', `www.${zone.zoneName}`, '192.0.2.3');
  expect((await running.knot.resolver.lookup(`www.${zone.zoneName}`, 'A')).answers).toEqual([
    expect.stringContaining('192.0.2.2'),
  ]);
  await add('knot', { zones: 'all', nameservers: ['ns.knot.test'], tsig: { secret: before.secret } });
  await answers('knot', `www.${zone.zoneName}`, '192.0.2.3');
  await expect.poll(async () => (await stateOf('knot'))?.behind, LIMIT).toEqual([]);
});

test('a secondary that is down is reported, does not delay others, and follows when it is back', async () => {
  await running.knot.stop();
  await change('192.0.2.4');
  await answers('bind', `www.${zone.zoneName}`, '192.0.2.4');
  await expect.poll(async () => (await stateOf('knot'))?.silent, LIMIT).toContain('does not answer over UDP');
  await expect.poll(() => seenByOwner('knot'), LIMIT).toMatchObject({ state: 'silent', since: expect.any(String) });
  const reachable = (kind: Kind) => nodes[0]!.metric(`node_secondary_reachable{secondary="${kind}"}`);
  await expect.poll(() => reachable('knot'), LIMIT).toBe(0);
  await expect.poll(() => reachable('bind'), LIMIT).toBe(1);
  await running.knot.start();
  await answers('knot', `www.${zone.zoneName}`, '192.0.2.4');
  await expect.poll(async () => await stateOf('knot'), LIMIT).toMatchObject({ silent: null, current: 1, behind: [] });
});

test('a source that is killed is followed by the next node, whose changes reach the secondaries, without signatures of both', async () => {
  for (const kind of KINDS) expect(isOfSlot((await serialAt(ports[kind], zone.zoneName))!, 0)).toBe(true);
  await Promise.all([nodes[0]!.stop('SIGKILL'), first.part.stop({ signal: 'SIGKILL' })]);
  // As if 30 s had passed.
  await service.sql`update nodes set reported_at = reported_at - interval '31 s' where name = 'ns1'`;
  await change('192.0.2.5');
  await everywhere(async (kind) => {
    await answers(kind, `www.${zone.zoneName}`, '192.0.2.5');
    await expect.poll(async () => isOfSlot((await serialAt(ports[kind], zone.zoneName))!, 1), LIMIT).toBe(true);
    await servesSignaturesOf(kind, 1);
    await secure(kind, zone.zoneName, `www.${zone.zoneName}`);
    await secure(kind, zone.zoneName, `other.${zone.zoneName}`);
  });
  await expect.poll(() => nodes[1]!.metric('node_transfer_role{role="source"}'), LIMIT).toBe(1);
  await change('192.0.2.6');
  await everywhere(async (kind) => {
    await answers(kind, `www.${zone.zoneName}`, '192.0.2.6');
    await servesSignaturesOf(kind, 1);
  });
});

test('a source that is killed is a standby when it returns, and secondaries have the signatures of one node alone', async () => {
  await first.restart('SIGKILL');
  await nodes[0]!.start();
  await expect.poll(() => nodes[0]!.metric('node_transfer_role{role="standby"}'), LIMIT).toBe(1);
  await change('192.0.2.7');
  // Both nodes send from 127.0.0.1, and Knot 3.4 asks only the standby there after a NOTIFY of the source.
  const isAskedOnly = isSince(first.version, '3.4');
  await everywhere(
    async (kind) => {
      await answers(kind, `www.${zone.zoneName}`, '192.0.2.7');
      await servesSignaturesOf(kind, 0, 1);
    },
    isAskedOnly ? ['bind', 'nsd'] : KINDS,
  );
});

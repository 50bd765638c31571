// An edge: a plain knotd that `zonestead edge-conf` configures and starts, and that follows a node by catalog.
import { join } from 'node:path';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { readConfig } from '#config.ts';
import { catalogName } from '#dns/secondaries/catalog.ts';
import { checkedSecondaries } from '#dns/secondaries/secondary.ts';
import { slottedSerial } from '#dns/secondaries/serial.ts';
import { checkEdge, checkZones } from '#nameserver/edge/edge.ts';
import { writeCatalog } from '#nameserver/knot/catalog.ts';
import { ask } from '#nameserver/probe/probe.ts';
import { EDGE_SETTINGS } from '#nameserver/settings.ts';
import { allocatePorts } from '../../../../deploy/local/parts/ports.ts';
import { type Part, startReady } from '../../../../deploy/local/parts/process.ts';
import { createResolver, type Resolver } from '../../../support/dns/resolver.ts';
import { type Source, serialAt, startSource } from '../../../support/knot/secondaries.ts';
import { temporaryFolder } from '../../../support/runner/temporary.ts';

const { signal } = new AbortController();
const LIMIT = { timeout: 60_000, interval: 20 };
const MAIN = inject('program');
const secret = (letter: string) => Buffer.alloc(32, letter).toString('base64');

let source: Source;
let port: number;
let folder: string;
let resolver: Resolver;
let part: Part;
let key = secret('a');
const printed: string[] = [];
const zones = new Map<string, string>();
let clock = 1_800_000_000;

const environment = (change: Record<string, string> = {}) => ({
  PATH: process.env.PATH ?? '',
  ZONESTEAD_EDGE_PRIMARIES: `localhost:${source.port}`,
  ZONESTEAD_EDGE_TSIG_SECRET: key,
  ZONESTEAD_NODE_NAME: 'edge-0',
  ZONESTEAD_KNOT_FOLDER: folder,
  ZONESTEAD_KNOT_LISTEN: '127.0.0.1',
  ZONESTEAD_KNOT_PORT: String(port),
  ZONESTEAD_KNOT_DISK: '128Mi',
  ZONESTEAD_KNOTD: inject('knot').knotd,
  ...change,
});
const settings = (change?: Record<string, string>) => readConfig(EDGE_SETTINGS, environment(change));
const zonesHeld = (change?: Record<string, string>) =>
  checkZones(settings(change), (line) => printed.push(line), signal);

async function start(): Promise<void> {
  part = await startReady(
    {
      name: 'edge',
      command: process.execPath,
      args: [MAIN, 'edge-conf', '--start'],
      env: environment(),
      logFile: join(folder, '..', 'edge.log'),
    },
    async (limit) => {
      await ask({ address: '127.0.0.1', port }, { name: 'up.invalid', type: 'SOA' }, { timeoutMs: 500, signal: limit });
      return true;
    },
    { what: 'the edge', timeoutMs: 60_000, intervalMs: 30, signal },
  );
}

/** The source, as the api would have it. */
async function settle(notify = true): Promise<void> {
  const secondaries = checkedSecondaries([
    {
      name: 'edge',
      addresses: [{ address: '127.0.0.1', port }],
      transfersFrom: ['127.0.0.0/8'],
      key: { name: 'edge.zonestead', algorithm: 'hmac-sha256', secret: key },
      zones: 'all',
      catalog: true,
      notify,
    },
  ]);
  await source.configure({ secondaries, zones: [...zones.keys()], role: 'source' });
  const members = [...zones].map(([name, id]) => ({ name, id }));
  await writeCatalog(
    source.control,
    { secondary: 'edge', members, serial: { least: clock, slot: 0, source: true } },
    signal,
  );
}

async function add(zone: string): Promise<void> {
  clock += 10;
  await source.add(zone, slottedSerial({ least: clock, current: null, slot: 0, source: true }));
  zones.set(zone, `id-${zone}`);
  await settle();
}

const change = (zone: string, address: string) => {
  clock += 10;
  return source.change(zone, slottedSerial({ least: clock, current: null, slot: 0, source: true }), 'www', address);
};
const answers = (zone: string, address: string) =>
  expect
    .poll(async () => (await resolver.lookup(`www.${zone}`, 'A')).answers, LIMIT)
    .toEqual([`www.${zone} 60 A ${address}`]);

beforeAll(async () => {
  const stateDir = await temporaryFolder('edge');
  folder = join(stateDir, 'knot');
  ({ edge: port } = await allocatePorts([{ name: 'edge', dns: true }], { stateDir }));
  source = await startSource();
  resolver = createResolver({ address: '127.0.0.1', port }, stateDir);
  await start();
  afterAll(() => part.stop());
});

test('an edge is not ready before it has the catalog', async () => {
  await expect(zonesHeld({ ZONESTEAD_EDGE_WAIT_SECONDS: '0' })).rejects.toThrow(
    'the catalog edge.catalog.zonestead.invalid was not transferred yet',
  );
});

test('an edge becomes ready without NOTIFY soon after a node knows it', async () => {
  await settle(false);
  await expect.poll(() => zonesHeld().then(() => printed.at(-1)), LIMIT).toBe('0 zones');
});

test('an edge serves the zones of the node with their signatures, by its own name', async () => {
  await add('a.test');
  await answers('a.test', '192.0.2.1');
  await expect.poll(() => zonesHeld().then(() => printed.at(-1)), LIMIT).toBe('1 zones');
  const output = await resolver.dig('+nsid', '+dnssec', 'www.a.test', 'A');
  expect(output).toContain('RRSIG');
  expect(output).toContain('("edge-0")');
  expect(await resolver.delv('a.test', 'absent.a.test', 'A')).toMatchObject({
    state: 'secure',
    negative: 'nxdomain',
  });
});

test('the metrics of an edge have the counters and memory of its knotd, its zones and their expiry, without its key', async () => {
  const { metrics: healthPort } = await allocatePorts([{ name: 'metrics' }], { stateDir: join(folder, '..') });
  const readMetrics = async () => (await fetch(`http://127.0.0.1:${healthPort}/metrics`, { signal })).text();
  const server = await startReady(
    {
      name: 'edge-metrics',
      command: process.execPath,
      args: [MAIN, 'edge-metrics'],
      env: {
        PATH: process.env.PATH ?? '',
        ZONESTEAD_KNOT_FOLDER: folder,
        ZONESTEAD_HEALTH_LISTEN: `127.0.0.1:${healthPort}`,
      },
      logFile: join(folder, '..', 'edge-metrics.log'),
    },
    async () => /^zonestead_edge_zone_expires_seconds \d/m.test(await readMetrics()),
    { what: 'the metrics', timeoutMs: 60_000, intervalMs: 100, signal },
  );
  try {
    await resolver.lookup('www.a.test', 'MX');
    await expect.poll(readMetrics, LIMIT).toMatch(/^zonestead_dns_query_types_total\{type="MX"\} [1-9]/m);
    const text = await readMetrics();
    const value = (series: string) =>
      Number(
        text
          .split('\n')
          .find((line) => line.startsWith(`zonestead_${series} `))
          ?.split(' ')
          .at(-1),
      );
    expect([value('dns_up'), value('dns_zones'), value('edge_zones_missing')]).toEqual([1, 2, 0]);
    expect(value('dns_nodata_total{type="other"}')).toBeGreaterThan(0);
    expect(value('dns_memory_bytes')).toBeGreaterThan(1_000_000);
    expect(value('node_volume_free_bytes')).toBeGreaterThan(0);
    // The zones of this source have 14 days.
    expect(value('edge_zone_expires_seconds')).toBeGreaterThan(13 * 86_400);
    expect(value('edge_zone_expires_seconds')).toBeLessThanOrEqual(14 * 86_400);
    expect(text).toMatch(/^zonestead_build_info\{component="edge"/m);
  } finally {
    await server.stop();
  }
});

test('an edge does not show its catalog', async () => {
  for (const [name, type] of [
    [catalogName('edge'), 'SOA'],
    [`version.${catalogName('edge')}`, 'TXT'],
  ] as const) {
    expect(await resolver.dig(name, type)).toMatch(/status: (REFUSED|NOTAUTH)/);
  }
  expect(await resolver.dig('+tcp', catalogName('edge'), 'AXFR')).toContain('Transfer failed');
});

test('an edge is not ready while it lacks a zone of the catalog, unless it has waited for long enough', async () => {
  zones.set('empty.test', 'id-empty');
  clock += 10;
  await settle();
  await expect
    .poll(() => zonesHeld().catch(String), LIMIT)
    .toContain('1 zones were not transferred yet, for instance empty.test.');
  await expect(zonesHeld({ ZONESTEAD_EDGE_WAIT_SECONDS: '0' })).resolves.toBeUndefined();
  zones.delete('empty.test');
  clock += 10;
  await settle();
  await expect.poll(() => zonesHeld().then(() => printed.at(-1)), LIMIT).toBe('1 zones');
});

test('an edge takes a new key without a restart', async () => {
  key = secret('b');
  await settle();
  await checkEdge(settings(), (line) => printed.push(line), signal);
  expect(printed.at(-1)).toBe('the configuration was reloaded');
  await change('a.test', '192.0.2.2');
  await answers('a.test', '192.0.2.2');
  await checkEdge(settings(), (line) => printed.push(line), signal);
  expect(printed.filter((line) => line === 'the configuration was reloaded').length).toBe(1);
});

test('an edge answers after a restart without its nodes, and follows when they are back', async () => {
  await source.part.stop({ signal: 'SIGKILL' });
  await part.stop({ signal: 'SIGKILL' });
  await start();
  await answers('a.test', '192.0.2.2');
  await expect.poll(() => zonesHeld().then(() => 'held', String)).toBe('held');
  await source.restart('SIGKILL');
  await expect.poll(() => serialAt(source.port, 'a.test'), LIMIT).not.toBe(null);
  await change('a.test', '192.0.2.3');
  await answers('a.test', '192.0.2.3');
});

test('an edge fails its check when knotd does not answer', async () => {
  await part.stop({ signal: 'SIGKILL' });
  await expect(checkEdge(settings(), () => {}, signal)).rejects.toThrow('does not answer over UDP');
});

// Secondaries that answer wrongly or not at all: the source says how each differs, and the others are watched as
// before.
import { Writable } from 'node:stream';
import { afterAll, expect, test, vi } from 'vitest';
import { realClock } from '#base/clock.ts';
import type { TransferPlan, TransferReport } from '#contract/feed.ts';
import { Secondaries } from '#nameserver/node/secondaries.ts';
import { emptyRow } from '#nameserver/node/state.ts';
import { createTransferMetrics } from '#nameserver/node/transfer-metrics.ts';
import { createLogger } from '#telemetry/log.ts';
import { createMetrics } from '#telemetry/metrics.ts';
import { type Reply, type Script, startNameServer } from '../../../support/dns/fake-nameserver.ts';

const ZONE = 'a.test';
const OWN = 100;
const stop = new AbortController();
const soa = (serial: number, name = ZONE): Reply => ({
  answers: [
    {
      ...{ name, type: 'SOA', ttl: 60 },
      data: { mname: 'ns.test', rname: 'h.test', serial, refresh: 1, retry: 1, expire: 1, minimum: 1 },
    },
  ],
});

let served = OWN;
const scripts: Record<string, Script> = {
  honest: () => soa(served),
  later: () => soa(OWN + 5),
  earlier: () => soa(OWN),
  'another-zone': () => soa(served, 'b.test'),
  'another-question': () => ({ ...soa(served), question: 'b.test' }),
  'wrong-id': () => ({ ...soa(served), idOffset: 1 }),
  refused: () => ({ rcode: 5 }),
  failing: () => ({ rcode: 2 }),
  empty: () => ({}),
  truncated: () => ({ ...soa(served), cutAt: 30 }),
  silent: () => undefined,
};

const servers = await Promise.all(
  Object.entries(scripts).map(async ([name, script]) => ({ name, server: await startNameServer(script) })),
);
afterAll(async () => {
  stop.abort();
  await Promise.all(servers.map(({ server }) => server.close()));
});

test('each lying secondary is in the metrics and in the report with its difference, and an honest one is current', async () => {
  const rows = new Map([[ZONE, { ...emptyRow(ZONE, 'zid'), engineSerial: OWN }]]);
  const key = { name: 'k', algorithm: 'hmac-sha256' as const, secret: 'AAAAAAAAAAAAAAAAAAAAAA==' };
  const plan: TransferPlan = {
    ...{ version: '1', role: 'source', slot: 0, generation: 1 },
    secondaries: servers.map(({ name, server: { address, port } }) => ({
      ...{ name, key, zones: 'all' as const, catalog: false, notify: true, requireTls: false, pins: [] },
      ...{ addresses: [{ address, port }], transfersFrom: [address] },
    })),
  };
  const reports: TransferReport[] = [];
  const ahead: string[] = [];
  const late = new Set<string>();
  const log: string[] = [];
  const destination = new Writable({
    write: (line, _, done) => {
      log.push(String(line));
      done();
    },
  });
  const watch = new Secondaries({
    node: 'ns1',
    api: { reportTransfers: async (report) => void reports.push(report) },
    state: {
      rows: () => rows,
      facts: () => ({ cursor: '1:1', epoch: null, compare: null, transfers: null, endings: null }),
    },
    clock: realClock,
    date: () => new Date(),
    log: createLogger({ name: 'test', level: 'debug', destination }),
    onAhead: (zone, serial) => ahead.push(`${zone} ${serial}`),
    onLate: (zone) => late.add(zone),
    onFollowed: () => undefined,
    onQuiet: () => undefined,
  });
  const metrics = createMetrics({ processMetrics: false });
  createTransferMetrics(
    metrics,
    () => 'source',
    () => watch.facts(),
  );
  watch.follow(plan, stop.signal);
  void watch.run(stop.signal);
  const states = () =>
    Object.fromEntries(
      watch.facts().map(({ name, current, lags: [lag], silent }) => {
        if (silent !== null) return [name, silent.replace(/^\S+ /, '')];
        if (lag === undefined) return [name, current === 1 ? 'current' : 'unknown'];
        return [name, 'reason' in lag ? lag.reason : `${lag.state} ${lag.serial}`];
      }),
    );
  const limit = { timeout: 60_000, interval: 50 };
  const silence = 'does not answer over UDP';
  const lasting = {
    'another-zone': 'answers without a SOA record',
    'another-question': silence,
    'wrong-id': silence,
    refused: 'answers REFUSED',
    failing: 'answers SERVFAIL',
    empty: 'answers without a SOA record',
    truncated: silence,
    silent: silence,
  };
  await vi.waitFor(
    () => expect(states()).toEqual({ honest: 'current', earlier: 'current', later: 'ahead 105', ...lasting }),
    limit,
  );
  // A change, which one of them answers with its earlier serial.
  served = OWN + 1;
  rows.set(ZONE, { ...rows.get(ZONE)!, engineSerial: served });
  watch.follow(plan, stop.signal);
  await vi.waitFor(
    () => expect(states()).toEqual({ honest: 'current', earlier: 'behind 100', later: 'ahead 105', ...lasting }),
    limit,
  );
  await vi.waitFor(() => expect([[...new Set(ahead)], [...late]]).toEqual([[`${ZONE} 105`], [ZONE]]), limit);
  const wanted = [
    'secondary_zones{secondary="honest",state="current"} 1',
    'secondary_behind_seconds{secondary="honest"} 0',
    'secondary_reachable{secondary="honest"} 1',
    'secondary_zones{secondary="later",state="ahead"} 1',
    'secondary_zones{secondary="earlier",state="behind"} 1',
    'secondary_zones{secondary="another-zone",state="absent"} 1',
    'secondary_reachable{secondary="refused"} 1',
    'secondary_reachable{secondary="silent"} 0',
  ];
  await vi.waitFor(async () => {
    const shown = await metrics.registry.metrics();
    for (const line of wanted) expect(shown).toContain(`zonestead_node_${line}\n`);
  }, limit);
  const count = reports.length;
  await vi.waitFor(() => expect(reports.length).toBeGreaterThan(count), limit);
  await vi.waitFor(() => {
    const told = new Map(reports.at(-1)!.secondaries.map((each) => [each.name, each]));
    expect(told.get('honest')).toMatchObject({ zones: 1, current: 1, behind: [] });
    expect(told.get('earlier')).toMatchObject({ current: 0, behind: [{ zone: 'zid', state: 'behind', serial: 100 }] });
    expect(told.get('later')).toMatchObject({ behind: [{ state: 'ahead', serial: 105 }] });
    expect(told.get('refused')).toMatchObject({ behind: [{ state: 'absent', reason: 'answers REFUSED' }] });
    expect(told.get('silent')?.silent).toMatch(/^127\.0\.0\.1:\d+ does not answer over UDP$/);
  }, limit);
});

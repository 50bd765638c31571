// The number of records that can be created per second, at our REST API and at the HTTP API of a stock PowerDNS with
// signed zones on the same Postgres: `node test/bench/writes-vs-powerdns.ts [CASE]`. Both sides take turns in one run,
// each turn with new zones, and afterwards every zone is listed: every acknowledged record must exist once.
import { type Call, caller, createAgent, insist } from './calls.ts';
import { ourSide } from './our-side.ts';
import { startStockBeside } from './stock-powerdns.ts';
import { type Bench, numberedAddress, runBench, startBenchService } from './support.ts';
import { type Case, compareWrites, countNames, type Side } from './writes.ts';

const LIMIT_MS = 20 * 60_000;

const CASES: readonly Case[] = [
  { what: '1 zone, 16 writers', zones: 1, writersPerZone: 16, before: 0 },
  { what: '16 zones, 1 writer each', zones: 16, writersPerZone: 1, before: 0 },
  { what: '1 zone, 1 writer', zones: 1, writersPerZone: 1, before: 0 },
  { what: '1 zone of 2000 records, 8 writers', zones: 1, writersPerZone: 8, before: 2000 },
];

function stockSide(call: Call): Side {
  const rrset = (zone: string, name: string, content: string) => ({
    name: `${name}.${zone}`,
    type: 'A',
    ttl: 300,
    changetype: 'REPLACE',
    records: [{ content, disabled: false }],
  });
  return {
    name: 'PowerDNS API',
    createZone: async (zoneName) => {
      const body = { name: `${zoneName}.`, kind: 'Native', nameservers: ['ns1.zonestead.test.'], dnssec: true };
      return JSON.parse(await insist(call('POST', '/zones', body))).id;
    },
    create: async (zone, name, content) =>
      (await call('PATCH', `/zones/${zone}`, { rrsets: [rrset(zone, name, content)] })).status,
    fill: async (zone, count) => {
      const rrsets = Array.from({ length: count }, (_, n) => rrset(zone, `old${n}`, numberedAddress(n)));
      await insist(call('PATCH', `/zones/${zone}`, { rrsets }));
    },
    list: async (zone) => {
      const { rrsets } = JSON.parse(await insist(call('GET', `/zones/${zone}`)));
      const addresses = (rrsets as { name: string; type: string; records: unknown[] }[]).filter(
        ({ type }) => type === 'A',
      );
      return countNames(addresses.flatMap(({ name, records }) => records.map(() => name.slice(0, -zone.length - 1))));
    },
  };
}

async function run(bench: Bench): Promise<void> {
  const service = await startBenchService(bench);
  const stock = await startStockBeside(bench, service.databaseUrl);
  const agent = createAgent(bench);
  const { key, team } = service.keys.first;
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const sides = [
    ourSide(caller(agent, service.url, headers), `org:${team}`),
    stockSide(caller(agent, stock.url, stock.headers)),
  ];
  const only = process.argv[2];
  const cases = CASES.filter(({ what }) => only === undefined || what.includes(only));
  await compareWrites(sides, cases, bench);
}

await runBench('Record writes: our REST API and the API of a stock PowerDNS', LIMIT_MS, run);

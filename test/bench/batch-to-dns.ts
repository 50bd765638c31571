// 1,000 new records until the name server answers every one of them: by one batch at our REST API, and by calls of 100
// RRsets each at the HTTP API of a stock PowerDNS: `node test/bench/batch-to-dns.ts`. Both sides take turns in one run.
import type { ProbeEndpoint } from '#nameserver/probe/probe.ts';
import { allAnswered } from './all-answered.ts';
import { caller, createAgent, insist } from './calls.ts';
import { startStockBeside } from './stock-powerdns.ts';
import { type Bench, numberedAddress, printSummaries, runBench, startBenchService } from './support.ts';

const LIMIT_MS = 10 * 60_000;
const ROUNDS = 10;
const RECORDS = 1_000;
const RRSETS_A_CALL = 100;

interface Side {
  name: string;
  dns: ProbeEndpoint;
  createZone(name: string): Promise<string>;
  write(zoneId: string, zoneName: string): Promise<void>;
}

const numbers = Array.from({ length: RECORDS }, (_, n) => n);

async function run(bench: Bench): Promise<void> {
  const service = await startBenchService(bench);
  const stock = await startStockBeside(bench, service.databaseUrl);
  const agent = createAgent(bench);
  const { key, team } = service.keys.first;
  const ours = caller(agent, service.url, { authorization: `Bearer ${key}`, 'content-type': 'application/json' });
  const theirs = caller(agent, stock.url, stock.headers);
  const sides: Side[] = [
    {
      name: 'Zonestead, one batch',
      dns: service.dns,
      createZone: async (zoneName) =>
        JSON.parse(await insist(ours('POST', '/v1/dns/zones', { zoneName, owner: `org:${team}` }))).id,
      write: async (zone) => {
        const changes = numbers.map((n) => ({
          action: 'create',
          record: { name: `n${n}`, type: 'A', content: numberedAddress(n), ttl: 300 },
        }));
        await insist(ours('POST', `/v1/dns/zones/${zone}/records:batch`, { changes }));
      },
    },
    {
      name: `PowerDNS API, ${RRSETS_A_CALL} RRsets a call`,
      dns: stock.dns,
      createZone: async (zoneName) => {
        const body = { name: `${zoneName}.`, kind: 'Native', nameservers: ['ns1.zonestead.test.'], dnssec: true };
        return JSON.parse(await insist(theirs('POST', '/zones', body))).id;
      },
      write: async (zone, zoneName) => {
        for (let from = 0; from < RECORDS; from += RRSETS_A_CALL) {
          const rrsets = numbers.slice(from, from + RRSETS_A_CALL).map((n) => ({
            name: `n${n}.${zoneName}.`,
            type: 'A',
            ttl: 300,
            changetype: 'REPLACE',
            records: [{ content: numberedAddress(n), disabled: false }],
          }));
          await insist(theirs('PATCH', `/zones/${zone}`, { rrsets }));
        }
      },
    },
  ];
  const times: Record<string, number[]> = {};
  for (let round = -1; round < ROUNDS; round++) {
    for (const [at, side] of sides.entries()) {
      const zoneName = `round${round + 1}-side${at}.example`;
      const zoneId = await side.createZone(zoneName);
      const start = performance.now();
      await side.write(zoneId, zoneName);
      const written = performance.now();
      await allAnswered(side.dns, zoneName, numbers, (n, all) => all.includes(numberedAddress(n)), bench.signal);
      const answered = performance.now();
      // The first round warms both.
      if (round < 0) continue;
      const spent = {
        'until written': written - start,
        'from then until all are answered': answered - written,
        'all of it': answered - start,
      };
      for (const [what, ms] of Object.entries(spent)) {
        const row = `${side.name}: ${what}`;
        times[row] = [...(times[row] ?? []), ms];
      }
    }
  }
  printSummaries(times);
}

await runBench('1,000 records written → all of them answered', LIMIT_MS, run);

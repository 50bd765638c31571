// A PATCH of one RRset at our PowerDNS API, next to the same write at our REST API: `node test/bench/powerdns-api.ts`.
// One writer takes turns in one run, so that both sides meet the same load of the machine. The result is the ratio of
// the medians.
import { printBar } from './bars.ts';
import { caller, createAgent, insist } from './calls.ts';
import { figure, quantile } from './statistics.ts';
import { type Bench, numberedAddress, print, printSummaries, runBench, startBenchService } from './support.ts';

const ROUNDS = 400;
const WARM_UP = 100;
const LIMIT_MS = 5 * 60_000;
const MAX = 1.3;
const ZONE = 'powerdns-api.example';

async function run(bench: Bench): Promise<void> {
  const service = await startBenchService(bench);
  const agent = createAgent(bench);
  const { key, team } = service.keys.first;
  const rest = caller(agent, service.url, { authorization: `Bearer ${key}`, 'content-type': 'application/json' });
  const powerDns = caller(agent, service.url, { 'x-api-key': key, 'content-type': 'application/json' });
  const zone = JSON.parse(await insist(rest('POST', '/v1/dns/zones', { zoneName: ZONE, owner: `org:${team}` })));
  const sides = {
    REST: (n: number) =>
      rest('POST', `/v1/dns/zones/${zone.id}/records`, {
        name: `rest${n}`,
        type: 'A',
        content: numberedAddress(n),
        ttl: 300,
      }),
    'PowerDNS API': (n: number) =>
      powerDns('PATCH', `/api/v1/servers/localhost/zones/${ZONE}.`, {
        rrsets: [
          {
            name: `patch${n}.${ZONE}.`,
            type: 'A',
            ttl: 300,
            changetype: 'REPLACE',
            records: [{ content: numberedAddress(n), disabled: false }],
          },
        ],
      }),
  };
  const samples: Record<keyof typeof sides, number[]> = { REST: [], 'PowerDNS API': [] };
  for (let n = 0; n < WARM_UP + ROUNDS; n += 1) {
    for (const side of ['REST', 'PowerDNS API'] as const) {
      const start = performance.now();
      await insist(sides[side](n));
      if (n >= WARM_UP) samples[side].push(performance.now() - start);
    }
  }
  printSummaries(samples);
  const ratio = quantile(samples['PowerDNS API'], 0.5) / quantile(samples.REST, 0.5);
  print(`ratio of the medians: ${figure(ratio)}`);
  printBar({ what: 'PATCH of one RRset, against a REST write', value: ratio, most: MAX, unit: 'times' });
}

await runBench('One RRset: the PowerDNS API and the REST API', LIMIT_MS, run);

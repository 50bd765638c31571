// Drain and restore of a cluster with 10,000 records, and the deletion of as many plain records by batches of 1,000 in
// the same run: `node test/bench/drain.ts`. In both zones every name keeps the value of another owner, so that the name
// server has the same to do.
import { allAnswered } from './all-answered.ts';
import { type Call, caller, createAgent, insist } from './calls.ts';
import { figure, tableLines } from './statistics.ts';
import { type Bench, numberedAddress, print, runBench, startBenchService } from './support.ts';

const LIMIT_MS = 2 * 60_000;
const RECORDS = 10_000;
const AT_ONCE = 1_000;
const LOOK_MS = 20;

const all = Array.from({ length: RECORDS }, (_, n) => n);
/** Each transaction concerns neighbours, so one name of fifty shows when the name server has everything. */
const sample = all.filter((n) => n % 50 === 0);

/** The value of the cluster, or the one that is deleted; and the one that stays. */
const ours = (n: number) => numberedAddress(n);
const theirs = (n: number) => numberedAddress(n + RECORDS);

/** Calls with at most 1,000 of the numbers of all names. */
async function inParts(work: (numbers: readonly number[]) => Promise<unknown>): Promise<void> {
  for (let from = 0; from < RECORDS; from += AT_ONCE) await work(Array.from({ length: AT_ONCE }, (_, at) => from + at));
}

async function ownedZone(call: Call, person: Call, team: string, zone: string): Promise<void> {
  const buildSet = (cluster: string, n: number, content: string) => ({
    ...{ owner: `k8s:${cluster}/default/n${n}`, name: `n${n}`, type: 'A' },
    values: [{ content }],
  });
  for (const [cluster, contentOf] of [
    ['east', ours],
    ['west', theirs],
  ] as const) {
    await insist(person('PUT', `/v1/clusters/${cluster}?owner=org:${team}`));
    await inParts(async (numbers) => {
      const sets = numbers.map((n) => buildSet(cluster, n, contentOf(n)));
      await insist(call('POST', `/v1/dns/zones/${zone}/records:apply`, { atomic: true, sets }));
    });
  }
}

/** @returns the ids of the records to delete */
async function plainZone(call: Call, zone: string): Promise<string[]> {
  const ids: string[] = [];
  for (const contentOf of [theirs, ours]) {
    await inParts(async (numbers) => {
      const changes = numbers.map((n) => ({
        action: 'create',
        record: { name: `n${n}`, type: 'A', content: contentOf(n) },
      }));
      const text = await insist(call('POST', `/v1/dns/zones/${zone}/records:batch`, { changes }));
      if (contentOf === theirs) return;
      for (const { record } of JSON.parse(text).results as { record: { id: string } }[]) ids.push(record.id);
    });
  }
  return ids;
}

async function run(bench: Bench): Promise<void> {
  const { signal } = bench;
  const { dns, keys, personKey, url } = await startBenchService(bench);
  const agent = createAgent(bench);
  const buildHeaders = (key: string) => ({ authorization: `Bearer ${key}`, 'content-type': 'application/json' });
  const call = caller(agent, url, buildHeaders(keys.first.key));
  const person = caller(agent, url, buildHeaders(personKey));
  const create = async (zoneName: string): Promise<string> =>
    JSON.parse(await insist(call('POST', '/v1/dns/zones', { zoneName, owner: `org:${keys.first.team}` }))).id;
  const served = (zone: string, both: boolean, numbers: readonly number[]) => {
    const isRight = (n: number, values: readonly string[]) =>
      values.includes(theirs(n)) && values.includes(ours(n)) === both && values.length === (both ? 2 : 1);
    return allAnswered(dns, zone, numbers, isRight, signal);
  };
  await ownedZone(call, person, keys.first.team, await create('owned.example'));
  await served('owned.example', true, all);

  const zone = await create('plain.example');
  const ids = await plainZone(call, zone);
  await served('plain.example', true, all);

  const times: Record<string, [number, number]> = {};
  const measure = async (what: string, work: () => Promise<unknown>, zone: string, both: boolean) => {
    const start = performance.now();
    await work();
    const stored = performance.now() - start;
    await served(zone, both, sample);
    times[what] = [stored, performance.now() - start];
    await served(zone, both, all);
  };
  const change = (verb: string) => async () => {
    await insist(person('POST', `/v1/clusters/east/${verb}`));
    while (!(await isSettled(person))) await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  };
  const remove = (numbers: readonly number[]) => {
    const changes = numbers.map((n) => ({ action: 'delete', id: ids[n] }));
    return insist(call('POST', `/v1/dns/zones/${zone}/records:batch`, { changes }));
  };
  await measure('drain', change('drain'), 'owned.example', false);
  await measure('restore', change('restore'), 'owned.example', true);
  await measure('batch deletion', () => inParts(remove), 'plain.example', false);
  const [stored, answered] = times['batch deletion'] as [number, number];
  const rows = Object.entries(times).map(([what, [s, a]]) => [
    what,
    ...[s / 1_000, a / 1_000, s / stored, a / answered].map(figure),
  ]);
  for (const line of tableLines([['s', 'stored', 'answered', 'stored: ratio', 'answered: ratio'], ...rows]))
    print(line);
}

async function isSettled(call: Call): Promise<boolean> {
  const { clusters } = JSON.parse(await insist(call('GET', '/v1/clusters')));
  return (clusters as { settled: boolean }[]).every(({ settled }) => settled);
}

await runBench(`${RECORDS} records: drain, restore, and deletion by batches`, LIMIT_MS, run);

// Restore of a zone of 100,000 records with 5,000 differences: the preview, the restore, and the writes in another zone
// meanwhile; then the deletion of the zone and its restore: `node test/bench/restore.ts`.
import { setTimeout as sleep } from 'node:timers/promises';
import { type Call, caller, createAgent, insist } from './calls.ts';
import { figure } from './statistics.ts';
import { type Bench, numberedAddress, print, printSummaries, runBench, startBenchService } from './support.ts';

const LIMIT_MS = 10 * 60_000;
const RECORDS = 100_000;
const DIFFERENCES = 5_000;
const BATCH = 1_000;
const ROUNDS = 3;
const ALONE_MS = 5_000;

async function run(bench: Bench): Promise<void> {
  const service = await startBenchService(bench);
  const { key, team } = service.keys.first;
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const call = caller(createAgent(bench), service.url, headers);
  const zone = async (zoneName: string) => {
    const { id } = JSON.parse(await insist(call('POST', '/v1/dns/zones', { zoneName, owner: `org:${team}` })));
    return id as string;
  };
  const [large, other] = [await zone('large.example'), await zone('other.example')];
  const ids = await fill(call, large);
  const timed = async (path: string, body: object) => {
    const start = performance.now();
    const answer = JSON.parse(await insist(call('POST', path, body)));
    return { seconds: (performance.now() - start) / 1000, answer };
  };
  const writes = { alone: [] as number[], 'during a preview or a restore': [] as number[] };
  const phase: { now: keyof typeof writes | 'end' } = { now: 'alone' };
  const writing = (async () => {
    for (let n = 0; ; n += 1) {
      const { now } = phase;
      if (now === 'end') return;
      const start = performance.now();
      await insist(
        call('POST', `/v1/dns/zones/${other}/records`, { name: `w${n}`, type: 'A', content: numberedAddress(n) }),
      );
      if (now === phase.now) writes[now].push(performance.now() - start);
    }
  })();
  await sleep(ALONE_MS, undefined, { signal: bench.signal });
  for (let round = 0; round < ROUNDS; round += 1) {
    const at = new Date().toISOString();
    await sleep(10);
    phase.now = 'alone';
    await spoil(call, large, ids, round);
    phase.now = 'during a preview or a restore';
    const preview = await timed(`/v1/dns/zones/${large}:restore`, { at, dryRun: true });
    const restore = await timed(`/v1/dns/zones/${large}:restore`, { at });
    print(
      `${restore.answer.total.differences} differences: preview ${figure(preview.seconds)} s, restore ${figure(restore.seconds)} s`,
    );
  }
  phase.now = 'end';
  await writing;
  printSummaries(writes);

  const start = performance.now();
  await insist(call('DELETE', `/v1/dns/zones/${large}`));
  print(`deletion of the zone: ${figure((performance.now() - start) / 1000)} s`);
  const back = await timed('/v1/dns/zones:restore', { zoneName: 'large.example' });
  print(`restore of the deleted zone of ${back.answer.records} records: ${figure(back.seconds)} s`);
}

/** @returns the ids of the records */
async function fill(call: Call, zone: string): Promise<string[]> {
  const ids: string[] = [];
  for (let from = 0; from < RECORDS; from += BATCH) {
    const changes = Array.from({ length: BATCH }, (_, n) => ({
      action: 'create',
      record: { name: `old${from + n}`, type: 'A', content: numberedAddress(from + n), ttl: 300 },
    }));
    const { results } = JSON.parse(await insist(call('POST', `/v1/dns/zones/${zone}/records:batch`, { changes })));
    ids.push(...(results as { record: { id: string } }[]).map(({ record }) => record.id));
  }
  return ids;
}

/** A third of the differences are updates, a third deletions, and a third creations. */
async function spoil(call: Call, zone: string, ids: readonly string[], round: number): Promise<void> {
  for (let from = 0; from < DIFFERENCES; from += BATCH) {
    const changes = Array.from({ length: BATCH }, (_, n) => {
      const at = round * DIFFERENCES + from + n;
      const name = `old${at}`;
      if (at % 3 === 0) return { action: 'update', id: ids[at], record: { name, type: 'A', content: '203.0.113.1' } };
      if (at % 3 === 1) return { action: 'delete', id: ids[at] };
      return { action: 'create', record: { name: `new${at}`, type: 'A', content: '203.0.113.2' } };
    });
    await insist(call('POST', `/v1/dns/zones/${zone}/records:batch`, { changes }));
  }
}

await runBench('restore of a zone', LIMIT_MS, run);

// Zone files, lists and histories that are designed to exhaust the api, sent to the real process with the memory of the
// chart. The process stays within its memory limit and keeps answering another team.
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { CHART_MEMORY, startApiProcess } from '../../../../support/service/api-process.ts';
import { fillWithLargeRecords, HOSTILE_FILES } from '../../../../support/service/hostile-files.ts';
import { startProber } from '../../../../support/service/prober.ts';
import { startTestService } from '../../../../support/service/service.ts';

const service = await startTestService({ nameserver: false, writesBehind: true });
const api = await startApiProcess(service, { ...CHART_MEMORY, ZONESTEAD_LIMITS: 'off' });
const other = await service.key({ team: 'other' });
const zones = await Promise.all(Array.from({ length: 4 }, () => service.zone()));
const [large] = zones;

/** In MiB. The limit of the chart is 512. */
const MEMORY_MIB = 384;
/** The limit of the security model is lower; the machine of the test may be busy. */
const P95_MS = 5_000;

/** The durations of the other team's reads during all attacks, in ms. */
const waited: number[] = [];

/** Status and length of an answer, whose body is dropped. */
async function ask(method: string, path: string, body: string | null = null) {
  const answer = await fetch(`${api.url}/v1/dns${path}`, {
    method,
    headers: { authorization: `Bearer ${service.admin.text}`, 'content-type': 'text/dns' },
    body,
  });
  let octets = 0;
  for await (const chunk of answer.body ?? []) octets += (chunk as Uint8Array).length;
  return { status: answer.status, octets, wait: answer.headers.get('retry-after') };
}

/** Runs the attack, and the reads of the other team at the same time. */
async function during<T>(attack: () => Promise<T>): Promise<T> {
  const prober = startProber({ url: api.url, key: other.text, pid: api.part.pid });
  const outcome = await attack();
  const { times, failed, rss } = await prober.stop();
  waited.push(...times);
  expect([failed, (await api.health('/readyz')).status]).toEqual([0, 200]);
  expect(rss).toBeLessThan(MEMORY_MIB);
  return outcome;
}

const statuses = (answers: { status: number }[]) => answers.map(({ status }) => status);

test.each([
  ['words without end', 400, 4],
  ['100,000 NS at one name', 400, 4],
  ['octets that grow fourfold', 400, 2],
  ['the longest texts', 200, 2],
] as const)('hostile files at once leave others served: %s', { timeout: 300_000 }, async (name, status, count) => {
  const file = HOSTILE_FILES[name]?.() ?? '';
  const answers = await during(() =>
    Promise.all(zones.slice(0, count).map(({ id }) => ask('PUT', `/zones/${id}/zonefile`, file))),
  );
  // One file of a team is planned at a time. The others wait for at most 20 s.
  for (const answer of answers) expect([status, 503]).toContain(answer.status);
  expect(statuses(answers)).toContain(status);
  for (const { wait } of answers.filter(({ status }) => status === 503)) expect(Number(wait)).toBeGreaterThan(0);
});

test('four lists, zone files and histories of 100 large records fit at once', { timeout: 300_000 }, async () => {
  const zone = large as { id: string };
  await fillWithLargeRecords(service.sql, zone.id, 100);
  const paths = ['records', 'zonefile', 'changes?limit=1000', 'records?limit=1000'];
  for (const path of paths) {
    const four = async () => {
      const answers = await during(() =>
        Promise.all(Array.from({ length: 4 }, () => ask('GET', `/zones/${zone.id}/${path}`))),
      );
      return answers.filter(({ status }) => status === 200);
    };
    let whole = await four();
    // A process without processor time refuses large answers for some seconds.
    for (let again = 0; whole.length < 2 && again < 5; again += 1) {
      await sleep(2_000);
      whole = await four();
    }
    expect(whole.length).toBeGreaterThanOrEqual(2);
    for (const { octets } of whole) {
      // 25 MB of contents, or a page of one.
      if (path.includes('limit')) expect(octets).toBeLessThan(3 * 2 ** 20);
      else expect(octets).toBeGreaterThan(20 * 2 ** 20);
    }
  }
});

test('the connection of a client that reads nothing is closed, and its slot and database connection are free again', {
  timeout: 300_000,
}, async () => {
  const zone = large as { id: string };
  const answer = await fetch(`${api.url}/v1/dns/zones/${zone.id}/records`, {
    headers: { authorization: `Bearer ${service.admin.text}` },
  });
  // Requests of other teams finish earlier.
  const open = () => service.sql`
    select count(*)::int as n from pg_stat_activity
    where application_name like 'zonestead-api%' and xact_start < clock_timestamp() - interval '2 seconds'`;
  await expect.poll(async () => (await open())[0]?.n, { timeout: 60_000, interval: 200 }).toBe(1);
  await expect.poll(async () => (await open())[0]?.n, { timeout: 60_000, interval: 200 }).toBe(0);
  // The client notices that the answer is incomplete.
  await expect(answer.text()).rejects.toThrow();
});

test('the reads of the other team were answered in time during all attacks', () => {
  const sorted = waited.sort((a, b) => a - b);
  expect(sorted.length).toBeGreaterThan(50);
  expect(sorted[Math.ceil(sorted.length * 0.95) - 1]).toBeLessThan(P95_MS);
});

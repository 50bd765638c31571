// The usage of a team or person: over REST, in the command line, and as metrics. The history is counted by the
// retention.
import { expect, test, vi } from 'vitest';
import { retentionRound } from '#service/retention.ts';
import { sizesOf, watchSizes } from '#service/usage-metrics.ts';
import { openDatabase } from '#store/database.ts';
import { createMetrics } from '#telemetry/metrics.ts';
import { zonestead } from '../../../support/program/command-line.ts';
import { addPerson } from '../../../support/service/people.ts';
import { startTestService } from '../../../support/service/service.ts';

const service = await startTestService({ nameserver: false });
const { request, sql } = service;
const [red, blue] = [await service.key({ team: 'red' }), await service.key({ team: 'blue' })];
const ada = await addPerson(service, { team: 'red', email: 'ada@example.org' });
const usageOf = async (key: { text: string }) => (await request('GET', '/../account/usage', undefined, key.text)).body;
const MINUTE = 60_000;

/** Counts all changes, as five minutes later. */
async function count(historyBytes = 2 ** 30): Promise<void> {
  const { db, close } = openDatabase(service.database.url, { max: 1 });
  const settings = { historyMs: 400 * 24 * 60 * MINUTE, historyBytes, answersMs: 24 * 60 * MINUTE };
  const now = () => new Date(Date.now() + 5 * MINUTE);
  await retentionRound({ db, settings, now, pauseMs: 0 }, new AbortController().signal);
  await close();
}

async function command(environment: Record<string, string>, ...words: string[]) {
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
  try {
    return await zonestead(...words);
  } finally {
    vi.unstubAllEnvs();
  }
}
const database = { DATABASE_URL: service.database.url };

test('a team sees its zones, records, history and deleted zones next to the limits, and none of another team', async () => {
  const zone = await service.zone('red.example', red);
  const gone = await service.zone('gone.example', red);
  await service.zone('blue.example', blue);
  for (const name of ['a', 'bb']) {
    const record = { name, type: 'A', content: '192.0.2.1' };
    expect((await request('POST', `/zones/${zone.id}/records`, record, red.text)).status).toBe(201);
    await request('POST', `/zones/${gone.id}/records`, record, red.text);
  }
  expect((await request('DELETE', `/zones/${gone.id}`, undefined, red.text)).status).toBeLessThan(300);
  await count();
  const { owners, writes } = (await usageOf(red)) as { owners: Record<string, unknown>[]; writes: unknown };
  const [stored] = await sql`
    select sum(200 + coalesce(pg_column_size(before), 0) + coalesce(pg_column_size(after), 0))::int as bytes
    from changes where team_id = ${red.team}`;
  const limit = 2 ** 27;
  expect(owners).toEqual([
    {
      owner: `org:${red.team}`,
      name: 'red',
      quota: {
        zones: { used: 1, limit: 1_000 },
        records: { used: 2, limit: 500_000 },
        // The names and twice 192.0.2.1.
        bytes: { used: 3 + 18, limit: 2 ** 30 },
      },
      deletedZones: { zones: 1, records: 2, bytes: { used: 21, limit: 2 ** 30 } },
      history: {
        zones: { used: stored?.bytes, limit },
        account: { used: expect.any(Number), limit },
        since: null,
      },
      answers: { used: 0, limit },
    },
  ]);
  expect(writes).toEqual({
    zones: { used: expect.any(Number), limit: null },
    records: { used: expect.any(Number), limit: null },
  });
  expect(((await usageOf(blue)) as { owners: { name: string }[] }).owners.map(({ name }) => name)).toEqual(['blue']);
});

test('a person sees personal zones and all own teams', async () => {
  await request('POST', '/zones', { zoneName: 'ada.example', owner: 'personal' }, ada.text);
  const { owners } = (await usageOf(ada)) as { owners: { owner: string; quota: { zones: { used: number } } }[] };
  expect(owners.map(({ owner, quota }) => [owner, quota.zones.used])).toEqual([
    ['personal', 1],
    [`org:${red.team}`, 1],
  ]);
});

test('the limits are those of the team, and a history that its limit cut says since when it is whole', async () => {
  await sql`update teams set quota_records = 7, quota_bytes = 1000 where id = ${blue.team}`;
  const zone = await service.zone('cut.example', blue);
  for (let n = 0; n < 20; n += 1)
    await request(
      'POST',
      `/zones/${zone.id}/records`,
      { name: `n${n % 5}`, type: 'TXT', content: `"${n}"` },
      blue.text,
    );
  await count(2_000);
  const { owners } = (await usageOf(blue)) as { owners: Record<string, { records: object; since: string }>[] };
  expect(owners[0]?.quota?.records).toEqual({ used: 7, limit: 7 });
  expect(Date.parse(owners[0]?.history?.since ?? '')).toBeGreaterThan(Date.now() - 10 * MINUTE);
});

test('zonestead usage prints the same for a key, and needs no database', async () => {
  const { code, out, err } = await command(
    { ZONESTEAD_URL: service.url, ZONESTEAD_API_KEY: red.text, DATABASE_URL: '' },
    'usage',
  );
  expect([code, err]).toEqual([0, '']);
  expect(out).toContain(`team red (org:${red.team})`);
  expect(out).toMatch(/^records +2 of 500000 +0 %$/m);
  expect(out).toMatch(/^1 deleted zones +21 B of 1 GiB +0 %$/m);
});

test('zonestead admin usage lists the largest first, and says whether the quotas fit the volume', async () => {
  const shown = JSON.parse((await command(database, 'admin', 'usage', '--by', 'records', '-o', 'json')).out);
  expect(
    shown.owners.slice(0, 2).map(({ name, quota }: never) => [name, (quota as { records: object }).records]),
  ).toEqual([
    ['blue', { used: 7, limit: 7 }],
    ['red', { used: 2, limit: 500_000 }],
  ]);
  expect(shown.tables.records).toBeGreaterThan(0);
  const one = JSON.parse((await command(database, 'admin', 'usage', '--top', '1', '--by', 'zones', '-o', 'json')).out);
  expect(one.owners).toHaveLength(1);
  const over = (await command(database, 'admin', 'usage', '--volume', '1Gi')).out;
  expect(over).toMatch(/The tables take .* of a volume of 1 GiB/);
  expect(over).toContain('That is more than the volume');
  expect((await command(database, 'admin', 'usage', '--volume', '100Ti')).out).not.toContain('more than the volume');
  expect(await command(database, 'admin', 'usage', '--volume', 'large')).toMatchObject({ code: 1 });
  expect(await command(database, 'admin', 'usage', '--by', 'name; drop table zones')).not.toMatchObject({ code: 0 });
});

test('the sizes are metrics with a series each, also while the database does not answer', async () => {
  const { db, close } = openDatabase(service.database.url, { max: 1 });
  const metrics = createMetrics({ processMetrics: false });
  let isUp = true;
  const read = sizesOf(db, { bytes: 2 ** 30, historyBytes: 2 ** 27 }, () => new Date(Date.now() + 100_000));
  let time = 0;
  const clock = { now: () => time, setTimeout: () => () => undefined };
  watchSizes(metrics, () => (isUp ? read() : Promise.reject(new Error('away'))), 2 ** 31, clock);
  const value = async (name: string) =>
    Number(new RegExp(`^zonestead_${name} (.*)$`, 'm').exec(await metrics.registry.metrics())?.[1]);
  const size = await value('database_bytes\\{tables="records"\\}');
  expect(size).toBeGreaterThan(50_000);
  expect(await value('database_bytes\\{tables="history"\\}')).toBeGreaterThan(50_000);
  expect(await value('database_volume_bytes')).toBe(2 ** 31);
  expect(await value('history_oldest_seconds')).toBeGreaterThan(99);
  expect(await value('history_shortest_seconds')).toBeLessThanOrEqual(await value('history_oldest_seconds'));
  expect(await value('quota_committed_bytes')).toBeGreaterThan(2 ** 31);
  isUp = false;
  time = 3_600_000;
  expect(await value('database_bytes\\{tables="records"\\}')).toBe(size);
  await close();
});

test('a round of the retention is counted by its result', async () => {
  expect(await service.metrics()).toContain('zonestead_retention_rounds_total{result="failed"} 0');
});

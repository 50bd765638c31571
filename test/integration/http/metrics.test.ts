// The metrics of the api, as a scrape shows them: zero at the start, up to date right after requests, and without
// unbounded labels.
import { expect, test } from 'vitest';
import { startTestService } from '../../support/service/service.ts';

const service = await startTestService({ limits: true, nameserver: false, busyAfterMs: 5_000 });
const value = async (series: string): Promise<number> => {
  const line = (await service.metrics()).split('\n').find((each) => each.startsWith(`zonestead_${series} `));
  if (line === undefined) throw new Error(`no series ${series}`);
  return Number(line.split(' ').at(-1));
};
const count = (route: string, method: string, status: number) =>
  value(`api_request_duration_seconds_count{route="${route}",method="${method}",code="${status}"}`);

test('the series of every kind of write exist before the first write', async () => {
  for (const bucket of ['zones', 'records']) {
    for (const result of ['ok', 'refused', 'limited', 'busy', 'failed']) {
      expect(await value(`api_writes_total{bucket="${bucket}",result="${result}"}`)).toBe(0);
    }
  }
  expect(await count('/v1/dns/zones/:id', 'GET', 200)).toBe(0);
  expect(await count('/v1/dns/zones/:id/records:batch', 'POST', 200)).toBe(0);
});

test('requests are counted by route pattern and status, writes by their result', async () => {
  const zone = await service.zone();
  await service.record(zone, 'www', 'A', '192.0.2.1');
  await service.request('POST', `/zones/${zone.id}/records`, { name: 'www', type: 'A', content: 'x' });
  for (let left = 9; left >= 0; left--) await service.request('POST', '/zones', {});
  // A request without a key is not counted as a write.
  await service.request('POST', '/zones', {}, null);
  await expect.poll(() => count('/v1/dns/zones', 'POST', 401).catch(() => 0)).toBe(1);
  expect(await value('api_writes_total{bucket="zones",result="ok"}')).toBe(1);
  expect(await value('api_writes_total{bucket="zones",result="refused"}')).toBe(9);
  expect(await value('api_writes_total{bucket="zones",result="limited"}')).toBe(1);
  expect(await value('api_writes_total{bucket="records",result="ok"}')).toBe(1);
  expect(await value('api_writes_total{bucket="records",result="refused"}')).toBe(1);
  expect(await count('/v1/dns/zones/:id/records', 'POST', 201)).toBe(1);
  expect(await count('/v1/dns/zones', 'POST', 429)).toBe(1);
});

test('busy is a result of its own', async () => {
  const zone = await service.sql`select id, no from zones limit 1`;
  const [{ id, no }] = zone as unknown as [{ id: string; no: number }];
  await service.sql.begin(async (tx) => {
    await tx`select from zones where no = ${no} for update`;
    const reply = await service.request('POST', `/zones/${id}/records`, { name: 'b', type: 'A', content: '192.0.2.1' });
    expect(reply.status).toBe(503);
  });
  expect(await value('api_writes_total{bucket="records",result="busy"}')).toBe(1);
  expect(await value('api_outage_answers_total{kind="write"}')).toBe(0);
});

test('unknown paths and ids create no series', async () => {
  const before = (await service.metrics()).split('\n').length;
  for (let n = 0; n < 20; n++) await fetch(`${service.url}/no/such/path/${n}`);
  for (let n = 0; n < 20; n++) await service.request('GET', `/zones/zone_${n}`);
  await expect.poll(() => count('unmatched', 'GET', 404).catch(() => 0)).toBe(20);
  await expect.poll(() => count('/v1/dns/zones/:id', 'GET', 404).catch(() => 0)).toBe(20);
  const text = await service.metrics();
  // Two new series: one count, one sum and 14 buckets each.
  expect(text.split('\n').length - before).toBe(2 * 16);
  expect(text).not.toContain('such');
});

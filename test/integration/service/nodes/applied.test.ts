// The metrics of the reports of nodes: the time from a change to the node that serves it, and the end of its key.
import { randomBytes, randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import type { NodeReport } from '#contract/feed.ts';
import { adminMintNodeKey } from '#service/nodes/administration.ts';
import { openFeed } from '../../../support/feed/feed-reader.ts';
import { NODE_REPORT } from '../../../support/feed/node-report.ts';
import { startTestService } from '../../../support/service/service.ts';

const service = await startTestService({ nameserver: false });
const { url, request, sql, database } = service;
const mint = async (name: string) => (await adminMintNodeKey(database.url, name, {}, randomBytes, new Date())).text;
const key = await mint('ns1');

async function report(node: string, { by = key, ...fields }: Partial<NodeReport> & { by?: string }) {
  const answer = await fetch(`${url}/v1/feed/report`, {
    method: 'POST',
    headers: { authorization: `Bearer ${by}`, 'content-type': 'application/json' },
    body: JSON.stringify({ ...NODE_REPORT, node, instance: randomUUID(), ...fields }),
  });
  expect(answer.status).toBe(200);
}
const position = async () => {
  const reader = await openFeed(url, key, { node: 'position' });
  await reader.until(({ kind }) => kind === 'list-end');
  reader.cut();
  return reader.cursor;
};

test('a report counts the time from each change to the node, one for each transaction', async () => {
  const zone = await service.zone();
  const instance = randomUUID();
  const count = async (series: string) =>
    Number(new RegExp(`^zonestead_node_apply_seconds_${series} (.*)$`, 'm').exec(await service.metrics())?.[1]);
  await report('counted', { instance, cursor: await position() });
  expect(await count('count\\{node="counted"\\}')).toBe(0);
  await service.record(zone, 'slow', 'A', '192.0.2.1');
  await sql`update feed_changes set at = at - interval '50 s' where zone_id = ${zone.id} and names = '{slow}'`;
  const changes = ['a', 'b', 'c'].map((name) => ({
    action: 'create',
    record: { name, type: 'A', content: '192.0.2.1' },
  }));
  expect((await request('POST', `/zones/${zone.id}/records:batch`, { changes })).status).toBe(200);
  const cursor = await position();
  await report('counted', { instance, cursor });
  expect(await count('count\\{node="counted"\\}')).toBe(2);
  expect(await count('bucket\\{le="30",node="counted"\\}')).toBe(1);
  expect(await count('sum\\{node="counted"\\}')).toBeGreaterThan(50);
  await report('counted', { instance, cursor });
  expect(await count('count\\{node="counted"\\}')).toBe(2);
});

test('a report shows when the key of its node ends', async () => {
  const expiring = await mint('expiring');
  await report('expiring', { by: expiring });
  const expiry = async () =>
    /^zonestead_node_key_expiry_timestamp_seconds\{node="expiring"\} (.*)$/m.exec(await service.metrics())?.[1];
  expect(await expiry()).toBe('+Inf');
  await sql`update node_keys set expires_at = to_timestamp(4102444800) where id = ${expiring.split('_')[1] ?? ''}`;
  expect(await expiry()).toBe('4102444800');
});

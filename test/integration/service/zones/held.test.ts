// A zone that name servers hold and the database lacks cannot be created, however many they hold.
import { randomBytes, randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { adminAcceptRemovals, adminMintNodeKey, adminReadHeld } from '#service/nodes/administration.ts';
import { openFeed } from '../../../support/feed/feed-reader.ts';
import { NODE_REPORT } from '../../../support/feed/node-report.ts';
import { startTestService } from '../../../support/service/service.ts';

const service = await startTestService({ nameserver: false });
const { url, request, database } = service;
const { text: key } = await adminMintNodeKey(database.url, 'ns1', {}, randomBytes, new Date());
const instance = randomUUID();
const position = async () => {
  const reader = await openFeed(url, key, { node: 'position' });
  await reader.until(({ kind }) => kind === 'list-end');
  reader.cut();
  return reader.cursor;
};

async function hold(names: readonly string[], count = names.length): Promise<number> {
  const zones = names.slice(0, 300).map((name) => ({ name, since: '2026-01-01T00:00:00Z' }));
  const held = { count, zones, more: names.slice(300) };
  const cursor = await position();
  const answer = await fetch(`${url}/v1/feed/report`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ ...NODE_REPORT, node: 'ns1', instance, cursor, held }),
  });
  return answer.status;
}
const owner = `org:${service.admin.team}`;
const create = async (zoneName: string) => (await request('POST', '/zones', { zoneName, owner })).status;
const label = 'a'.repeat(63);
const names = (count: number) => Array.from({ length: count }, (_, at) => `z${at}.held.example`);

test('a zone at, above or below a held one is refused, also if it is the last of ten thousand with the longest names', async () => {
  const long = Array.from(
    { length: 9_999 },
    (_, at) => `${label}.${label}.${label}.l${10_000 + at}.${'b'.repeat(49)}.test`,
  );
  expect(await hold([...names(300), ...long, 'sub.last.example'])).toBe(200);
  expect(await create('z7.held.example')).toBe(409);
  expect(await create('sub.last.example')).toBe(409);
  expect(await create('last.example')).toBe(409);
  expect(await create('x.sub.last.example')).toBe(409);
  expect(await create('other.last.example')).toBe(200);
  const { names: held, count } = await adminReadHeld(database.url);
  expect([held.length, count]).toEqual([10_300, 10_300]);
});

test('no zone is created while a node holds more zones than it names, until their removal is accepted', async () => {
  expect(await hold(names(301), 302)).toBe(200);
  expect(await create('free.example')).toBe(503);
  expect(await create('z300.held.example')).toBe(409);
  await adminAcceptRemovals(database.url, new Date());
  expect(await create('free.example')).toBe(200);
});

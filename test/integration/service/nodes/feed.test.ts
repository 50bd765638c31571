// The feed of a real api on a real database: lists, changes, resumed streams, single zones, and which keys may read it.

import { randomBytes } from 'node:crypto';
import { connect } from 'node:net';
import { expect, test } from 'vitest';
import type { FeedLine } from '#contract/feed.ts';
import { addToDigest, EMPTY_DIGEST } from '#dns/served.ts';
import { adminMintNodeKey } from '#service/nodes/administration.ts';
import { openFeed, readZone } from '../../../support/feed/feed-reader.ts';
import type { Method } from '../../../support/http/requests.ts';
import { startApiProcess } from '../../../support/service/api-process.ts';
import { startTestService } from '../../../support/service/service.ts';

const service = await startTestService({ nameserver: false });
const other = await service.anotherApi();
const { url, request, sql } = service;

const mint = async (name: string, terms: { networks?: string[]; expiresAt?: string } = {}) =>
  (await adminMintNodeKey(service.database.url, name, terms, randomBytes, new Date())).text;
const key = await mint('ns1');
const isChange =
  (name: string) =>
  (line: FeedLine): boolean =>
    line.kind === 'change' && line.names.includes(name);
const told = (lines: readonly FeedLine[], name: string) => lines.filter(isChange(name));
const afterList = (line: FeedLine) => line.kind === 'list-end';

test('a stream lists every zone, and then tells what changes, with the RRsets as they are', async () => {
  const zone = await service.zone();
  const reader = await openFeed(url, key, { node: 'first' });
  await reader.until(afterList);
  expect(reader.lines[0]).toMatchObject({ kind: 'begin', resumed: false });
  expect(reader.lines.filter((line) => line.kind === 'listed').map(({ name }) => name)).toContain(zone.zoneName);
  await service.record(zone, 'www', 'A', '192.0.2.1', { ttl: 300 });
  const change = await reader.until(isChange('www'));
  expect(change).toMatchObject({
    id: zone.id,
    names: ['www'],
    sets: [{ name: 'www', type: 'A', ttl: 300, rdata: ['192.0.2.1'] }],
  });
  // The position that includes the change comes right after it.
  await expect.poll(() => reader.cursor).not.toBe((change as { cursor: string }).cursor);
  await request('POST', `/zones/${zone.id}/park`);
  await reader.until((line) => line.kind === 'reload' && line.id === zone.id);
  await request('DELETE', `/zones/${zone.id}`);
  await reader.until((line) => line.kind === 'gone' && line.id === zone.id);
  reader.cut();
});

test('a stream tells a change that another replica made within a second', async () => {
  const zone = await service.zone();
  const reader = await openFeed(url, key, { node: 'second' });
  await reader.until(afterList);
  const { request: write } = other;
  await write('POST', `/zones/${zone.id}/records`, { name: 'there', type: 'A', content: '192.0.2.1' });
  const since = performance.now();
  await reader.until(isChange('there'));
  expect(performance.now() - since).toBeLessThan(30_000);
  reader.cut();
});

test('a stream tells 1,000 records of one batch in one line, and the new position with it', async () => {
  const zone = await service.zone();
  const reader = await openFeed(url, key, { node: 'third' });
  await reader.until(afterList);
  const changes = Array.from({ length: 1_000 }, (_, at) => ({
    action: 'create',
    record: { name: `n${at}`, type: 'A', content: '192.0.2.1' },
  }));
  expect((await request('POST', `/zones/${zone.id}/records:batch`, { atomic: true, changes })).status).toBe(200);
  await reader.until(isChange('n999'));
  const lines = reader.lines.filter((line) => line.kind === 'change' && line.id === zone.id);
  expect(lines.map((line) => line.kind === 'change' && [line.names.length, line.sets.length])).toEqual([
    [1_000, 1_000],
  ]);
  await expect.poll(() => reader.lines[reader.lines.indexOf(lines[0] as FeedLine) + 1]?.kind).toBe('beat');
  reader.cut();
});

test('a stream tells a zone that is deleted and made again under one name as two zones', async () => {
  const zone = await service.zone('again.example');
  const reader = await openFeed(url, key, { node: 'fourth' });
  await reader.until(afterList);
  await request('DELETE', `/zones/${zone.id}`);
  const next = await service.zone('again.example');
  expect(await reader.until((line) => line.kind === 'gone')).toMatchObject({ id: zone.id, name: 'again.example' });
  // The stream may tell the first zone too, which the list had already.
  const made = await reader.until((line) => line.kind === 'reload' && line.id !== zone.id);
  expect(made).toMatchObject({ id: next.id, name: 'again.example' });
  reader.cut();
});

test('a stream that is cut in the middle of the list begins with the list again', async () => {
  for (let at = 0; at < 5; at += 1) await service.zone();
  const reader = await openFeed(url, key, { node: 'cut', cutAt: (line) => line.kind === 'listed' });
  await reader.untilEnd();
  const again = await openFeed(url, key, { node: 'cut' });
  expect(await again.until(afterList)).toMatchObject({
    zones: again.lines.filter((line) => line.kind === 'listed').length,
  });
  again.cut();
});

test('a stream that is cut at a change tells it again after the last cursor, with those that came meanwhile', async () => {
  const zone = await service.zone();
  const reader = await openFeed(url, key, { node: 'cut', cutAt: isChange('one') });
  await reader.until(afterList);
  await service.record(zone, 'one', 'A', '192.0.2.1');
  await reader.untilEnd();
  await service.record(zone, 'two', 'A', '192.0.2.2');
  const again = await openFeed(url, key, { node: 'cut', after: reader.cursor });
  await again.until(isChange('two'));
  expect(again.lines[0]).toMatchObject({ kind: 'begin', resumed: true });
  expect(told(again.lines, 'one')).toHaveLength(1);
  expect(again.lines.some(afterList)).toBe(false);
  again.cut();
});

test('a stream that is cut continues at another replica, and misses nothing while many write', async () => {
  const zones = await Promise.all([1, 2, 3].map(() => service.zone()));
  const known = new Map<string, string>();
  const wanted = new Map<string, string>();
  let cursor: string | undefined;
  let writing = true;
  const write = async (at: number) => {
    for (let turn = 0; turn < 15; turn += 1) {
      const zone = zones[at % 3] as (typeof zones)[0];
      const [name, content] = [`n${at}-${turn % 4}`, `192.0.2.${turn}`];
      const api = turn % 2 === 0 ? request : other.request;
      const all = await api('GET', `/zones/${zone.id}/records?name=${name}`);
      const [found] = (all.body as { records: { id: string }[] }).records;
      const path = `/zones/${zone.id}/records`;
      const record = { name, type: 'A', content };
      const reply = await (found ? api('PUT', `${path}/${found.id}`, record) : api('POST', path, record));
      // A write that is refused because the machine is busy has changed nothing.
      if (reply.status < 300) wanted.set(`${zone.id} ${name}`, content);
      else expect(reply.status).toBe(503);
    }
  };
  const take = (line: FeedLine) => {
    if (line.kind !== 'change') return;
    for (const name of line.names) {
      known.set(`${line.id} ${name}`, line.sets.find((set) => set.name === name)?.rdata[0] ?? '');
    }
  };
  const follow = async () => {
    for (let turn = 0; writing || turn < 3; turn += 1) {
      let changes = 0;
      const cutAt = (line: FeedLine) => line.kind === 'change' && ++changes === 4;
      const reader = await openFeed(turn % 2 === 0 ? url : other.url, key, { node: 'many', after: cursor, cutAt });
      await Promise.race([reader.untilEnd(), new Promise((resolve) => setTimeout(resolve, 200))]);
      reader.cut();
      for (const line of reader.lines) take(line);
      if (reader.cursor !== '') cursor = reader.cursor;
    }
  };
  const following = follow();
  await Promise.all([0, 1, 2, 3, 4].map(write));
  writing = false;
  await following;
  const last = await openFeed(url, key, { node: 'many', after: cursor });
  // A transaction that is still open holds back the changes after it, but not the beats.
  const knownByNow = () => {
    for (const line of last.lines) take(line);
    return Object.fromEntries(known);
  };
  await expect.poll(knownByNow).toEqual(Object.fromEntries(wanted));
  last.cut();
});

test('a stream that is cut begins with the list if its cursor is of another database', async () => {
  const reader = await openFeed(url, key, { node: 'cut', after: '1.2.3:77' });
  expect(await reader.until(afterList)).toBeDefined();
  reader.cut();
});

test('one zone comes with its key, all RRsets and their digest', async () => {
  const zone = await service.zone();
  const changes = Array.from({ length: 700 }, (_, at) => ({
    action: 'create',
    record: { name: `n${at}`, type: 'TXT', content: '"x"' },
  }));
  await request('POST', `/zones/${zone.id}/records:batch`, { atomic: true, changes });
  const { lines } = await readZone(url, key, zone.id);
  const sets = lines.flatMap((line) => (line.kind === 'sets' ? line.sets : []));
  expect(lines[0]).toMatchObject({
    kind: 'zone',
    id: zone.id,
    name: zone.zoneName,
    keys: [{ algorithm: 13, state: 'active' }],
  });
  expect(sets.map(({ name }) => name)).toEqual(expect.arrayContaining(['@', 'n0', 'n699']));
  const digest = addToDigest(EMPTY_DIGEST, sets);
  expect(lines.at(-1)).toEqual({ kind: 'end', sets: sets.length, digest });
  const { id, name, version, serial } = lines[0] as { id: string; name: string; version: string; serial: number };
  const answer = await fetch(`${url}/v1/feed/zones/${zone.id}/digest`, {
    headers: { authorization: `Bearer ${key}` },
  });
  expect(await answer.json()).toEqual({ id, name, version, serial, sets: sets.length, digest });
});

test('one zone that does not exist is answered 404', async () => {
  for (const path of ['zones/zone_0', 'zones/zone_0/digest']) {
    const answer = await fetch(`${url}/v1/feed/${path}`, { headers: { authorization: `Bearer ${key}` } });
    expect([answer.status, await answer.json()]).toEqual([404, expect.objectContaining({ error: 'no_zone' })]);
  }
});

test('one zone leaves the database to others when its readers stop in the middle', async () => {
  const zone = await service.zone();
  const content = `"${'x'.repeat(250)}"`.repeat(8);
  // More than the buffers of the sockets can hold.
  for (let part = 0; part < 12; part += 1) {
    const changes = Array.from({ length: 400 }, (_, at) => ({
      action: 'create',
      record: { name: `n${part}-${at}`, type: 'TXT', content },
    }));
    const reply = await request('POST', `/zones/${zone.id}/records:batch`, { atomic: true, changes });
    expect(reply.status).toBe(200);
  }
  const { hostname, port } = new URL(url);
  const idle = Array.from({ length: 12 }, () => {
    const socket = connect({ host: hostname, port: Number(port) });
    socket.on('error', () => undefined);
    socket.write(`GET /v1/feed/zones/${zone.id} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\n\r\n`);
    return socket.pause();
  });
  const holding = async () => {
    const [row] = await sql`
      select count(*)::int as all, count(*) filter (where state_change > now() - interval '500 ms')::int as moving
      from pg_stat_activity where datname = current_database() and state = 'idle in transaction'`;
    return row as { all: number; moving: number };
  };
  // Until the buffers of the sockets are full, the readers move.
  await expect.poll(holding, { timeout: 60_000 }).toEqual({ all: 4, moving: 0 });
  expect(
    (await request('POST', `/zones/${zone.id}/records`, { name: 'x', type: 'A', content: '192.0.2.1' })).status,
  ).toBe(201);
  for (const socket of idle) socket.destroy();
  await expect.poll(holding, { timeout: 60_000 }).toMatchObject({ all: 0 });
  expect((await readZone(url, key, zone.id)).lines.at(-1)?.kind).toBe('end');
});

const status = async (text: string, path = '/v1/feed/zones/zone_0') =>
  (await fetch(`${url}${path}`, { headers: text === '' ? {} : { authorization: `Bearer ${text}` } })).status;

test('a key for an app or a person is refused at every route of the feed, and a wrong one is unknown', async () => {
  for (const [method, path] of [
    ['GET', '/v1/feed'],
    ['GET', '/v1/feed/zones/zone_0'],
    ['GET', '/v1/feed/zones/zone_0/digest'],
    ['POST', '/v1/feed/report'],
  ] as const) {
    const ask = async (text: string) =>
      (await fetch(`${url}${path}`, { method, headers: { authorization: `Bearer ${text}` } })).status;
    expect([path, await ask(service.admin.text), await ask(`${key.slice(0, -4)}0000`), await ask('x')]).toEqual([
      path,
      403,
      401,
      401,
    ]);
  }
});

test('a key for a node is refused at every other route', async () => {
  const document = (await (await fetch(`${url}/v1/dns/openapi.json`)).json()) as {
    paths: Record<string, Record<string, unknown>>;
  };
  const [, keyId = ''] = key.split('_');
  const found: string[] = [];
  for (const [path, item] of Object.entries(document.paths)) {
    if (path.startsWith('/v1/feed')) continue;
    for (const method of Object.keys(item)) {
      const answer = await fetch(`${url}${path.replaceAll(/\{\w+\}/g, 'x')}`, {
        method: method.toUpperCase() as Method,
        headers: { authorization: `Bearer ${key}`, 'x-api-user': keyId, 'x-api-key': key },
      });
      found.push(`${answer.status} ${method} ${path}`);
    }
  }
  expect(found.length).toBeGreaterThan(40);
  expect(found.filter((line) => !line.startsWith('403 '))).toEqual([]);
});

test('a key expires, and works only from its networks', async () => {
  const later = await mint('later', { expiresAt: new Date(Date.now() + 3_600_000).toISOString() });
  expect(await status(later)).toBe(404);
  await sql`update node_keys set expires_at = now() where id = ${later.split('_')[1] ?? ''}`;
  expect(await status(later)).toBe(401);
  expect(await status(await mint('near', { networks: ['127.0.0.0/8'] }))).toBe(404);
  expect(await status(await mint('far', { networks: ['192.0.2.0/24'] }))).toBe(401);
  expect(await status('')).toBe(401);
});

test('a key that is revoked ends its streams within 5 s', async () => {
  const revoked = await mint('revoked');
  const readers = [await openFeed(url, revoked), await openFeed(other.url, revoked)];
  const stays = await openFeed(url, key, { node: 'stays' });
  await sql`update node_keys set revoked_at = now() where id = ${revoked.split('_')[1] ?? ''}`;
  const since = performance.now();
  expect(await Promise.all(readers.map((reader) => reader.untilEnd()))).toEqual(['in order', 'in order']);
  expect(performance.now() - since).toBeLessThan(30_000);
  expect((await openFeed(url, revoked)).status).toBe(401);
  expect(stays.ended).toBe(null);
  stays.cut();
});

test('a process that exits ends its streams normally, and the node continues elsewhere', async () => {
  const api = await startApiProcess(service);
  const zone = await service.zone();
  const reader = await openFeed(api.url, key, { node: 'moving' });
  await reader.until(afterList);
  await service.record(zone, 'before', 'A', '192.0.2.1');
  await reader.until(isChange('before'));
  process.kill(api.part.pid, 'SIGTERM');
  expect(await reader.untilEnd()).toBe('in order');
  await service.record(zone, 'after', 'A', '192.0.2.1');
  const next = await openFeed(url, key, { node: 'moving', after: reader.cursor });
  await next.until(isChange('after'));
  expect(next.lines[0]).toMatchObject({ resumed: true });
  next.cut();
});

test('metrics count streams, lines, bytes and looks, and no stream counts as a slow request', async () => {
  const reader = await openFeed(url, key, { node: 'counted' });
  await reader.until(({ kind }) => kind === 'beat');
  const text = await service.metrics();
  expect(text).toMatch(/^zonestead_feed_streams [1-9]/m);
  expect(text).toMatch(/^zonestead_feed_lines_total\{kind="list-end"\} [1-9]/m);
  expect(text).toMatch(/^zonestead_feed_bytes_total [1-9]/m);
  expect(text).toMatch(/^zonestead_feed_polls_total\{result="ok"\} [1-9]/m);
  // A third stream ends the first one in order, as an answer ends.
  const others = [await openFeed(url, key, { node: 'counted' }), await openFeed(url, key, { node: 'counted' })];
  expect(await reader.untilEnd()).toBe('in order');
  for (const other of others) other.cut();
  expect(await service.metrics()).not.toMatch(
    /api_request_duration_seconds_count\{route="\/v1\/feed",method="GET",code="200"/,
  );
});

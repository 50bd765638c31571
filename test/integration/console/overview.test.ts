// The overview of the console: plots of figures from reports, heartbeats and history, and who sees which of them.
import { randomBytes, randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { adminMintNodeKey } from '#service/nodes/administration.ts';
import { retentionRound } from '#service/retention.ts';
import { openDatabase } from '#store/database.ts';
import { takeSamples } from '#store/node-samples.ts';
import { startConsoleService, visit, words } from '../../support/console/console.ts';
import { openFeed } from '../../support/feed/feed-reader.ts';
import { addPerson } from '../../support/service/people.ts';

const service = await startConsoleService({ nameserver: false });
const { sql, url } = service;
const ada = await addPerson(service, { team: 'red', email: 'ada@example.org' });
const eve = await addPerson(service, { team: 'blue', email: 'eve@example.org' });
const red = await service.key({ team: 'red' });
const zone = await service.zone('overview.example', red);
const nodeKey = (await adminMintNodeKey(service.database.url, 'ns1', {}, randomBytes, new Date())).text;
const instance = randomUUID();

const pageOf = async (person: { text: string }) => {
  const browser = visit(service);
  await browser.signIn(person.text);
  return browser.get('/console/');
};
const report = async (more: object) => {
  const base = { startedAt: '2026-01-01T00:00:00Z', version: '1', engine: 'Knot DNS', cursor: null, zones: 1 };
  const answer = await fetch(`${url}/v1/feed/report`, {
    method: 'POST',
    headers: { authorization: `Bearer ${nodeKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ ...base, failingCount: 0, failing: [], node: 'ns1', instance, ...more }),
  });
  return (await answer.json()) as { answers?: boolean };
};
const answers = (noerror: number) => ({ noerror, nxdomain: noerror / 2, servfail: 0, refused: 0, other: 0 });
/** The cursor of everything that is committed now. */
const cursor = async () => {
  const reader = await openFeed(url, nodeKey, { node: 'cursor' });
  await reader.until(({ kind }) => kind === 'list-end');
  reader.cut();
  return reader.cursor;
};
const sample = async () => {
  const { db, close } = openDatabase(service.database.url, { max: 1, name: 'overview' });
  await db.transaction(takeSamples);
  await close();
};
const age = (minutes: number) => sql`update node_samples set at = at - make_interval(mins => ${minutes})`;

test('the figures of name servers are the differences of the counters that nodes report', async () => {
  expect((await report({ cursor: await cursor(), answers: answers(1_000) })).answers).toBe(true);
  await sample();
  await age(20);
  const record = { name: 'www', type: 'A', content: '192.0.2.1' };
  await service.request('POST', `/zones/${zone.id}/records`, record, red.text);
  await sql`update feed_changes set at = at - interval '5 seconds' where at > now() - interval '30 seconds'`;
  await report({ cursor: await cursor(), answers: answers(13_000) });
  await sample();
  const [row] = await sql`select applied::int, applied_seconds as seconds from nodes where name = 'ns1'`;
  expect(row?.applied).toBe(1);
  expect(row?.seconds).toBeGreaterThan(4.9);
  // The page has slots of 15 minutes, and 20 to 21 minutes lie between the samples.
  const text = words((await pageOf(ada)).text);
  const [, rate] = /ns1: at most ([\d.]+) queries per second/.exec(text) ?? [];
  expect(Number(rate)).toBeGreaterThan(18_000 / (21.5 * 60));
  expect(Number(rate)).toBeLessThanOrEqual(18_000 / (19.9 * 60));
  expect(text).toMatch(/NOERROR: at most [\d.]+ queries per second; NXDOMAIN: at most [\d.]+ queries per second\./);
  expect(text).toMatch(/Average of all nodes: at most [5-9][\d.]* seconds/);
  expect(text).toContain('1 name server reports.');
});

test('the figures of name servers keep the counters of a report without them', async () => {
  await report({});
  const [row] = await sql`select answers->>'noerror' as noerror from nodes where name = 'ns1'`;
  expect(row?.noerror).toBe('13000');
});

test('the figures of name servers are hidden from people while other tenants have zones', async () => {
  for (const person of [ada, eve]) {
    const isShared = person === eve;
    const text = words((await pageOf(person)).text);
    expect(text.includes('Queries per second by node')).toBe(!isShared);
    expect(text.includes('totals of all tenants')).toBe(isShared);
    // Eve has no zones.
    expect(text.includes('Create the first zone')).toBe(isShared);
    expect(text.includes('ns1')).toBe(!isShared);
  }
  await service.zone('blue.example', await service.key({ team: 'blue' }));
  expect(words((await pageOf(ada)).text)).not.toContain('Queries per second by node');
});

test('the changes a day are those of the zones of the person and the teams', async () => {
  const count = async (person: { text: string }) =>
    Number(/had ([\d,]+) changes? in/.exec(words((await pageOf(person)).text))?.[1]?.replaceAll(',', ''));
  const [before] = await sql`select count(*)::int as n from changes where zone_id = ${zone.id}`;
  const { db, close } = openDatabase(service.database.url, { max: 1, name: 'overview' });
  const settings = { historyMs: 400 * 86_400_000, historyBytes: 2 ** 30, answersMs: 86_400_000 };
  // Two minutes later, all rows are settled. The second round counts none of them again.
  const now = () => new Date(Date.now() + 120_000);
  for (let round = 0; round < 2; round += 1)
    await retentionRound({ db, settings, now, pauseMs: 0 }, new AbortController().signal);
  await close();
  expect(await count(ada)).toBe(before?.n);
  expect(await count(eve)).toBe(1);
});

/** The service notes at most one heartbeat a second. */
const beat = async (query: string) => {
  await sql`update clusters set heartbeat_at = heartbeat_at - interval '2 seconds'`;
  return service.request('PUT', `/../clusters/prod?${query}`, undefined, red.text);
};

test('the clusters show how many objects are not Ready, as the last heartbeat with numbers says', async () => {
  expect((await beat('instance=i')).body.objects).toBeNull();
  expect(words((await pageOf(ada)).text)).toMatch(/prod active – – just now/);
  expect((await beat('instance=i&objects=40&notReady=3')).body.objects).toEqual({ total: 40, notReady: 3 });
  expect((await beat('instance=i')).body.objects).toEqual({ total: 40, notReady: 3 });
  const { text } = await pageOf(ada);
  expect(words(text)).toMatch(/prod active 40 3 just now/);
  expect(words(text)).toContain('Objects not Ready 3');
  expect(words(text)).toContain('The cluster prod has 3 objects that are not Ready.');
  expect((await pageOf(eve)).text).not.toContain('prod');
});

test('the clusters refuse numbers that are none', async () => {
  expect((await beat('instance=i&objects=-1')).status).toBe(400);
  expect((await beat('instance=i&objects=1e9&notReady=x')).status).toBe(400);
});

test('the overview loads nothing from elsewhere, and works without a script or inline style', async () => {
  const { text, status } = await pageOf(ada);
  expect(status).toBe(200);
  const addresses = [...text.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, address]) => address);
  expect(addresses.filter((address) => !address?.startsWith('/') && !address?.startsWith('#'))).toEqual([]);
  expect(text).not.toMatch(/ style="/);
  expect(text.length).toBeLessThan(60_000);
});

test('the overview shows figures, problems and changes of the zones of the person alone', async () => {
  const browser = visit(service);
  await browser.signIn(ada.text);
  const text = words((await browser.get('/console/')).text);
  expect(text).toMatch(/Zones 1 +Records 1 /);
  expect(text).toMatch(new RegExp(`${zone.zoneName} : Created www A by .* Undo`));
  expect(words((await browser.get('/console/attention')).text)).toContain('The cluster prod has 3 objects');
  const other = visit(service);
  await other.signIn(eve.text);
  for (const path of ['/console/', '/console/attention']) {
    const page = (await other.get(path)).text;
    expect(page).not.toContain(zone.zoneName);
    expect(page).not.toContain('prod');
  }
});

// The reports of name servers: the rules about their names, the nodes that live, and those that have a zone.
import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { NodeReport } from '#contract/feed.ts';
import { adminCompareNodes, adminForgetNode, adminListNodes, adminMintNodeKey } from '#service/nodes/administration.ts';
import { GENERAL_TEXT } from '#service/nodes/owner-text.ts';
import { openFeed } from '../../../support/feed/feed-reader.ts';
import { NODE_REPORT } from '../../../support/feed/node-report.ts';
import { startTestService } from '../../../support/service/service.ts';

const service = await startTestService({ nameserver: false, warnings: ['two instances report'] });
const { url, request, sql, database } = service;
const mint = async (name: string) => (await adminMintNodeKey(database.url, name, {}, randomBytes, new Date())).text;
const [key, otherKey] = [await mint('ns1'), await mint('ns2')];

async function report(node: string, change: Partial<NodeReport> & { by?: string } = {}) {
  const { by = key, ...fields } = change;
  const answer = await fetch(`${url}/v1/feed/report`, {
    method: 'POST',
    headers: { authorization: `Bearer ${by}`, 'content-type': 'application/json' },
    body: JSON.stringify({ ...NODE_REPORT, node, instance: randomUUID(), ...fields }),
  });
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
}
/** Makes the last reports of a name older. */
const age = (node: string, seconds: number) =>
  sql`update nodes set reported_at = reported_at - make_interval(secs => ${seconds}), first_at = first_at - make_interval(secs => ${seconds})
    where name = ${node}`;
const position = async () => {
  const reader = await openFeed(url, key, { node: 'position' });
  await reader.until(({ kind }) => kind === 'list-end');
  reader.cut();
  return reader.cursor;
};
const nodesOf = async (zone: { id: string }) => {
  const { body } = await request('GET', `/zones/${zone.id}/nodes`);
  return (body as { nodes: { node: string; current: boolean; error?: string }[] }).nodes;
};
const stateIn = async (zone: { id: string }, node: string) =>
  (await nodesOf(zone)).filter((each) => each.node === node);

test('a name belongs to one instance: another one within 30 s is a duplicate, and both are told', async () => {
  const [one, two] = [randomUUID(), randomUUID()];
  expect((await report('double', { instance: one })).body.duplicate).toBe(false);
  expect((await report('double', { instance: two })).body.duplicate).toBe(true);
  expect((await report('double', { instance: one })).body.duplicate).toBe(true);
  expect((await report('double', { instance: two })).body.duplicate).toBe(true);
  expect(await service.metrics()).toMatch(/^zonestead_node_duplicate\{node="double"\} 1$/m);
  expect(service.log.filter((line) => line.includes('two instances')).length).toBe(1);
  const listed = (await adminListNodes(database.url)).filter(({ name }) => name === 'double');
  expect(listed.map(({ isDuplicate }) => isDuplicate)).toEqual([true, true]);
  expect(await service.metrics()).toMatch(/^zonestead_node_living\{node="double"\} 1$/m);
  await age('double', 31);
  const silent = await service.metrics();
  expect(silent).toMatch(/^zonestead_node_living\{node="double"\} 0$/m);
  expect(silent).not.toMatch(/^zonestead_node_lag_seconds\{node="double"\}/m);
  expect((await report('double', { instance: two })).body.duplicate).toBe(false);
  expect(await service.metrics()).toMatch(/^zonestead_node_duplicate\{node="double"\} 0$/m);
});

test('a name is forgotten on request when its node is silent, and not before', async () => {
  await report('removed');
  expect(await adminForgetNode(database.url, 'removed')).toBe(0);
  await age('removed', 31);
  expect(await service.metrics()).toMatch(/^zonestead_node_living\{node="removed"\} 0$/m);
  expect(await adminForgetNode(database.url, 'removed')).toBe(1);
  expect(await service.metrics()).not.toMatch(
    /^zonestead_node_(living|lag_seconds|failing_zones|duplicate)\{node="removed"/m,
  );
});

test('a node that leaves is not silent, and counts as long as one that falls silent', async () => {
  const zone = await service.zone();
  const instance = randomUUID();
  await report('leaver', { instance, cursor: await position() });
  expect((await report('leaver', { instance, leaving: true })).status).toBe(200);
  expect(await service.metrics()).toMatch(/^zonestead_node_left\{node="leaver"\} 1$/m);
  await service.record(zone, 'www', 'A', '192.0.2.1');
  expect(await stateIn(zone, 'leaver')).toEqual([expect.objectContaining({ current: false })]);
  await age('leaver', 31);
  expect(await stateIn(zone, 'leaver')).toEqual([]);
  const away = await service.metrics();
  expect(away).not.toMatch(/^zonestead_node_living\{node="leaver"/m);
  expect(away).toMatch(/^zonestead_node_left\{node="leaver"\} 1$/m);
  await report('leaver', { instance });
  const back = await service.metrics();
  expect(back).toMatch(/^zonestead_node_living\{node="leaver"\} 1$/m);
  expect(back).toMatch(/^zonestead_node_left\{node="leaver"\} 0$/m);
});

test('a node cannot say that another one leaves', async () => {
  const [instance, taken] = [randomUUID(), randomUUID()];
  await report('victim', { instance });
  expect((await report('victim', { by: otherKey, leaving: true })).status).toBe(409);
  await age('victim', 31);
  await report('victim', { instance: taken, by: otherKey });
  expect((await report('victim', { instance: taken, by: otherKey, leaving: true })).status).toBe(200);
  await age('victim', 31);
  await report('known', { instance });
  expect((await report('known', { instance, by: otherKey, leaving: true })).status).toBe(200);
  await age('known', 31);
  const metrics = await service.metrics();
  for (const node of ['victim', 'known']) {
    expect(metrics).toContain(`\nzonestead_node_left{node="${node}"} 0\n`);
    expect(metrics).toContain(`\nzonestead_node_living{node="${node}"} 0\n`);
  }
});

test('a name is free for a new instance at once when the node restarted without its state', async () => {
  const zone = await service.zone();
  await report('fresh', { cursor: await position() });
  expect((await report('fresh')).body.duplicate).toBe(true);
  expect(await stateIn(zone, 'fresh')).toEqual([expect.objectContaining({ current: false })]);
});

test('a name cannot be taken by another key while its node lives', async () => {
  const instance = randomUUID();
  await report('held', { instance });
  const refused = await report('held', { by: otherKey });
  expect([refused.status, refused.body.error, refused.body.field]).toEqual([409, 'conflict', 'node']);
  await age('held', 31);
  expect((await report('held', { by: otherKey })).status).toBe(200);
  expect((await report('held', { instance })).status).toBe(409);
});

test('a name stays with a node that gets a new key, and is free when the key was revoked', async () => {
  const instance = randomUUID();
  const old = await mint('rotated');
  await report('rotated', { instance, by: old });
  expect((await report('rotated', { instance, by: otherKey })).status).toBe(200);
  const lost = await mint('lost');
  await report('lost', { by: lost });
  expect((await report('lost')).status).toBe(409);
  await sql`update node_keys set revoked_at = now() where id = ${lost.split('_')[1] ?? ''}`;
  expect((await report('lost')).status).toBe(200);
  expect((await report('lost', { by: lost })).status).toBe(401);
});

test('a name has a bounded number of instances', async () => {
  for (let at = 0; at < 12; at += 1) await report('restless');
  const [row] = await sql`select count(*)::integer from nodes where name = 'restless'`;
  expect(row?.count).toBe(8);
});

test('a report is one row, which the next one replaces', async () => {
  const instance = randomUUID();
  const failing = [{ id: 'zone_1', error: 'semantic\n\u001b[2J check\0\ud800\u202e!' }];
  await report('row', { instance });
  await report('row', { instance, failing, failingCount: 3, zones: 7 });
  const rows = await sql`select * from nodes where name = 'row'`;
  expect(rows).toHaveLength(1);
  expect(rows[0]).toMatchObject({
    zones: 7,
    failing_count: 3,
    failing: [{ id: 'zone_1', error: 'semantic [2J check !' }],
  });
  expect(await service.metrics()).toMatch(/^zonestead_node_failing_zones\{node="row"\} 3$/m);
});

test.each([
  ['a name that is none', { node: 'NS 1' }, 400],
  ['a cursor that is none', { cursor: 'x' }, 400],
  ['a cursor that Postgres would refuse', { cursor: '1.1:9:3:' }, 400],
  ['more failing zones than 100', { failing: Array(101).fill({ id: 'z', error: 'e' }) }, 400],
  ['an unknown field', { more: 1 }, 400],
  ['a body of four megabytes', { failing: [{ id: 'x'.repeat(4_000_000), error: 'e' }] }, 413],
  ['more names of held zones than 10,000', { held: { count: 1, zones: [], more: Array(10_001).fill('z') } }, 400],
])('a report with %s is refused', async (_, change, status) => {
  expect((await report('refused', change as object)).status).toBe(status);
});

test('a report asks for a comparison until the node was told', async () => {
  const { token } = await adminCompareNodes(database.url, randomBytes, new Date());
  expect((await report('asked')).body.compare).toBe(token);
  const next = await adminCompareNodes(database.url, randomBytes, new Date());
  expect(next.token).not.toBe(token);
  expect((await report('asked')).body.compare).toBe(next.token);
  expect(next.living).toBeGreaterThan(0);
});

test('a report tells how old the oldest change is that the node has not applied', async () => {
  const zone = await service.zone();
  const cursor = await position();
  await report('late', { cursor });
  expect(await service.metrics()).toMatch(/^zonestead_node_lag_seconds\{node="late"\} 0$/m);
  await service.record(zone, 'www', 'A', '192.0.2.1');
  await sql`update feed_changes set at = at - interval '50 s' where zone_id = ${zone.id} and names = '{www}'`;
  await report('late', { cursor });
  const lag = Number(/^zonestead_node_lag_seconds\{node="late"\} (.*)$/m.exec(await service.metrics())?.[1]);
  expect(lag).toBeGreaterThan(49);
  await report('late', { cursor: await position() });
  expect(await service.metrics()).toMatch(/^zonestead_node_lag_seconds\{node="late"\} 0$/m);
});

test('a node of a zone is current while a transaction is in progress that began before the change', async () => {
  const zone = await service.zone();
  const long = database.connect();
  try {
    await long`begin`;
    await long`select pg_current_xact_id()`;
    await service.record(zone, 'www', 'A', '192.0.2.1');
    await report('beside', { cursor: await position() });
    expect(await stateIn(zone, 'beside')).toMatchObject([{ current: true }]);
  } finally {
    await long.end();
  }
});

test('a node of a zone is current when it has applied the last change, and not before', async () => {
  const zone = await service.zone();
  const instance = randomUUID();
  await report('current', { instance });
  expect(await stateIn(zone, 'current')).toMatchObject([{ current: false }]);
  await report('current', { instance, cursor: await position() });
  expect(await stateIn(zone, 'current')).toMatchObject([{ current: true }]);
  await service.record(zone, 'www', 'A', '192.0.2.1');
  expect(await stateIn(zone, 'current')).toMatchObject([{ current: false }]);
  await report('current', { instance, cursor: await position() });
  expect(await stateIn(zone, 'current')).toMatchObject([{ current: true }]);
  await sql`update service set changed_xid = pg_current_xact_id()`;
  expect(await stateIn(zone, 'current')).toMatchObject([{ current: false }]);
});

test('a node of a zone is not current if the zone fails there, if it may fail, or by a position of another database', async () => {
  const zone = await service.zone();
  const [instance, cursor] = [randomUUID(), await position()];
  const failing = [{ id: zone.id, error: 'no such luck' }];
  await report('failing', { instance, cursor, failing, failingCount: 1 });
  expect(await stateIn(zone, 'failing')).toMatchObject([{ current: false, error: 'no such luck' }]);
  const foreign = [{ id: zone.id, error: 'connect ECONNREFUSED 10.0.0.7:443' }];
  await report('failing', { instance, cursor, failing: foreign, failingCount: 1 });
  expect(await stateIn(zone, 'failing')).toMatchObject([{ current: false, error: GENERAL_TEXT }]);
  await report('failing', { instance, cursor, failing: [{ id: 'zone_0', error: 'x' }], failingCount: 1 });
  expect(await stateIn(zone, 'failing')).toMatchObject([{ current: true }]);
  await report('failing', { instance, cursor, failing: [{ id: 'zone_0', error: 'x' }], failingCount: 2 });
  expect(await stateIn(zone, 'failing')).toMatchObject([{ current: false }]);
  await report('failing', { instance, cursor: cursor.replace(/^\d+/, '1') });
  expect(await stateIn(zone, 'failing')).toMatchObject([{ current: false }]);
});

test('a node of a zone is listed once for each instance when two take turns under one name', async () => {
  const zone = await service.zone();
  const [one, two] = [randomUUID(), randomUUID()];
  const cursor = await position();
  await report('turns', { instance: one, cursor });
  await report('turns', { instance: two });
  await report('turns', { instance: one, cursor });
  expect((await stateIn(zone, 'turns')).map(({ current }) => current).sort()).toEqual([false, true]);
});

test('a node of a zone is gone when it was silent for 30 s', async () => {
  const zone = await service.zone();
  await report('silent');
  expect(await stateIn(zone, 'silent')).toHaveLength(1);
  await age('silent', 31);
  expect(await stateIn(zone, 'silent')).toEqual([]);
});

test('a node of a zone is shown to keys that see the zone alone', async () => {
  const zone = await service.zone();
  const foreign = await service.key({ team: 'second' });
  expect((await request('GET', `/zones/${zone.id}/nodes`, undefined, foreign.text)).status).toBe(404);
  const reader = await service.key({ records: 'read', manageZones: 'none' });
  expect((await request('GET', `/zones/${zone.id}/nodes`, undefined, reader.text)).status).toBe(200);
});

describe('a question that waits', () => {
  const ask = (zone: { id: string }, wait: string) => request('GET', `/zones/${zone.id}/nodes?wait=${wait}`);
  const stateOf = (body: unknown, node: string) =>
    (body as { nodes: { node: string; current: boolean }[] }).nodes.find((each) => each.node === node);
  /** A question waits at most so long. */
  const WAIT_MS = 5_000;
  /** Repeats a run that reported too late for any answer. @param run returns the ms to its report, and the check */
  const inTime = async (run: () => Promise<readonly [reportedMs: number, check: () => void]>) => {
    for (;;) {
      const [reportedMs, check] = await run();
      if (reportedMs < WAIT_MS / 4) return check();
    }
  };
  /** Lets the nodes of the tests before leave. */
  const alone = () => sql`update nodes set reported_at = reported_at - interval '31 s'`;

  test('a question that waits is answered when the last living node has the change, also by a report to another replica', async () => {
    const other = await service.anotherApi();
    await inTime(async () => {
      await alone();
      const zone = await service.zone();
      const [one, two] = [randomUUID(), randomUUID()];
      await report('wait1', { instance: one, cursor: await position() });
      await report('wait2', { instance: two, cursor: await position() });
      await service.record(zone, 'www', 'A', '192.0.2.1');
      const cursor = await position();
      const began = performance.now();
      const asked = ask(zone, '5');
      await report('wait1', { instance: one, cursor });
      const early = await Promise.race([asked.then(() => 'answered'), sleep(150, 'waits')]);
      await fetch(`${other.url}/v1/feed/report`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ ...NODE_REPORT, node: 'wait2', instance: two, cursor }),
      });
      const reportedMs = performance.now() - began;
      const { body } = await asked;
      const answeredMs = performance.now() - began;
      const check = () => {
        expect(early).toBe('waits');
        expect(stateOf(body, 'wait2')).toMatchObject({ current: true });
        expect(answeredMs).toBeLessThan(WAIT_MS - 100);
      };
      return [reportedMs, check];
    });
  });

  test('a question that waits asks for the changes before it, and says since when a node is behind', async () => {
    await inTime(async () => {
      await alone();
      const zone = await service.zone();
      const instance = randomUUID();
      const cursor = await position();
      await report('slow', { instance, cursor });
      await service.record(zone, 'www', 'A', '192.0.2.1');
      const { body } = await ask(zone, '0.05');
      expect(stateOf(body, 'slow')).toMatchObject({
        current: false,
        behindSince: expect.stringMatching(/Z$/),
        behindSeconds: expect.any(Number),
      });
      const later = await position();
      const began = performance.now();
      const asked = ask(zone, '5');
      await sleep(100);
      await report('slow', { instance, cursor: later });
      const reportedMs = performance.now() - began;
      const answer = await asked;
      return [reportedMs, () => expect(stateOf(answer.body, 'slow')).toMatchObject({ current: true })];
    });
  });

  test('a question that waits does not wait for a node that is starting, nor without any node', async () => {
    await alone();
    const zone = await service.zone();
    const timed = async () => {
      const began = performance.now();
      const { body } = await ask(zone, '5');
      return { body, tookMs: performance.now() - began };
    };
    const empty = await timed();
    expect(empty).toEqual({ body: { nodes: [], secondaries: [] }, tookMs: expect.any(Number) });
    await report('starts');
    const starting = await timed();
    expect(stateOf(starting.body, 'starts')).toMatchObject({ current: false, starting: true });
    // A question that waits takes all of the time, however busy the machine is.
    for (const { tookMs } of [empty, starting]) expect(tookMs).toBeLessThan(WAIT_MS);
  });

  test.each(['6', '-1', 'x', '1e3', ''])('a question that waits for %j seconds is refused', async (wait) => {
    expect((await ask(await service.zone(), wait)).status).toBe(400);
  });

  test('a question that waits says nothing about the speed of the service', async () => {
    const zone = await service.zone();
    const counted = async () =>
      /request_seconds_count\{route="[^"]*\/nodes",method="GET",status="200"\} (\d+)/.exec(
        await service.metrics(),
      )?.[1];
    const before = await counted();
    await ask(zone, '0');
    expect(await counted()).toBe(before);
    await request('GET', `/zones/${zone.id}/nodes`);
    await expect.poll(async () => Number(await counted())).toBe(Number(before) + 1);
  });
});

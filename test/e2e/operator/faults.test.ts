// Faults of production, on real parts: the operator killed at any moment, the API and Postgres unreachable, write
// limits.
import { setTimeout as sleep } from 'node:timers/promises';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fetchRecords, fetchZones } from '#client/lists.ts';
import { createRecord } from '#contract/operations/records.ts';
import type { DNSRecord } from '#resources/dnsrecord.ts';
import { recordObject, startTestStack, type TestStack, zoneObject } from '../../support/stack/stack.ts';

let stack: TestStack;
beforeAll(async () => {
  // A Postgres that is killed here must write as it does in production.
  stack = await startTestStack({ limits: true, durable: true });
  await lift(true);
});
afterAll(async () => {
  await stack.stop();
});

/** Lifts the write limits of the operator's key, or holds it to 60 record writes a minute from now on. */
async function lift(free: boolean): Promise<void> {
  const sql = postgres(stack.stack.service.databaseUrl, { max: 1 });
  const many = free ? 1_000_000 : null;
  await sql`update api_keys set zone_writes = ${many}, record_writes = ${many} where name = 'operator'`;
  await sql`delete from write_windows`;
  await sql.end();
}

async function numberFrom(query: (sql: postgres.Sql) => Promise<readonly postgres.Row[]>): Promise<number> {
  const sql = postgres(stack.stack.service.databaseUrl, { max: 1 });
  const [row] = await query(sql);
  await sql.end();
  return Number(row?.n);
}

/** The most records of a zone that were created within a minute. */
const mostInAMinute = (zoneName: string) =>
  numberFrom(
    (sql) => sql`
      select max(n) as n from (
        select count(*) over (order by at range between interval '1 minute' preceding and current row) as n
        from changes where zone_name = ${zoneName} and action = 'record.create') minutes`,
  );

/** The number of records of a zone that were created before the first one of another zone. */
const writtenBefore = (zoneName: string, other: string) =>
  numberFrom(
    (sql) => sql`
      select count(*) as n from changes where zone_name = ${zoneName} and action = 'record.create' and id < (
        select min(id) from changes where zone_name = ${other} and action = 'record.create')`,
  );

/** The records of a zone at the API, as `name content`, sorted; a doubled record appears twice. */
async function held(zoneName: string): Promise<string[]> {
  const [zone] = await fetchZones(stack.client, { zoneName });
  const records = zone ? await fetchRecords(stack.client, zone.id, {}) : [];
  return records.map(({ name, content }) => `${name} ${content}`).sort();
}

const names = (count: number) => Array.from({ length: count }, (_, index) => `r${String(index).padStart(2, '0')}`);
const address = (name: string, last: number) =>
  recordObject(name, 'storm', { name, type: 'A', content: `192.0.2.${last}` });

describe('the operator killed with -9 again and again', () => {
  const all = names(40);

  async function storm(work: () => Promise<unknown>, kills: number): Promise<void> {
    const done = work();
    for (let round = 1; round <= kills; round += 1) {
      await sleep(30 + Math.random() * 300 * round);
      await stack.stack.operator.part('operator').stop({ signal: 'SIGKILL' });
      await stack.stack.operator.start('operator');
    }
    await done;
  }

  test('the operator killed with -9 again and again creates every record exactly once', async () => {
    await storm(() => stack.apply(zoneObject('storm', 'storm.example'), ...all.map((name) => address(name, 1))), 3);
    await stack.ready(...all.map((name) => `zdr/${name}`));
    expect(await held('storm.example')).toEqual(all.map((name) => `${name} 192.0.2.1`));
  });

  test('the operator killed with -9 again and again changes every record, in place', async () => {
    await storm(() => stack.apply(...all.map((name) => address(name, 2))), 2);
    await expect.poll(() => held('storm.example')).toEqual(all.map((name) => `${name} 192.0.2.2`));
    await stack.ready(...all.map((name) => `zdr/${name}`));
    expect(await stack.dig('r07.storm.example', 'A')).toEqual(['r07.storm.example. 3600 IN A 192.0.2.2']);
  });

  test('the operator killed with -9 again and again creates, changes and deletes at the same time', async () => {
    const added = all.slice(0, 20).map((name) => name.replace('r', 'n'));
    const [edited, removed] = [all.slice(0, 20), all.slice(20)];
    const objects = [...added, ...edited].map((name) => address(name, 3));
    await storm(
      () => Promise.all([...removed.map((name) => stack.kube.remove(`zdr/${name}`)), stack.apply(...objects)]),
      3,
    );
    await stack.remove('default', ...removed.map((name) => `zdr/${name}`));
    const wanted = [...added, ...edited];
    await expect.poll(() => held('storm.example')).toEqual(wanted.map((name) => `${name} 192.0.2.3`));
    await stack.ready(...wanted.map((name) => `zdr/${name}`));
    await expect.poll(() => stack.rcode('r25.storm.example', 'A')).toBe('NXDOMAIN');
  });

  test('the operator killed with -9 again and again deletes every record, and nothing else', async () => {
    const [zone] = await fetchZones(stack.client, { zoneName: 'storm.example' });
    await stack.client.call(createRecord, {
      params: { id: zone?.id ?? '' },
      body: { name: 'foreign', type: 'A', content: '192.0.2.99' },
    });
    const objects = await stack.kube.list<DNSRecord>('zdr', 'default');
    const records = objects.map(({ metadata }) => `zdr/${metadata.name}`);
    await storm(() => Promise.all(records.map((name) => stack.kube.remove(name))), 2);
    await stack.remove('default', ...records);
    // The records leave the service after the objects are gone.
    await expect.poll(() => held('storm.example')).toEqual(['foreign 192.0.2.99']);
  });
});

test('Ready records stay Ready while the API is down; changes during that time are applied when it is back', async () => {
  await stack.apply(
    zoneObject('away', 'away.example'),
    recordObject('before', 'away', { name: 'before', type: 'A', content: '192.0.2.1' }),
  );
  await stack.ready('zdr/before');
  await stack.stack.service.running.part('api').stop();
  await stack.apply(recordObject('during', 'away', { name: 'during', type: 'A', content: '192.0.2.2' }));
  await stack.kube.patch('zdr/before', { metadata: { annotations: { looked: 'at' } } });
  await expect.poll(async () => (await stack.condition('zdr/during', 'Ready'))?.reason).toBe('APIUnavailable');
  await expect.poll(async () => (await stack.condition('zdr/before', 'Ready'))?.reason).toBe('APIUnavailable');
  expect((await stack.condition('zdr/before', 'Ready'))?.status).toBe('True');
  expect(await stack.dig('before.away.example', 'A')).toHaveLength(1);
  await stack.stack.service.running.start('api');
  await stack.ready('zdr/during', 'zdr/before');
  expect(await held('away.example')).toEqual(['before 192.0.2.1', 'during 192.0.2.2']);
});

test('Postgres killed with -9 loses nothing, and everything continues when it is back', async () => {
  await stack.stack.service.running.part('postgres').stop({ signal: 'SIGKILL' });
  await stack.apply(recordObject('after', 'away', { name: 'after', type: 'A', content: '192.0.2.3' }));
  await expect.poll(async () => (await stack.condition('zdr/after', 'Ready'))?.reason).toMatch(/^API/);
  expect((await stack.condition('zdr/before', 'Ready'))?.status).toBe('True');
  expect(await stack.dig('before.away.example', 'A')).toHaveLength(1);
  await stack.stack.service.running.start('postgres');
  await stack.ready('zdr/after');
  expect(await held('away.example')).toEqual(['after 192.0.2.3', 'before 192.0.2.1', 'during 192.0.2.2']);
  expect(await stack.dig('after.away.example', 'A')).toHaveLength(1);
});

/**
 * How many of the 60 writes a minute one namespace gets while it is alone: with u writes done, it leaves 12·u/(u+3)
 * places to namespaces that come later (src/client/pace/budget.ts). After 49 writes that is 11.3 places, and 11 are
 * free. A request of more than 30 changes takes 30 places, half of the window (src/base/bulk-writes.ts), so a first
 * request of 49 leaves room for 18 more.
 */
const OF_ONE_NAMESPACE = { least: 49, most: 67 };

const nextAttempt = (status: DNSRecord['status']) => new Date(status?.nextAttemptTime ?? 0).getTime();

test('write limits are obeyed: further writes of a namespace wait, its objects say why and until when, and another namespace has places', async () => {
  await stack.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'other' } });
  await stack.apply(zoneObject('busy', 'busy.example'), zoneObject('calm', 'calm.example', {}, 'other'));
  await stack.ready('zdz/busy');
  await stack.ready('-n', 'other', 'zdz/calm');
  await lift(false);
  // The operator knows the limit from the answer to its last write.
  await stack.apply(recordObject('first', 'busy', { name: 'first', type: 'A', content: '192.0.2.1' }));
  await stack.ready('zdr/first');
  const many = names(80).map((name) => recordObject(`busy-${name}`, 'busy', { name, type: 'A', content: '192.0.2.1' }));
  // All at once: after a minute, the places of the first ones return.
  await Promise.all(many.map((each) => stack.apply(each)));
  const waiting = async () =>
    (await stack.kube.list<DNSRecord>('zdr', 'default')).filter(
      ({ metadata, status }) => metadata.name.startsWith('busy-') && status?.nextAttemptTime,
    );
  await expect.poll(async () => (await waiting()).length).toBeGreaterThan(0);
  const [last] = (await waiting())
    .map(({ status }) => status)
    .sort((one, other) => nextAttempt(other) - nextAttempt(one));
  expect(last?.conditions.find(({ type }) => type === 'Ready')?.reason).toBe('RateLimited');
  expect(nextAttempt(last)).toBeGreaterThan(Date.now());
  await expect.poll(() => mostInAMinute('busy.example')).toBeGreaterThanOrEqual(OF_ONE_NAMESPACE.least);
  // Challenges have a window of their own.
  await stack.apply(
    recordObject('challenge', 'busy', { name: '_acme-challenge', type: 'TXT', content: 'token', ttl: 60 }),
  );
  await stack.ready('zdr/challenge');
  await stack.apply(recordObject('www', 'calm', { name: 'www', type: 'A', content: '192.0.2.2' }, 'other'));
  await stack.ready('-n', 'other', 'zdr/www');
  // The other namespace did not wait for the end of the queue: `first`, `many` and the challenge.
  expect(await writtenBefore('busy.example', 'calm.example')).toBeLessThan(1 + many.length + 1);
  expect(await mostInAMinute('busy.example')).toBeLessThanOrEqual(OF_ONE_NAMESPACE.most + 1);
});

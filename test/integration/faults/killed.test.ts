// SIGKILL in the middle of a load of writes, on a stack of its own of real processes: the api, one of Postgres'
// backends (which makes Postgres recover), and Postgres itself. Afterwards every acknowledged write is served, no
// change is half done, and everything works without any repair.
import { randomInt } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import postgres, { type Sql } from 'postgres';
import { Agent } from 'undici';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { type KnotControl, knotControl } from '#nameserver/knot/control.ts';
import { allocatePorts } from '../../../deploy/local/parts/ports.ts';
import { removePostgresState } from '../../../deploy/local/parts/postgres.ts';
import { type Service, startService } from '../../../deploy/local/service.ts';
import { checkAllZones } from '../../support/dns/check-zones.ts';
import { createResolver, type Resolver } from '../../support/dns/resolver.ts';
import { createRequest, type Request } from '../../support/http/requests.ts';
import { temporaryFolder } from '../../support/runner/temporary.ts';
import { expectWholeHistory } from '../../support/service/history.ts';
import { startWriteLoad, type WriteLoad } from '../../support/service/write-load.ts';

const stateDir = await temporaryFolder('crash');
const { signal } = new AbortController();
const agent = new Agent();
const zones: { id: string; zoneName: string }[] = [];
/** Enough for all kinds of writes to be under way. */
const BEFORE_KILL = 60;
const WRITERS = 3;
const LIMIT_MS = 600_000;

let service: Service;
let request: Request;
let dns: Resolver;
let sql: Sql;
let control: KnotControl;

beforeAll(async () => {
  const names = ['postgres', 'api', 'apiHealth', 'dns', 'nameserverHealth'] as const;
  const ports = await allocatePorts(
    names.map((name) => ({ name, dns: name === 'dns' })),
    { stateDir },
  );
  const lists = { dns: [ports.dns], nameserverHealth: [ports.nameserverHealth] };
  service = await startService({
    stateDir,
    ports: { ...ports, ...lists },
    limits: false,
    durable: true,
    main: inject('program'),
    progress: () => {},
    signal,
  });
  control = knotControl({ socket: join(stateDir, 'nodes', 'ns1', 'knot', 'knot.sock') });
  const { team, key } = service.keys.first;
  request = createRequest(service.url, agent, key);
  dns = createResolver(service.dns, stateDir);
  sql = postgres(service.databaseUrl, { max: 1, onnotice: () => undefined });
  for (const zoneName of ['one.test', 'two.test', 'three.test']) {
    const reply = await request('POST', '/zones', { zoneName, owner: `org:${team}` });
    zones.push({ id: reply.body.id as string, zoneName });
  }
});
afterAll(async () => {
  await sql?.end({ timeout: 1 });
  control?.close();
  await agent.close();
  await service?.stop();
  await removePostgresState(stateDir);
});

async function until(load: WriteLoad, more: number): Promise<void> {
  const target = load.acknowledged() + more;
  await expect.poll(() => load.acknowledged(), { timeout: 100_000 }).toBeGreaterThanOrEqual(target);
  // At any moment of a transaction.
  await sleep(randomInt(20));
}

async function expectWhole(load: WriteLoad): Promise<void> {
  await load.settle(dns);
  await expectWholeHistory(sql);
  const { zones: checked, errors } = await checkAllZones(control, stateDir);
  expect([checked, errors]).toEqual([zones.length, []]);
}

test('the api is killed twice during a load, and a repeated POST gets its first answer', {
  timeout: LIMIT_MS,
}, async () => {
  const load = startWriteLoad(request, zones, WRITERS);
  for (let round = 1; round <= 2; round += 1) {
    await until(load, BEFORE_KILL);
    await service.running.part('api').stop({ signal: 'SIGKILL' });
    await service.running.start('api');
  }
  await until(load, BEFORE_KILL);
  await load.stop();
  expect(load.doubtful()).toBeGreaterThan(0);
  expect(await load.repeat()).toBeGreaterThan(0);
  await expectWhole(load);
  await request('DELETE', `/zones/${zones.pop()?.id}`);
});

test('the api is killed in the middle of a large restore: nothing is half done, and a repetition restores everything', {
  timeout: LIMIT_MS,
}, async () => {
  const [zone] = zones;
  const records = async () => {
    const [row] =
      await sql`select count(*)::int as n from records r join zones z on z.no = r.zone_no where z.id = ${zone?.id ?? ''}`;
    return row?.n as number;
  };
  const file = (lines: number) => Array.from({ length: lines }, (_, i) => `big${i} A 192.0.2.${i % 250}`).join('\n');
  const upload = (text: string) =>
    agent.request({
      origin: service.url,
      path: `/v1/dns/zones/${zone?.id}/zonefile`,
      method: 'PUT',
      headers: { authorization: `Bearer ${service.keys.first.key}`, 'content-type': 'text/dns' },
      body: text,
    });
  const many = await upload(file(3_000));
  expect([many.statusCode, await many.body.text()]).toEqual([200, expect.any(String)]);
  const [moment] = await sql`select now() as now`;
  const [full, at] = [await records(), new Date(moment?.now as Date).toISOString()];
  const few = await upload(file(1));
  expect([few.statusCode, await few.body.text()]).toEqual([200, expect.any(String)]);
  const [left, headers] = [await records(), { 'idempotency-key': 'restore-and-die' }];
  expect([left, full - left]).toEqual([1, 2_999]);
  const restore = () => request('POST', `/zones/${zone?.id}:restore`, { at }, service.keys.first.key, headers);
  // The lock keeps the transaction between its records and its history.
  const lost = await sql.begin(async (tx) => {
    await tx`lock table changes in share mode`;
    const answer = restore().catch((error: unknown) => error);
    const waiting = async () => {
      const rows = await tx`select from pg_locks where relation = 'changes'::regclass and not granted`;
      return rows.length;
    };
    await expect.poll(waiting, { timeout: 100_000 }).toBeGreaterThan(0);
    await service.running.part('api').stop({ signal: 'SIGKILL' });
    return answer;
  });
  expect(lost).toBeInstanceOf(Error);
  expect([left, full]).toContain(await records());
  await service.running.start('api');
  const again = await restore();
  expect([again.status, again.body.total]).toEqual([200, { differences: 2_999, conflicts: 0, owned: 0 }]);
  expect(await records()).toBe(full);
  expect((await restore()).body).toEqual(again.body);
  await expectWholeHistory(sql);
});

test('a backend of Postgres is killed during a load, and the api recovers automatically', {
  timeout: LIMIT_MS,
}, async () => {
  const api = service.running.part('api').pid;
  await replaceZones('four.test', 'five.test');
  const load = startWriteLoad(request, zones, WRITERS);
  await until(load, BEFORE_KILL);
  const [backend] = await sql`
    select pid from pg_stat_activity where application_name <> '' and pid <> pg_backend_pid()
      and backend_type = 'client backend' and usename = 'zonestead' order by state_change desc limit 1`;
  process.kill(backend?.pid as number, 'SIGKILL');
  await until(load, BEFORE_KILL);
  await load.stop();
  expect(service.running.part('api').pid).toBe(api);
  await expectWhole(load);
});

test('Postgres is killed during a load and started again, and the api recovers automatically', {
  timeout: LIMIT_MS,
}, async () => {
  const api = service.running.part('api').pid;
  await replaceZones('six.test', 'seven.test');
  const load = startWriteLoad(request, zones, WRITERS);
  await until(load, BEFORE_KILL);
  await service.running.part('postgres').stop({ signal: 'SIGKILL' });
  // Writes wait for a short outage, so this one lasts until the first of them is refused or has no answer.
  await expect.poll(() => load.doubtful() + load.busy(), { timeout: 60_000 }).toBeGreaterThan(0);
  await service.running.start('postgres');
  await until(load, BEFORE_KILL);
  await load.stop();
  expect(service.running.part('api').pid).toBe(api);
  await expectWhole(load);
});

/** Each load keeps book of whole zones. */
async function replaceZones(...names: string[]): Promise<void> {
  for (const { id } of zones.splice(0)) expect((await request('DELETE', `/zones/${id}`)).status).toBe(204);
  const owner = `org:${service.keys.first.team}`;
  for (const zoneName of names) {
    const reply = await request('POST', '/zones', { zoneName, owner });
    zones.push({ id: reply.body.id as string, zoneName });
  }
}

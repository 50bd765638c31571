// The api process is killed with SIGKILL in the middle of a load of writes: what was answered with 201 is served, and
// nothing is there by half. Twice, without any repair between. And it ends in order: what is half sent by then is answered.
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Agent } from 'undici';
import { afterAll, expect, test } from 'vitest';
import { startCommand } from '../../../src/cli/up/parts/command.ts';
import type { Part } from '../../../src/cli/up/parts/part.ts';
import { allocatePorts } from '../../../src/cli/up/parts/ports.ts';
import { createRequest } from '../../support/api.ts';
import { NAMESERVERS, startTestService } from '../../support/service.ts';

const service = await startTestService();
const { sql } = service;
const zone = await service.zone('killed.example');
const { signal } = new AbortController();
const stateDir = await mkdtemp(join(tmpdir(), 'zonestead-killed-'));
await chmod(stateDir, 0o755);
const ports = await allocatePorts([{ name: 'api' }, { name: 'health' }], { stateDir });
const agent = new Agent();
const request = createRequest(`http://127.0.0.1:${ports.api}`, agent, service.admin.text);
let api: Part | undefined;

afterAll(async () => {
  await api?.stop();
  await agent.close();
  await rm(stateDir, { recursive: true, force: true });
});

async function start(): Promise<Part> {
  const env = {
    DATABASE_URL: service.database.url,
    ZONESTEAD_LISTEN: `127.0.0.1:${ports.api}`,
    ZONESTEAD_NAMESERVERS: NAMESERVERS.join(','),
    ZONESTEAD_LIMITS: 'off',
  };
  api = await startCommand({ name: 'api', env, healthPort: ports.health, stateDir, signal });
  return api;
}

interface Write {
  name: string;
  token: string;
  /** Undefined: the connection broke before an answer came. */
  status?: number;
  id?: string;
}
const write = async (round: number, n: number): Promise<Write> => {
  const [name, token] = [`r${round}-${n}`, `token-${round}-${n}`];
  const body = { name, type: 'A', content: '192.0.2.1' };
  const headers = { 'idempotency-key': token };
  try {
    const reply = await request('POST', `/zones/${zone.id}/records`, body, undefined, headers);
    return { name, token, status: reply.status, id: reply.body.id as string };
  } catch {
    return { name, token };
  }
};

/** Eight writers, until the server is gone. */
async function load(round: number, killAfter: number, kill: () => Promise<void>): Promise<Write[]> {
  const writes: Write[] = [];
  let next = 0;
  let killed: Promise<void> | undefined;
  const writer = async () => {
    for (;;) {
      const done = await write(round, next++);
      writes.push(done);
      if (done.status === undefined) return;
      if (writes.length >= killAfter) killed ??= kill();
    }
  };
  await Promise.all(Array.from({ length: 8 }, writer));
  await killed;
  return writes;
}

test('every 201 is served by DNS, nothing is there by half, and a repetition finds its answer', {
  timeout: 120_000,
}, async () => {
  let running = await start();
  for (const round of [1, 2]) {
    const writes = await load(round, 80, () => running.stop({ signal: 'SIGKILL' }));
    const answered = writes.filter(({ status }) => status === 201);
    const broken = writes.filter(({ status }) => status === undefined);
    expect(answered.length).toBeGreaterThanOrEqual(72);
    expect(broken.length).toBe(8);
    expect(answered.length + broken.length).toBe(writes.length);
    for (const { name } of answered) {
      const { answers } = await service.dns.lookup(`${name}.killed.example`, 'A');
      expect(answers).toEqual([`${name}.killed.example 3600 A 192.0.2.1`]);
    }
    await expectNoHalves();

    const stored = new Map((await sql`select name, id from records`).map(({ name, id }) => [name, id]));
    running = await start();
    for (const { name } of [...broken, ...answered.slice(0, 5)]) {
      const again = await write(round, Number(name.split('-')[1]));
      expect(again.status).toBe(201);
      if (stored.has(name)) expect(again.id).toBe(stored.get(name));
    }
  }
  expect(await sql`select name from records group by name having count(*) > 1`).toEqual([]);
});

/** Each record has its history and its kept answer, from one transaction, and each of those has its record. */
async function expectNoHalves(): Promise<void> {
  const halves = await sql`
    select r.id as record, c.after->>'id' as change, i.answer->>'id' as kept
    from records r
    full join (select *, xmin::text as made_by from changes where action = 'record.create') c
      on c.after->>'id' = r.id and c.made_by = r.xmin::text
    full join idempotency i on i.answer->>'id' = coalesce(r.id, c.after->>'id')
    where r.id is null or c.id is null or i.token is null`;
  expect(halves).toEqual([]);
  const serials = await sql`
    select z.serial::text, max(c.serial)::text as latest
    from zones z join changes c on c.zone_id = z.id where z.id = ${zone.id} group by z.serial`;
  expect(serials[0]?.latest).toBe(serials[0]?.serial);
}

test('a process that is told to end answers the request that it has half read, and says that it was the last', async () => {
  await api?.stop();
  const running = await start();
  const socket = connect({ host: '127.0.0.1', port: ports.api as number });
  let answer = '';
  socket.setEncoding('latin1').on('data', (text) => {
    answer += text;
  });
  socket.write(`GET /v1/dns/zones HTTP/1.1\r\nHost: api\r\nAuthorization: Bearer ${service.admin.text}\r\n`);
  await sleep(100);
  process.kill(running.pid, 'SIGTERM');
  await sleep(300);
  socket.write('\r\n');
  await expect.poll(() => answer, { timeout: 5_000 }).toMatch(/^HTTP\/1\.1 200 .*connection: close/is);
  await expect.poll(() => socket.readyState, { timeout: 5_000 }).toBe('closed');
  await running.stop();
});

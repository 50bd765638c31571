// The only Postgres goes away and comes back, while clients read and write through a real api process. Each of their
// requests has an answer in time, 503 with Retry-After, because the api stays ready: a Service without a ready pod
// would refuse connections.
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, request as send } from 'undici';
import { afterAll, beforeAll, expect, inject, onTestFinished, test } from 'vitest';
import { prepareDatabase } from '#service/accounts/bootstrap.ts';
import { startCommand } from '../../../deploy/local/parts/command.ts';
import { processesIn } from '../../../deploy/local/parts/liveness.ts';
import type { Part } from '../../../deploy/local/parts/part.ts';
import { allocatePorts } from '../../../deploy/local/parts/ports.ts';
import { type Postgres, removePostgresState, startPostgres } from '../../../deploy/local/parts/postgres.ts';
import { createRequest, type Reply } from '../../support/http/requests.ts';
import { debianPostgres } from '../../support/postgres/debian-postgres.ts';
import { temporaryFolder } from '../../support/runner/temporary.ts';
import { mintTestKey } from '../../support/service/keys.ts';

const folder = await temporaryFolder('database-away');
const { signal } = new AbortController();
const agent = new Agent({ connections: 64 });
const LIMIT_MS = 300_000;
const SOON_MS = 60_000;
/** A failover may end the first wait of a request; documented are 2 s, and 5 s for a server that falls silent. */
const FIRST_MS = { stopped: 2_000, silent: 5_000 };
/** Another statement of the request may wait for the search. */
const SEARCH_MS = 2_000;
/** The bar for the slowest of many requests on a busy machine, beyond what is documented. */
const BUSY_MS = 10_000;
/** A request that comes later does not wait. The bar for half of them. */
const AT_ONCE_MS = 1_000;

/** The names of records, in all tests. */
let turns = 0;
let server: Postgres;
let api: Part;
let zone: string;
let key: { text: string; team: string };
const ports = await allocatePorts([{ name: 'api' }, { name: 'health' }, { name: 'postgres' }], { stateDir: folder });
const request = (...[method, path, body]: Parameters<ReturnType<typeof createRequest>>) =>
  createRequest(`http://127.0.0.1:${ports.api}`, agent, key.text)(method, path, body);

const start = async () =>
  startPostgres({
    binDir: await debianPostgres(),
    stateDir: join(folder, 'state'),
    port: ports.postgres as number,
    durable: false,
    signal,
  });

beforeAll(async () => {
  await mkdir(join(folder, 'state'), { mode: 0o755 });
  server = await start();
  const password = (await readFile(join(folder, 'state/postgres/password'), 'utf8')).trim();
  const service = { name: 'zonestead', password };
  const url = await prepareDatabase(server.url, 'zonestead', { service });
  key = await mintTestKey(url, { recordWrites: 1_000_000 });
  const env = {
    DATABASE_URL: url,
    ZONESTEAD_LISTEN: `127.0.0.1:${ports.api}`,
    ZONESTEAD_NAMESERVERS: 'ns1.zonestead.test',
    ZONESTEAD_RESOLVER: '127.0.0.1:1',
    ZONESTEAD_LIMITS: 'off',
  };
  const healthPort = ports.health as number;
  api = await startCommand({ name: 'api', env, main: inject('program'), healthPort, stateDir: folder, signal });
  const reply = await request('POST', '/zones', { zoneName: 'away.test', owner: `org:${key.team}` });
  expect(reply.status).toBe(200);
  zone = reply.body.id as string;
}, LIMIT_MS);
afterAll(async () => {
  await api?.stop();
  await agent.close();
  await server?.stop();
  await removePostgresState(join(folder, 'state'));
});

async function health(path: string): Promise<{ status: number; text: string }> {
  const answer = await send(`http://127.0.0.1:${ports.health}${path}`, { reset: true });
  return { status: answer.statusCode, text: await answer.body.text() };
}
const isUp = async () => /^zonestead_database_up (\d)$/m.exec((await health('/metrics')).text)?.[1];

interface Answer {
  what: string;
  sentMs: number;
  tookMs: number;
  reply: Reply;
}

/** Sends requests of all kinds, none of which waits for the others, and asks for the readiness. */
function startClients(): { stop(): Promise<{ answers: Answer[]; ready: number[] }> } {
  const began = performance.now();
  const pending: Promise<Answer>[] = [];
  const ready: Promise<number>[] = [];
  const kinds: Record<string, (n: number) => Promise<Reply>> = {
    'read of zones': () => request('GET', '/zones'),
    'read of records': () => request('GET', `/zones/${zone}/records`),
    write: (n) => request('POST', `/zones/${zone}/records`, { name: `n${n}`, type: 'A', content: '192.0.2.1' }),
    batch: (n) =>
      request('POST', `/zones/${zone}/records:batch`, {
        changes: [{ action: 'create', record: { name: `b${n}`, type: 'A', content: '192.0.2.1' } }],
      }),
    'read of the PowerDNS API': async () => {
      const answer = await send(`http://127.0.0.1:${ports.api}/api/v1/servers/localhost/zones`, {
        dispatcher: agent,
        headers: { 'x-api-key': key.text },
      });
      return { status: answer.statusCode, headers: answer.headers, text: await answer.body.text(), body: {} };
    },
  };
  const timer = setInterval(() => {
    turns += 1;
    const turn = turns;
    for (const [what, run] of Object.entries(kinds)) {
      const sent = performance.now();
      const answer = async () => {
        const reply = await run(turn);
        return { what, sentMs: sent - began, tookMs: performance.now() - sent, reply };
      };
      pending.push(answer());
    }
    ready.push(health('/readyz').then(({ status }) => status));
  }, 200);
  return {
    stop: async () => {
      clearInterval(timer);
      return { answers: await Promise.all(pending), ready: await Promise.all(ready) };
    },
  };
}

/** @param waitMs how long a request may wait that was there when the database went away */
async function expectAnswers(clients: ReturnType<typeof startClients>, waitMs: number): Promise<void> {
  const { answers, ready } = await clients.stop();
  const outages = answers.filter(({ reply }) => reply.status === 503);
  expect(new Set(outages.map(({ what }) => what)).size).toBe(5);
  const others = answers.filter(({ reply }) => reply.status >= 400 && reply.status !== 503);
  expect(others.map(({ what, reply }) => [what, reply.status, reply.text])).toEqual([]);
  expect(new Set(outages.map(({ reply }) => reply.headers['retry-after']))).toEqual(new Set(['1']));
  expect(Math.max(...answers.map(({ tookMs }) => tookMs))).toBeLessThan(waitMs + SEARCH_MS + BUSY_MS);
  const first = Math.min(...outages.map(({ sentMs }) => sentMs));
  const later = outages.filter(({ sentMs }) => sentMs > first + waitMs + SEARCH_MS);
  expect(later.length).toBeGreaterThan(20);
  const times = later.map(({ tookMs }) => tookMs).sort((a, b) => a - b);
  expect(times[Math.floor(times.length / 2)]).toBeLessThan(AT_ONCE_MS);
  expect(new Set(ready)).toEqual(new Set([200]));
}

const written = async () => (await request('PATCH', `/zones/${zone}`, { comment: 'back' })).status;

test('while Postgres is stopped, each read and each write is answered 503 with Retry-After, and the api stays ready', {
  timeout: LIMIT_MS,
}, async () => {
  expect(await isUp()).toBe('1');
  expect((await health('/readyz?deep')).status).toBe(200);
  const clients = startClients();
  onTestFinished(() => void clients.stop());
  await sleep(1_000);
  await server.stop();
  await sleep(9_000);
  expect(await isUp()).toBe('0');
  const deep = await health('/readyz?deep');
  expect(deep).toEqual({ status: 503, text: expect.stringContaining('no server of the database takes writes') });
  expect((await health('/healthz')).status).toBe(200);
  await expectAnswers(clients, FIRST_MS.stopped);
  const { text } = await health('/metrics');
  const counted = ['read', 'write'].map((kind) =>
    Number(new RegExp(`^zonestead_api_outage_answers_total\\{kind="${kind}"\\} (\\d+)$`, 'm').exec(text)?.[1]),
  );
  // In each turn, three requests read and two write.
  for (const count of counted) expect(count).toBeGreaterThan(20);
  expect(Math.abs((counted[0] ?? 0) / (counted[1] ?? 0) - 1.5)).toBeLessThan(0.3);
  server = await start();
  await expect.poll(written, { timeout: SOON_MS }).toBe(200);
  expect(await isUp()).toBe('1');
  expect((await health('/readyz?deep')).status).toBe(200);
});

test('while Postgres is silent, each read and each write is answered 503 with Retry-After, and the api stays ready', {
  timeout: LIMIT_MS,
}, async () => {
  const signalAll = (name: 'SIGSTOP' | 'SIGCONT') => {
    for (const pid of processesIn(join(folder, 'state/postgres/data'))) process.kill(pid, name);
  };
  const clients = startClients();
  onTestFinished(() => {
    signalAll('SIGCONT');
    void clients.stop();
  });
  await sleep(1_000);
  signalAll('SIGSTOP');
  await sleep(13_000);
  expect(await isUp()).toBe('0');
  await expectAnswers(clients, FIRST_MS.silent);
  signalAll('SIGCONT');
  await expect.poll(written, { timeout: SOON_MS }).toBe(200);
  expect(await isUp()).toBe('1');
});

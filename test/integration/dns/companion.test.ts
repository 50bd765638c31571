// The companion of a real PowerDNS: the age of answers without it, its behavior while PowerDNS, the control socket or the
// database is unavailable, and its query rate.
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, describe, expect, inject, it, onTestFinished } from 'vitest';
import { readConfig } from '#config.ts';
import { runCompanion } from '#nameserver/companion/companion.ts';
import { changedZones, currentHorizon } from '#store/changed-zones.ts';
import { openDatabase } from '#store/database.ts';
import { createLogger } from '#telemetry/log.ts';
import { startPowerDns } from '../../../deploy/local/parts/powerdns.ts';
import { startTestService } from '../../support/service.ts';
import { startTcpRelay } from '../../support/tcp-relay.ts';
import { temporaryFolder } from '../../support/temporary.ts';

const service = await startTestService({ nameserverCompanion: false });
const { dns, request } = service;
const zone = await service.zone('kept.example');
const { port, nameserverPassword } = inject('postgres');
const relay = await startTcpRelay(port);
afterAll(() => relay.close());

/** The default setting. */
const { ZONESTEAD_POLL_MS: POLL_MS } = readConfig(['ZONESTEAD_POLL_MS'], {});
/** How long PowerDNS itself caches an answer, in ms (cache-ttl in pdns-conf.ts). */
const CACHED_MS = 5_000;
/** Well below CACHED_MS: if the answer is new after this time, the companion purged it. */
const SOON_MS = 2_500;

const silent = createLogger({ name: 'nameserver', level: 'silent' });
const address = async (name: string) => (await dns.lookup(`${name}.kept.example`, 'A')).answers[0]?.split(' ')[3];

/** Starts a companion that reaches the database through the relay, and stops it at the end of the test. */
function startCompanion(socket: string) {
  const url = new URL(service.database.nameserverUrl);
  url.port = String(relay.port);
  const { db, close } = openDatabase(url.href, { name: 'test-companion', max: 1, statementTimeoutMs: 2_000 });
  const looks = { ok: 0, failed: 0 };
  const stopping = new AbortController();
  const onLook = (ok: boolean) => {
    looks[ok ? 'ok' : 'failed'] += 1;
  };
  const running = runCompanion({ db, socket, pollMs: POLL_MS, log: silent, onLook }, stopping.signal);
  onTestFinished(async () => {
    stopping.abort();
    await running;
    await close();
  });
  return looks;
}

async function queriesContinue(looks: { ok: number }): Promise<void> {
  const { ok } = looks;
  await expect.poll(() => looks.ok, { timeout: 15_000 }).toBeGreaterThan(ok + 1);
}

/** Asks without a pause until the answer is `content`, and returns the time in ms. */
async function until(name: string, content: string): Promise<number> {
  const since = performance.now();
  while ((await address(name)) !== content) {
    if (performance.now() - since > 2 * CACHED_MS) return Number.POSITIVE_INFINITY;
    await sleep(5);
  }
  return performance.now() - since;
}

async function change({ id }: { id: string }, name: string, content: string): Promise<void> {
  const { status } = await request('PUT', `/zones/${zone.id}/records/${id}`, { name, type: 'A', content });
  expect(status).toBe(200);
}

it('without a companion PowerDNS serves an old answer for 5 s at most', async () => {
  const changed = await service.record(zone, 'changed', 'A', '192.0.2.1');
  expect(await address('changed')).toBe('192.0.2.1');
  expect(await address('denied')).toBeUndefined();
  await change(changed, 'changed', '192.0.2.2');
  await service.record(zone, 'denied', 'A', '192.0.2.3');
  const times = await Promise.all([until('changed', '192.0.2.2'), until('denied', '192.0.2.3')]);
  for (const ms of times) {
    // PowerDNS counts in whole seconds.
    expect(ms).toBeLessThan(CACHED_MS + 1_500);
    expect(ms).toBeGreaterThan(SOON_MS);
  }
});

describe('the companion', () => {
  it('continues after PowerDNS was killed and started again', async () => {
    const looks = startCompanion(service.powerdns.socket);
    const record = await service.record(zone, 'killed', 'A', '192.0.2.1');
    await queriesContinue(looks);
    await service.powerdns.part.stop({ signal: 'SIGKILL', graceMs: 1_000 });
    await change(record, 'killed', '192.0.2.2');
    await expect.poll(() => looks.failed, { timeout: 10_000 }).toBeGreaterThan(0);
    const started = await startPowerDns({
      command: inject('tools').pdnsServer,
      stateDir: join(service.powerdnsFolder, '..'),
      port: dns.port,
      database: { host: '127.0.0.1', port, name: service.database.name, password: nameserverPassword },
      signal: new AbortController().signal,
    });
    service.powerdns.part = started.part;
    await queriesContinue(looks);
    expect(await until('killed', '192.0.2.2')).toBeLessThan(SOON_MS);
    await change(record, 'killed', '192.0.2.3');
    expect(await until('killed', '192.0.2.3')).toBeLessThan(SOON_MS);
  });

  it('purges the changes of an outage of the database after it', async () => {
    const looks = startCompanion(service.powerdns.socket);
    const record = await service.record(zone, 'away', 'A', '192.0.2.1');
    await queriesContinue(looks);
    relay.lead();
    relay.cut();
    await expect.poll(() => looks.failed, { timeout: 10_000 }).toBeGreaterThan(0);
    expect(await address('away')).toBe('192.0.2.1');
    await change(record, 'away', '192.0.2.2');
    expect(await address('away')).toBe('192.0.2.1');
    relay.lead(port);
    expect(await until('away', '192.0.2.2')).toBeLessThan(SOON_MS);
    await queriesContinue(looks);
  });

  it('purges a zone again if PowerDNS did not answer the first time', async () => {
    const control = await fakeControlSocket();
    const looks = startCompanion(control.path);
    await queriesContinue(looks);
    control.answer = 'busy';
    await service.record(zone, 'again', 'A', '192.0.2.1');
    await expect.poll(() => looks.failed, { timeout: 10_000 }).toBeGreaterThan(0);
    expect(control.commands).toContain('PURGE kept.example$');
    // Other purges must not be taken for this one.
    control.commands.length = 0;
    control.answer = '1';
    await queriesContinue(looks);
    expect(control.commands.filter((command) => command === 'PURGE kept.example$')).toHaveLength(2);
  });

  it('queries the database as often as its setting says, 40 times a second', async () => {
    expect(POLL_MS).toBe(25);
    const control = await fakeControlSocket();
    const looks = startCompanion(control.path);
    await queriesContinue(looks);
    // The same work at the current speed of this machine: a busy machine slows both.
    const { db, close } = openDatabase(service.database.nameserverUrl, { name: 'test-companion', max: 1 });
    try {
      const { horizon } = await currentHorizon(db);
      const before = looks.ok;
      const ROUNDS = 60;
      for (let round = 0; round < ROUNDS; round++) {
        await changedZones(db, horizon);
        await sleep(25);
      }
      expect(looks.ok - before).toBeGreaterThan(ROUNDS / 2);
      expect(looks.ok - before).toBeLessThan(ROUNDS * 2);
    } finally {
      await close();
    }
  });
});

/** Accepts commands as PowerDNS does, one per connection, and answers each with `answer`. */
async function fakeControlSocket() {
  const path = join(await temporaryFolder('control'), 'socket');
  const control = { path, answer: '0', commands: [] as string[] };
  const server: Server = createServer((connection) => {
    connection.on('error', () => undefined);
    connection.once('data', (chunk) => {
      control.commands.push(String(chunk).trim());
      connection.end(control.answer);
    });
  });
  await new Promise<void>((resolve) => server.listen(path, resolve));
  onTestFinished(() => new Promise<void>((resolve) => server.close(() => resolve())));
  return control;
}

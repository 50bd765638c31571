// Name servers that read from standbys of a real Postgres: one standby serves as well as the primary, and no old answer is
// left after a failover to the other one. An address that distributes connections over both keeps the pod unready.
import { mkdtemp, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Agent } from 'undici';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { startCommand } from '../../../deploy/local/parts/command.ts';
import { allocatePorts } from '../../../deploy/local/parts/ports.ts';
import { type Postgres, removePostgresState } from '../../../deploy/local/parts/postgres.ts';
import { ensurePowerDns, startPowerDns } from '../../../deploy/local/parts/powerdns.ts';
import { readSecrets } from '../../../deploy/local/secrets.ts';
import { type Service, startService } from '../../../deploy/local/service.ts';
import { createRequest, type Request } from '../../support/api.ts';
import { debianPostgres } from '../../support/debian-postgres.ts';
import { createResolver } from '../../support/resolver.ts';
import { startStandby } from '../../support/standby.ts';
import { startTcpRelay, type TcpRelay } from '../../support/tcp-relay.ts';
import { temporaryFolder } from '../../support/temporary.ts';

const stateDir = await temporaryFolder('standbys');
const { signal } = new AbortController();
const agent = new Agent();
const START_LIMIT_MS = 120_000;
/** PowerDNS itself caches answers for 5 s: if an answer is new earlier, it was purged. */
const SOON_MS = 2_500;

let service: Service;
let request: Request;
let ports: Record<'dns' | 'health' | 'balancedHealth' | 'standbyA' | 'standbyB', number>;
const standbys: Postgres[] = [];
let relay: TcpRelay;
let databaseUrl: string;
let zone: { id: string };

beforeAll(async () => {
  const programs = await debianPostgres();
  const primaryPorts = await allocatePorts(
    (['postgres', 'api', 'apiHealth', 'dns', 'nameserverHealth'] as const).map((name) => ({
      name,
      dns: name === 'dns',
    })),
    { stateDir },
  );
  const options = { stateDir, ports: primaryPorts, limits: false, durable: false, postgresPrograms: programs };
  service = await startService({ ...options, progress: () => {}, signal });
  const { team, key } = service.keys.first;
  request = createRequest(service.url, agent, key);
  zone = (await request('POST', '/zones', { zoneName: 'far.example', owner: `org:${team}` })).body as { id: string };
  const folder = await mkdtemp(join(stateDir, 'far-'));
  ports = await allocatePorts(
    (['dns', 'health', 'balancedHealth', 'standbyA', 'standbyB'] as const).map((name) => ({
      name,
      dns: name === 'dns',
    })),
    { stateDir: folder },
  );
  const password = (await readFile(join(stateDir, 'postgres', 'password'), 'utf8')).trim();
  const primary = { stateDir, port: primaryPorts.postgres, password };
  for (const port of [ports.standbyA, ports.standbyB]) {
    standbys.push(await startStandby({ programs, primary, stateDir: await temporaryFolder('standby'), port, signal }));
  }
  relay = await startTcpRelay(ports.standbyA);
  const { nameserverPassword } = await readSecrets(stateDir);
  databaseUrl = `postgres://pdns:${nameserverPassword}@127.0.0.1:${relay.port}/zonestead`;
}, START_LIMIT_MS);
afterAll(async () => {
  await relay?.close();
  await Promise.all(standbys.map((standby) => standby.stop()));
  await agent.close();
  await service?.stop();
  await removePostgresState(stateDir);
});

/** Starts the real process, and stops it at the end of the test. */
async function startNameserver(socket: string, healthPort: number, folder: string, limit = signal) {
  const env = { ZONESTEAD_NAMESERVER_DATABASE_URL: databaseUrl, ZONESTEAD_PDNS_SOCKET: socket };
  const part = await startCommand({ name: 'nameserver', env, healthPort, stateDir: folder, signal: limit });
  onTestFinished(() => part.stop());
}

async function readiness(healthPort: number) {
  const answer = await fetch(`http://127.0.0.1:${healthPort}/readyz`);
  return { status: answer.status, text: await answer.text() };
}

it('a standby serves every change soon, before and after a failover to another one', async () => {
  const folder = await mkdtemp(join(stateDir, 'one-'));
  const command = await ensurePowerDns({ progress: () => {}, signal });
  const { nameserverPassword } = await readSecrets(stateDir);
  const database = { host: '127.0.0.1', port: relay.port, name: 'zonestead', password: nameserverPassword };
  const powerdns = await startPowerDns({ command, stateDir: folder, port: ports.dns, database, signal });
  onTestFinished(() => powerdns.part.stop());
  await startNameserver(powerdns.socket, ports.health, folder);
  const dns = createResolver({ address: '127.0.0.1', port: ports.dns }, folder);
  const records = `/zones/${zone.id}/records`;
  const made = await request('POST', records, { name: 'www', type: 'A', content: '192.0.2.0' });
  const address = async () => (await dns.lookup('www.far.example', 'A')).answers[0]?.split(' ')[3];
  const changeTo = async (content: string) => {
    await address();
    await request('PUT', `${records}/${made.body.id}`, { name: 'www', type: 'A', content });
    await expect.poll(address, { timeout: SOON_MS, interval: 10 }).toBe(content);
  };
  for (const content of ['192.0.2.1', '192.0.2.2', '192.0.2.3']) await changeTo(content);
  relay.lead(ports.standbyB);
  relay.cut();
  await expect.poll(async () => (await readiness(ports.health)).status, { timeout: 10_000 }).toBe(200);
  for (const content of ['192.0.2.4', '192.0.2.5', '192.0.2.6']) await changeTo(content);
  expect((await readiness(ports.health)).status).toBe(200);
}, 60_000);

it('the name server names an address that distributes connections over two standbys, and does not become ready', async () => {
  const folder = await mkdtemp(join(stateDir, 'balanced-'));
  relay.lead(ports.standbyA, ports.standbyB);
  const enough = new AbortController();
  const starting = startNameserver(join(folder, 'socket'), ports.balancedHealth, folder, enough.signal);
  const neverReady = expect(starting).rejects.toThrow('enough was seen');
  await expect
    .poll(async () => (await readiness(ports.balancedHealth).catch(() => null))?.text ?? '', { timeout: 25_000 })
    .toContain('leads to several PostgreSQL servers in turn');
  await sleep(500);
  expect((await readiness(ports.balancedHealth)).status).toBe(503);
  const metrics = await (await fetch(`http://127.0.0.1:${ports.balancedHealth}/metrics`)).text();
  expect(metrics).toMatch(/^zonestead_nameserver_database_servers\S* 2$/m);
  enough.abort(new Error('enough was seen'));
  await neverReady;
}, 60_000);

// The name servers need no other program to answer: Postgres, the api, the nodes and each knotd are killed with -9, and
// no query fails. The DNS side of `npm run up`, with two name servers, every part a process of its own.
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { type Client, createClient } from '#client/client.ts';
import { createRecord } from '#contract/operations/records.ts';
import { createZone, listDsRecords } from '#contract/operations/zones.ts';
import type { NameServer } from '../../deploy/local/name-servers.ts';
import { allocatePorts } from '../../deploy/local/parts/ports.ts';
import { removePostgresState } from '../../deploy/local/parts/postgres.ts';
import { type Service, startService } from '../../deploy/local/service.ts';
import { answered, denied, startAsking } from '../support/dns/asking.ts';
import { createResolver, type Resolver } from '../support/dns/resolver.ts';

const ZONE = 'alone.example';
const KILLED = { signal: 'SIGKILL' } as const;
/** Right answers of each name server in each part of the outage. */
const ENOUGH = 50;

const { signal } = new AbortController();
let stateDir: string;
let service: Service;
let client: Client;
let zoneId: string;
let servers: (NameServer & { dns: Resolver })[];

beforeAll(async () => {
  stateDir = await mkdtemp(join(tmpdir(), 'zonestead-alone-'));
  // Postgres, which refuses root, must get through to its data.
  await chmod(stateDir, 0o711);
  const found = await allocatePorts(
    [
      ...(['postgres', 'api', 'apiHealth', 'health1', 'health2'] as const).map((name) => ({ name })),
      ...(['dns1', 'dns2'] as const).map((name) => ({ name, dns: true })),
    ],
    { stateDir },
  );
  const ports = { ...found, dns: [found.dns1, found.dns2], nameserverHealth: [found.health1, found.health2] };
  const main = inject('program');
  service = await startService({
    stateDir,
    ports,
    limits: false,
    durable: false,
    main,
    progress: () => undefined,
    signal,
  });
  servers = service.nameServers.map((server) => ({ ...server, dns: createResolver(server, stateDir) }));
  client = createClient({ baseUrl: service.url, key: service.keys.first.key });
  zoneId = (await client.call(createZone, { body: { zoneName: ZONE, owner: `org:${service.keys.first.team}` } })).id;
});
afterAll(async () => {
  await client?.close();
  await service?.stop();
  await removePostgresState(stateDir);
  await rm(stateDir, { recursive: true, force: true });
});

const put = (name: string, content: string) =>
  client.call(createRecord, { params: { id: zoneId }, body: { name, type: 'A', content, ttl: 60 } });
const addresses = (name: string) => Promise.all(servers.map(async ({ dns }) => (await dns.lookup(name, 'A')).answers));
const servedByAll = (name: string, content: string) =>
  expect.poll(() => addresses(name)).toEqual(servers.map(() => [`${name} 60 A ${content}`]));

test('no query fails while Postgres and the api are down and every other part restarts; afterwards a change arrives everywhere', async () => {
  const { running } = service;
  await put('www', '192.0.2.1');
  await put('*.apps', '192.0.2.2');
  await servedByAll(`any.apps.${ZONE}`, '192.0.2.2');
  const asking = startAsking(
    servers.map(({ dns }) => dns),
    [
      answered(`www.${ZONE}`, 'A', `www.${ZONE} 60 A 192.0.2.1`),
      answered(`any.apps.${ZONE}`, 'A', `any.apps.${ZONE} 60 A 192.0.2.2`),
      denied(`nothing.${ZONE}`, 'A'),
    ],
  );
  const nodes: Promise<unknown>[] = [];
  try {
    await Promise.all([running.part('postgres').stop(KILLED), running.part('api').stop(KILLED)]);
    await asking.more(ENOUGH);
    // A node that starts without the api is not ready at once: it is awaited at the end.
    for (const { node } of servers) {
      await running.part(node).stop(KILLED);
      await asking.more(ENOUGH);
      const start = running.start(node);
      start.catch(() => undefined);
      nodes.push(start);
    }
    for (const { knot, dns } of servers) {
      await asking.omit(dns);
      await running.part(knot).stop(KILLED);
      await asking.more(ENOUGH);
      await running.start(knot);
      await asking.resume(dns);
      await asking.more(ENOUGH);
    }
    await running.start('postgres');
    await running.start('api');
    await Promise.all(nodes);
    await asking.more(ENOUGH);
  } finally {
    expect(await asking.stop()).toEqual([]);
  }
  await put('after', '192.0.2.3');
  await servedByAll(`after.${ZONE}`, '192.0.2.3');
  const [ds] = (await client.call(listDsRecords, { params: { id: zoneId } })).ds;
  const anchor = { ds: `${ds?.keyTag} ${ds?.algorithm} ${ds?.digestType} ${ds?.digest}` };
  for (const { dns } of servers) {
    expect((await dns.delv(ZONE, `after.${ZONE}`, 'A', anchor)).state).toBe('secure');
    expect(await dns.delv(ZONE, `gone.${ZONE}`, 'A', anchor)).toMatchObject({ state: 'secure', negative: 'nxdomain' });
  }
});

test('a node that is stopped by SIGSTOP delays its own name server alone, and catches up', async () => {
  const [moving, still] = servers as [(typeof servers)[0], (typeof servers)[0]];
  const { pid } = service.running.part(still.node);
  process.kill(pid, 'SIGSTOP');
  try {
    await put('later', '192.0.2.4');
    await expect.poll(() => moving.dns.lookup(`later.${ZONE}`, 'A')).toMatchObject({ rcode: 'NOERROR' });
    expect(await still.dns.lookup(`later.${ZONE}`, 'A')).toMatchObject({ rcode: 'NXDOMAIN' });
    expect(await still.dns.lookup(`after.${ZONE}`, 'A')).toMatchObject({ rcode: 'NOERROR' });
  } finally {
    process.kill(pid, 'SIGCONT');
  }
  await servedByAll(`later.${ZONE}`, '192.0.2.4');
});

// A node with a real api, a real database and a real knotd: the name server answers with the contents of the api, also
// after each fault.
import { randomBytes } from 'node:crypto';
import { Resolver } from 'node:dns/promises';
import { rm } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { zoneEngine } from '#nameserver/knot/zones.ts';
import { adminCompareNodes, adminMintNodeKey } from '#service/nodes/administration.ts';
import { testKnot } from '../../../support/knot/knot.ts';
import { nodeProcess } from '../../../support/knot/node-process.ts';
import { startTestService } from '../../../support/service/service.ts';

const [service, knot] = await Promise.all([
  startTestService({ nameserver: false, warnings: ['two instances report'] }),
  testKnot(),
]);
const { request, record, zone: createZone } = service;
const key = await adminMintNodeKey(service.database.url, 'ns1', {}, randomBytes, new Date());
const node = await nodeProcess(service.url, key.text, 'ns1', knot);
const resolver = new Resolver({ timeout: 5_000, tries: 3 });
resolver.setServers([`127.0.0.1:${knot.port}`]);
/** The addresses of a name, or the code of the failure. */
const addresses = (name: string) =>
  resolver.resolve4(name).then(
    (found) => found.sort().join(),
    (error: NodeJS.ErrnoException) => error.code,
  );
/** REFUSED, as c-ares says it. */
const REFUSED = `E${'REFUSED'}`;
const answered = (name: string, expected: string) => expect.poll(() => addresses(name)).toBe(expected);

test('changes, parked and deleted zones, and a large batch arrive', async () => {
  await node.start();
  const zone = await createZone();
  const { id } = await record(zone, 'www', 'A', '192.0.2.1');
  await answered(`www.${zone.zoneName}`, '192.0.2.1');
  await request('PUT', `/zones/${zone.id}/records/${id}`, { name: 'www', type: 'A', content: '192.0.2.2', ttl: 300 });
  await answered(`www.${zone.zoneName}`, '192.0.2.2');
  const changes = Array.from({ length: 1_000 }, (_, at) => ({
    action: 'create',
    record: { name: `n${at}`, type: 'A', content: '192.0.2.9' },
  }));
  expect(await request('POST', `/zones/${zone.id}/records:batch`, { changes })).toMatchObject({ status: 200 });
  await Promise.all([0, 500, 999].map((at) => answered(`n${at}.${zone.zoneName}`, '192.0.2.9')));
  await request('POST', `/zones/${zone.id}/park`);
  await answered(`www.${zone.zoneName}`, 'ENOTFOUND');
  await request('POST', `/zones/${zone.id}/unpark`);
  await answered(`n500.${zone.zoneName}`, '192.0.2.9');
  await request('DELETE', `/zones/${zone.id}`);
  await answered(`www.${zone.zoneName}`, REFUSED);
});

test('the node converges after kill -9 of itself and of knotd, and without its state', async () => {
  const zone = await createZone();
  await record(zone, 'a', 'A', '192.0.2.1');
  await answered(`a.${zone.zoneName}`, '192.0.2.1');
  await node.stop('SIGKILL');
  await record(zone, 'b', 'A', '192.0.2.2');
  await node.start();
  await answered(`b.${zone.zoneName}`, '192.0.2.2');
  await knot.restart('SIGKILL');
  await record(zone, 'c', 'A', '192.0.2.3');
  await answered(`c.${zone.zoneName}`, '192.0.2.3');
  await node.stop('SIGKILL');
  await rm(node.folder, { recursive: true });
  await record(zone, 'd', 'A', '192.0.2.4');
  await node.start();
  await answered(`d.${zone.zoneName}`, '192.0.2.4');
  await answered(`a.${zone.zoneName}`, '192.0.2.1');
});

test('a comparison finds an edit in knotd, and corrects it', async () => {
  const zone = await createZone();
  await record(zone, 'www', 'A', '192.0.2.1');
  await answered(`www.${zone.zoneName}`, '192.0.2.1');
  const keys = {
    prune: async () => undefined,
    put: async () => {},
    add: async () => {},
    list: async () => [],
    read: async () => '',
    forget: async () => {},
    clean: async () => {},
  };
  const set = { name: 'www', type: 'A', ttl: 300, rdata: ['198.51.100.1'] };
  const { signal } = new AbortController();
  await zoneEngine({ control: knot.control, folder: knot.folder, keys }).change(
    zone.zoneName,
    { names: ['www'], sets: [set], serial: 1 },
    signal,
  );
  await answered(`www.${zone.zoneName}`, '198.51.100.1');
  await adminCompareNodes(service.database.url, randomBytes, new Date());
  await answered(`www.${zone.zoneName}`, '192.0.2.1');
  await expect.poll(() => node.metric('node_differences_total')).toBe(1);
});

test('queries are answered without the api, and with a revoked key', async () => {
  const zone = await createZone();
  await record(zone, 'www', 'A', '192.0.2.1');
  await answered(`www.${zone.zoneName}`, '192.0.2.1');
  await service.sql`update node_keys set revoked_at = now()`;
  await expect.poll(() => node.metric('node_feed_connected')).toBe(0);
  await record(zone, 'www', 'A', '192.0.2.2');
  expect(await addresses(`www.${zone.zoneName}`)).toBe('192.0.2.1');
});

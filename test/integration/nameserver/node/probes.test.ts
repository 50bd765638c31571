// Three nodes as they are, each with its Knot DNS, that probe for health checks because their settings say so.
import { expect, test } from 'vitest';
import { startWebServers, type WebServer } from '../../../support/http/web-servers.ts';
import { startTestService } from '../../../support/service/service.ts';

const LISTS = { ZONESTEAD_CHECK_NETWORKS: '127.0.0.0/8', ZONESTEAD_CHECK_PORTS: '1-65535' };
const service = await startTestService({
  nodes: 3,
  settings: LISTS,
  nodeSettings: { ...LISTS, ZONESTEAD_NODE_PROBES: 'on' },
});
const PATIENCE = { timeout: 20_000, interval: 50 };

test('three nodes decide about an address, and all of them answer without it while it does not work', async () => {
  const { port, servers } = await startWebServers(2);
  const [one, two] = servers as [WebServer, WebServer];
  const check = { type: 'http', port, interval: 1, timeout: 1, failures: 2, successes: 1 };
  expect(await service.request('PUT', '/../checks/web', check)).toMatchObject({ status: 200 });
  const zone = await service.zone('probes.example');
  for (const { address } of servers) await service.record(zone, 'www', 'A', address, { check: 'web' });
  const view = async () => (await service.request('GET', '/../checks/web')).body.targets;
  const both = (unhealthy: number) => [
    expect.objectContaining({ address: one.address, nameServers: { total: 3, unhealthy } }),
    expect.objectContaining({ address: two.address, nameServers: { total: 3, unhealthy: 0 } }),
  ];
  await expect.poll(view, PATIENCE).toEqual(both(0));
  await one.stop();
  for (const server of service.servers)
    await expect
      .poll(
        async () => (await server.lookup('www.probes.example', 'A')).answers.map((line) => line.split(' ').at(-1)),
        PATIENCE,
      )
      .toEqual([two.address]);
  await expect.poll(view, PATIENCE).toEqual(both(3));
  expect(await service.metrics()).toContain('zonestead_check_vantage_points 3');
});

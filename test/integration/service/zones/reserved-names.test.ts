// Zones of reserved names (RFC 6761, RFC 6303) need a setting of the service's administrator.
import { expect, test } from 'vitest';
import { refusal } from '../../../support/http/requests.ts';
import { startTestService } from '../../../support/service/service.ts';

const service = await startTestService();
const list = await service.anotherApi({ settings: { ZONESTEAD_RESERVED_NAMES: '10.in-addr.arpa., Home.arpa' } });
const all = await service.anotherApi({
  settings: { ZONESTEAD_RESERVED_NAMES: 'allow', ZONESTEAD_PUBLIC_SUFFIXES: 'allow' },
});
const create = (zoneName: string, { request } = service as Pick<typeof service, 'request'>) =>
  request('POST', '/zones', { zoneName, owner: `org:${service.admin.team}` });

test.each([
  ['local', 'local'],
  ['Cluster.Local.', 'cluster.local'],
  ['svc.cluster.local', 'cluster.local'],
  ['10.in-addr.arpa', '10.in-addr.arpa'],
  ['1.168.192.in-addr.arpa', '168.192.in-addr.arpa'],
  ['in-addr.arpa', 'in-addr.arpa'],
  ['d.f.ip6.arpa', 'd.f.ip6.arpa'],
])('%s is 403, and the sentence names the setting', async (zoneName, by) => {
  const reply = await create(zoneName);
  expect(refusal(reply)).toBe('403 forbidden');
  expect(reply.body.message).toMatch(/^zoneName: .* reserved for .* \(/);
  expect(reply.body.message).toContain(`ZONESTEAD_RESERVED_NAMES=${by}`);
});

test('a list of names allows them with every name below, and no other one', async () => {
  expect((await create('7.10.in-addr.arpa', list)).status).toBe(200);
  expect((await create('home.arpa', list)).status).toBe(200);
  expect(refusal(await create('168.192.in-addr.arpa', list))).toBe('403 forbidden');
});

test('"allow" allows all of them', async () => {
  for (const zoneName of ['onion', 'cluster.local', 'ip6.arpa']) expect((await create(zoneName, all)).status).toBe(200);
});

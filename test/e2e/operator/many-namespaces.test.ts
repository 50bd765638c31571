// The write limits that the chart gives its operator: 1,000 records of 20 namespaces at once, and a challenge after
// them. The times are bars for a busy machine; the limit itself lets 600 records through in the first minute.
import postgres from 'postgres';
import { afterAll, expect, test, vi } from 'vitest';
import { connectCluster } from '#kube/api/cluster.ts';
import { isTrue } from '#kube/objects/conditions.ts';
import { DNS_RECORD, type DNSRecord } from '#resources/dnsrecord.ts';
import { startTestStack, zoneObject } from '../../support/stack/stack.ts';
import { untilIs } from '../../support/time/until.ts';

vi.setConfig({ testTimeout: 300_000, hookTimeout: 200_000 });
const SPACES = Array.from({ length: 20 }, (_, index) => `space-${index}`);
const OF_EACH = 50;
const ALL_MS = 120_000;
const CHALLENGE_MS = 10_000;

const stack = await startTestStack({ limits: true });
const { service, cluster } = stack.stack;
const sql = postgres(service.databaseUrl, { max: 1 });
const { api, close } = await connectCluster({ kubeconfig: cluster.kubeconfig });
afterAll(async () => {
  await close();
  await sql.end();
  await stack.stop();
});

const create = (namespace: string, name: string, fields: object) => {
  const spec = { zoneRef: { name: 'many', namespace: 'default' }, name, ...fields } as DNSRecord['spec'];
  return api.create(DNS_RECORD, { metadata: { name: name.replace('_', ''), namespace }, spec });
};
const countReady = async (namespace?: string) => {
  const { items } = await api.list<DNSRecord>(DNS_RECORD, namespace === undefined ? {} : { namespace });
  return items.filter(({ status }) => isTrue(status?.conditions, 'Ready')).length;
};

test('1,000 records of 20 namespaces are Ready within two minutes, and a challenge in between within seconds', async () => {
  await sql`update api_keys set record_writes = 600, zone_writes = 60 where name = 'operator'`;
  await stack.apply(zoneObject('many', 'many.example', { allowedRecords: [{ namespaces: { from: 'All' } }] }));
  await stack.ready('zdz/many');
  for (const name of SPACES) await stack.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  const began = performance.now();
  for (let index = 0; index < OF_EACH; index += 1)
    await Promise.all(SPACES.map((space) => create(space, `r${index}-${space}`, { type: 'A', content: '192.0.2.1' })));
  const asked = performance.now();
  await create('default', '_acme-challenge', { type: 'TXT', content: 'token' });
  await untilIs(
    'the challenge to be Ready',
    () => countReady('default'),
    (count) => count === 1,
  );
  expect(performance.now() - asked).toBeLessThan(CHALLENGE_MS);
  expect(await countReady()).toBeLessThan(SPACES.length * OF_EACH);
  await untilIs('the records to be Ready', countReady, (count) => count === SPACES.length * OF_EACH + 1);
  expect(performance.now() - began).toBeLessThan(ALL_MS);
});

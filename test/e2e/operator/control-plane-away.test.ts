// A control plane that is down for longer than a cluster may be silent: the operator says that it lives, so no record
// with whenClusterLost: Withdraw leaves DNS, neither while a replica waits for the lease nor after the leader lost it.
import { expect, test, vi } from 'vitest';
import { createClient } from '#client/client.ts';
import { listClusters } from '#contract/operations/clusters.ts';
import { applyRecords } from '#contract/operations/owners.ts';
import { findCondition } from '#kube/objects/conditions.ts';
import { DNS_RECORD, type DNSRecord } from '#resources/dnsrecord.ts';
import { startChain } from '../../support/matrix/chain.ts';
import { startOperator } from '../../support/matrix/operator.ts';

vi.setConfig({ testTimeout: 400_000, hookTimeout: 400_000 });
const PATIENCE = { timeout: 120_000, interval: 200 };
const AWAY_MS = 80_000;

const chain = await startChain();
const ready = async () => {
  const { status } = await chain.api.get<DNSRecord>(DNS_RECORD, { namespace: 'default', name: 'www' });
  return findCondition(status?.conditions, 'Ready')?.status;
};

test('a control plane that is down for 80 seconds withdraws no record, and the service says that it is unreachable', async () => {
  const owner = await chain.person({ team: 'first' });
  const people = createClient({ baseUrl: chain.url, key: owner.text });
  const cluster = async () => (await people.call(listClusters, {})).clusters.find(({ name }) => name === 'prod');
  const operator = startOperator(chain, { cluster: 'prod', identity: 'only' });
  await chain.zone('example', { zoneName: 'example.org' });
  const more = { whenClusterLost: 'Withdraw', sharing: 'Shared' };
  await chain.record('www', 'example', { name: 'www', type: 'A', content: '192.0.2.1', ...more });
  await expect.poll(ready, PATIENCE).toBe('True');
  const [zone] = await chain.sql`select id from zones where name = 'example.org'`;
  const set = {
    owner: 'k8s:other/default/www',
    name: 'www',
    type: 'A' as const,
    values: [{ content: '192.0.2.2' }],
    share: true,
  };
  await chain.client.call(applyRecords, { params: { id: zone?.id as string }, body: { sets: [set] } });

  const seen = new Set<string>();
  let isOver = false;
  const looking = (async () => {
    while (!isOver) {
      const now = await cluster();
      const [row] = await chain.sql`select count(*)::int as n from records where withdrawn`;
      seen.add(`${now?.state} ${now?.controlPlane} ${row?.n}`);
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
  })();
  const copy = await chain.backUpEtcd();
  await chain.restoreEtcd(copy, AWAY_MS);
  // It lost its lease and lived on; now it ends, and kubelet starts the next one.
  await expect(operator.ended).rejects.toThrow(/lease/i);
  const next = startOperator(chain, { cluster: 'prod', identity: 'next' });
  await expect.poll(async () => (await cluster())?.controlPlane, PATIENCE).toBe('reachable');
  isOver = true;
  await looking;
  expect([...seen].sort()).toEqual(['active reachable 0', 'active unreachable 0']);
  expect((await cluster())?.etcdRestoredAt).toBeNull();
  await next.stop();
  await people.close();
});

// A cluster of the service, as its operator makes it: heartbeats, sharing, whenClusterLost, and the conditions while it is drained.
import { randomBytes } from 'node:crypto';
import { afterAll, expect, it } from 'vitest';
import { createClient } from '#client/client.ts';
import { findCondition } from '#kube/objects/conditions.ts';
import { DNS_RECORD, type DNSRecord } from '#resources/dnsrecord.ts';
import { adminAddPerson } from '#service/accounts/administration.ts';
import { startChain } from '../support/matrix/chain.ts';
import { startOperator } from '../support/matrix/operator.ts';
import { untilIs } from '../support/matrix/until.ts';

const chain = await startChain();
const operator = startOperator(chain, { cluster: 'east', heartbeatMs: 300 });
afterAll(() => operator.stop());
const { team } = await chain.client.account();
const person = {
  email: 'owner@example.org',
  name: 'Owner',
  keyName: 'test',
  team: { name: team?.name ?? '', role: 'owner' },
} as const;
const added = await adminAddPerson(chain.databaseUrl, person, randomBytes, new Date());
const admin = createClient({ baseUrl: chain.url, key: added.text });
afterAll(() => admin.close());
const owner = `org:${team?.id}`;

const ready = (name: string) => async () => {
  const { status } = await chain.api.get<DNSRecord>(DNS_RECORD, { namespace: 'default', name });
  const found = findCondition(status?.conditions, 'Ready');
  return `${found?.status} ${found?.reason}`;
};
const is = (wanted: string) => (found: string) => found === wanted;
const served = async () => {
  const { answers } = await chain.dns.lookup('www.clusters.example', 'A');
  return answers.map((line) => line.split(' ').at(-1)).sort();
};

it('adds itself by its heartbeats, applies shared values, and tells its objects when it is drained and restored', async () => {
  await untilIs(
    'the cluster',
    async () => (await chain.client.clusters.list()).map(({ name }) => name).join(),
    is('east'),
  );
  await chain.zone('zone', { zoneName: 'clusters.example', whenClusterLost: 'Withdraw' });
  await chain.record('both', 'zone', { name: 'www', type: 'A', content: '192.0.2.1', sharing: 'Shared' });
  await chain.record('own', 'zone', { name: 'www', type: 'A', content: '192.0.2.2', whenClusterLost: 'Keep' });
  await untilIs('the first record', ready('both'), is('True Ready'));
  await untilIs('the second record', ready('own'), is('True Ready'));
  const [zone] = await chain.client.zones.list({ zoneName: 'clusters.example' });
  const sets = [];
  for await (const page of chain.client.owners.pages(zone?.id ?? '', { prefix: 'k8s:east/' })) sets.push(...page);
  expect(sets.map(({ owner: each, share, whenClusterLost }) => [each, share, whenClusterLost])).toEqual([
    ['k8s:east/default/both', true, 'Withdraw'],
    ['k8s:east/default/own', false, 'Keep'],
  ]);

  // Another cluster shares the first value, so that it stays in DNS while this cluster is drained.
  const west = { owner: 'k8s:west/default/both', name: 'www', type: 'A', share: true } as const;
  const results = await chain.client.owners.apply(zone?.id ?? '', {
    sets: [{ ...west, values: [{ content: '192.0.2.1' }] }],
  });
  expect(results.map(({ status }) => status)).toEqual([200]);
  await admin.clusters.drain('east', owner);
  await untilIs('the second record to be withdrawn', ready('own'), is('False ClusterDrained'));
  await untilIs('the answer', async () => (await served()).join(), is('192.0.2.1'));
  await untilIs('the shared record', ready('both'), is('True Ready'));
  await admin.clusters.restore('east', owner);
  await untilIs('the second record to return', ready('own'), is('True Ready'));
  expect(await served()).toEqual(['192.0.2.1', '192.0.2.2']);
});

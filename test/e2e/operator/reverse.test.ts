// DNSRecords with spec.reverse under a real kube-apiserver: the name server answers the PTR record while the DNSZone of
// the reverse zone allows it to the namespace of the record.
import { afterAll, expect, test, vi } from 'vitest';
import { createZone } from '#contract/operations/zones.ts';
import { findCondition } from '#kube/objects/conditions.ts';
import { DNS_RECORD, type DNSRecord } from '#resources/dnsrecord.ts';
import { DNS_ZONE, type DNSZone } from '#resources/dnszone.ts';
import { startChain } from '../../support/matrix/chain.ts';
import { startOperator } from '../../support/matrix/operator.ts';

vi.setConfig({ testTimeout: 200_000, hookTimeout: 200_000 });
const PATIENCE = { timeout: 60_000, interval: 200 };
const ZONE = '7.51.198.in-addr.arpa';
const PTR = [{ namespaces: { from: 'All' }, types: ['PTR'], names: ['10', '11'] }];

const chain = await startChain();
const { api, client, dns } = chain;
const operator = startOperator(chain, { cluster: 'prod', heartbeatMs: 500 });
afterAll(() => operator.stop());
await chain.namespace('shop');
await chain.zone('zone', { zoneName: 'reverse.example', allowedRecords: [{ namespaces: { from: 'All' } }] });
const grant = (allowedRecords: object[]) => chain.zone('ptr', { zoneName: ZONE, allowedRecords });
await grant([]);

const get = (name: string) => api.get<DNSRecord>(DNS_RECORD, { namespace: 'shop', name });
const states = async (name: string) =>
  (await get(name)).status?.reverse?.map(({ content, state }) => `${content} ${state}`);
const ready = async (name: string) => findCondition((await get(name)).status?.conditions, 'Ready')?.status;
const pointers = async (host: number) =>
  (await dns.lookup(`${host}.${ZONE}`, 'PTR')).answers.map((line) => line.split(/\s+/).at(-1));
const want = (name: string, contents: readonly string[], spec: object = {}) => {
  const zoneRef = { name: 'zone', namespace: 'default' };
  const values = contents.map((content) => ({ content }));
  return chain.record(name, 'zone', { zoneRef, name, type: 'A', values, reverse: true, ...spec }, 'shop');
};

test('a namespace without a grant of the reverse zone gets its address, and no PTR record', async () => {
  await want('www', ['198.51.7.10']);
  await expect.poll(() => ready('www'), PATIENCE).toBe('True');
  await expect.poll(() => states('www'), PATIENCE).toEqual(['198.51.7.10 NotPermitted']);
  expect(await pointers(10)).toEqual([]);
});

test('a grant writes the PTR record, and its end removes it, without an edit of the record', async () => {
  await grant(PTR);
  await expect.poll(() => pointers(10), PATIENCE).toEqual(['www.reverse.example']);
  await expect.poll(() => states('www'), PATIENCE).toEqual(['198.51.7.10 Written']);
  await grant([{ ...PTR[0], names: ['11'] }]);
  await expect.poll(() => pointers(10), PATIENCE).toEqual([]);
  await expect.poll(() => states('www'), PATIENCE).toEqual(['198.51.7.10 NotPermitted']);
  expect(await ready('www')).toBe('True');
  await grant(PTR);
  await expect.poll(() => pointers(10), PATIENCE).toEqual(['www.reverse.example']);
});

test('the status says that another name has the PTR record, and that a record without reverse wants none', async () => {
  await want('api', ['198.51.7.10', '198.51.7.11']);
  await expect.poll(() => states('api'), PATIENCE).toEqual(['198.51.7.10 OtherName', '198.51.7.11 Written']);
  await want('www', ['198.51.7.10'], { reverse: false });
  await expect.poll(() => pointers(10), PATIENCE).toEqual(['api.reverse.example']);
  await expect.poll(() => states('www'), PATIENCE).toBeUndefined();
});

test('a deeper reverse zone that has no DNSZone takes the PTR record away, and gets none', async () => {
  const { status } = await api.get<DNSZone>(DNS_ZONE, { namespace: 'default', name: 'ptr' });
  await client.call(createZone, { body: { zoneName: `11.${ZONE}`, owner: status?.owner } });
  await expect.poll(() => pointers(11), PATIENCE).toEqual([]);
  expect(await pointers(10)).toEqual(['api.reverse.example']);
});

// Secondaries that the owners of zones choose in Kubernetes, with a real Knot DNS as the secondary. Ready waits for it
// or not, and one of two namespaces has no offer.
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { chooseZoneSecondaries, listZoneSecondaries } from '#contract/operations/secondaries.ts';
import { catalogName } from '#dns/secondaries/catalog.ts';
import type { DNSZone } from '#resources/dnszone.ts';
import { adminPutSecondary } from '#service/secondaries/administration.ts';
import { allocatePorts } from '../../../deploy/local/parts/ports.ts';
import { type RunningSecondary, startRunning } from '../../support/knot/secondaries.ts';
import { temporaryFolder } from '../../support/runner/temporary.ts';
import { recordObject, startTestStack, type TestStack, zoneObject } from '../../support/stack/stack.ts';

const ADDRESS = '127.0.0.1';
const NAME = 'ns.eu.test';
const PATIENCE = { timeout: 100_000, interval: 100 };
const OFFERED = 'first/a';

let stack: TestStack;
let eu: RunningSecondary;
let put: (offer: object) => Promise<unknown>;

beforeAll(async () => {
  const stateDir = await temporaryFolder('zone-secondaries');
  const { port } = await allocatePorts([{ name: 'port', dns: true }], { stateDir });
  stack = await startTestStack({ nameservers: `${NAME}=${ADDRESS}:${port}` });
  const { databaseUrl, dns } = stack.stack.service;
  const input = { name: 'eu', addresses: [`${ADDRESS}:${port}`], nameservers: [NAME] };
  put = (offer) => adminPutSecondary(databaseUrl, { ...input, offer }, randomBytes, new Date());
  const { key } = await adminPutSecondary(
    databaseUrl,
    { ...input, offer: { namespaces: [OFFERED] } },
    randomBytes,
    new Date(),
  );
  // This one is not offered, and a zone of another team has it.
  const hidden = { name: 'hush', addresses: [`${ADDRESS}:${port}`], nameservers: ['ns.hush.test'] };
  await adminPutSecondary(databaseUrl, hidden, randomBytes, new Date());
  eu = await startRunning('knot', port, {
    primaries: [dns],
    key,
    zones: null,
    catalog: catalogName('eu'),
  });
  for (const name of ['a', 'b']) await stack.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
});
afterAll(() => stack?.stop());

const zone = (name: string, spec: object, namespace: string) =>
  stack.apply(zoneObject(name, `${name}.example`, spec, namespace));
const www = (content: string, namespace = 'a', at = 'shop') =>
  stack.apply(recordObject('www', at, { name: 'www', type: 'A', content, ttl: 60 }, namespace));
const status = async (name: string, namespace: string) =>
  (await stack.kube.get<DNSZone>(`zdz/${name}`, namespace)).status;
const ready = (name: string, namespace = 'a') => stack.condition(name, 'Ready', namespace);
const atSecondary = async () =>
  (await eu.resolver.lookup('www.shop.example', 'A')).answers.map((line) => line.split(' ').at(-1));

test('a zone with a secondary is Ready with its records when the secondary serves them, and shows it', async () => {
  await zone('shop', { secondaries: ['eu'] }, 'a');
  await www('192.0.2.1');
  await stack.ready('-n', 'a', 'zdz/shop', 'zdr/www');
  expect(await atSecondary()).toEqual(['192.0.2.1']);
  expect((await status('shop', 'a'))?.nameservers).toEqual(['ns1.zonestead.test', NAME]);
  expect((await stack.condition('zdr/www', 'Propagated', 'a'))?.message).toContain(NAME);
  await expect
    .poll(async () => (await status('shop', 'a'))?.secondaries, PATIENCE)
    .toEqual([{ name: 'eu', nameservers: [NAME], state: 'Current', serial: expect.any(Number) }]);
  expect(await stack.kubectl('-n', 'a', 'get', 'zdz', '-o', 'wide')).toMatch(/SECONDARIES[\s\S]* 1\/1 /);
});

test('a zone with a secondary waits for a secondary that is stopped with AllNameservers, and not with OwnNodes', async () => {
  await eu.stop();
  await www('192.0.2.2');
  const message = async () => (await ready('zdr/www'))?.message;
  await expect.poll(() => ready('zdr/www'), PATIENCE).toMatchObject({ status: 'False', reason: 'AwaitingPropagation' });
  await expect
    .poll(message, PATIENCE)
    .toMatch(
      /ns\.eu\.test \(.*\) .*; secondary eu does not have the last change yet.* \(behind since 20[-0-9]+T[:0-9]+Z\)\.$/,
    );
  await expect.poll(message, PATIENCE).not.toMatch(/ns1/);
  await zone('shop', { secondaries: ['eu'], readyWhen: 'OwnNodes' }, 'a');
  await stack.ready('-n', 'a', 'zdr/www', 'zdz/shop');
  await www('192.0.2.3');
  await stack.ready('-n', 'a', 'zdr/www');
  expect((await stack.condition('zdr/www', 'Propagated', 'a'))?.message).toBe(
    'Every name server of the zone that is not a secondary serves the record: ns1.zonestead.test.',
  );
  await expect.poll(async () => (await status('shop', 'a'))?.secondariesCurrent, PATIENCE).toBe('0/1');
  // The proof for fewer name servers does not count for all of them.
  await zone('shop', { secondaries: ['eu'], readyWhen: 'AllNameservers' }, 'a');
  await expect.poll(() => ready('zdr/www'), PATIENCE).toMatchObject({ status: 'False', reason: 'AwaitingPropagation' });
  await eu.start();
  await stack.ready('-n', 'a', 'zdr/www', 'zdz/shop');
  expect(await atSecondary()).toEqual(['192.0.2.3']);
});

test('a zone with a secondary gets the choice of its object back, and keeps it while the field is omitted', async () => {
  const id = (await status('shop', 'a'))?.zoneId as string;
  const { call } = stack.client;
  const chosen = async () => (await call(listZoneSecondaries, { params: { id } })).secondaries.map(({ name }) => name);
  await call(chooseZoneSecondaries, { params: { id }, body: { secondaries: [] } });
  await stack.kube.patch('zdz/shop', { metadata: { annotations: { look: 'again' } } }, 'a');
  await expect.poll(chosen, PATIENCE).toEqual(['eu']);
  const events = async () => (await stack.events('a')).join('\n');
  await expect.poll(events, PATIENCE).toMatch(/Warning Drift dnszone\/shop: .*secondaries/);
  await stack.kube.patch('zdz/shop', { spec: { secondaries: null, defaultTtl: 90 } }, 'a');
  await expect.poll(async () => (await status('shop', 'a'))?.defaultTtl, PATIENCE).toBe(90);
  expect(await chosen()).toEqual(['eu']);
});

const problem = async (name: string, of: string) => {
  await expect
    .poll(() => ready(`zdz/${name}`, 'b'), PATIENCE)
    .toMatchObject({ status: 'False', reason: 'SecondaryNotOffered' });
  return (await ready(`zdz/${name}`, 'b'))?.message.replace(of, 'NAME');
};

test('namespace b, which has no offer, does not get the secondary of a, learns of no other, and everything else of its zone works', async () => {
  await zone('mine', { secondaries: ['eu'] }, 'b');
  await www('192.0.2.9', 'b', 'mine');
  const words = await problem('mine', 'eu');
  await stack.ready('-n', 'b', 'zdr/www');
  expect(await stack.dig('www.mine.example', 'A')).toEqual([expect.stringContaining('192.0.2.9')]);
  expect(await stack.dig('mine.example', 'NS')).toEqual([expect.stringContaining('ns1.zonestead.test.')]);
  expect(words).toContain('No secondary is offered to it.');
  // A secondary that is not offered, and one that does not exist, have the same words.
  for (const name of ['hush', 'none']) {
    await zone('mine', { secondaries: [name] }, 'b');
    await expect.poll(async () => (await ready('zdz/mine', 'b'))?.message, PATIENCE).toContain(name);
    expect(await problem('mine', name)).toBe(words);
  }
});

test.each([
  ['a zone of the same name', { zoneName: 'shop.example', adopt: 'IfIdentical' }],
  ['an observed zone', { zoneName: 'shop.example', managementPolicy: 'Observe' }],
  ['a zone below it', { zoneName: 'dev.shop.example' }],
])('namespace b, which has no offer, changes nothing of the choice of a by %s', async (_case, spec) => {
  await stack.apply(zoneObject('grab', '', { ...spec, secondaries: [], readyWhen: 'OwnNodes' }, 'b'));
  await expect.poll(async () => (await ready('zdz/grab', 'b'))?.reason, PATIENCE).toMatch(/^(Conflict|NotPermitted)$/);
  const { zoneId = '', nameservers } = (await status('shop', 'a')) ?? {};
  expect(nameservers).toContain(NAME);
  expect(
    (await stack.client.call(listZoneSecondaries, { params: { id: zoneId } })).secondaries.map(({ name }) => name),
  ).toEqual(['eu']);
  expect(await status('grab', 'b')).not.toHaveProperty('secondaries');
  await stack.remove('b', 'zdz/grab');
});

test('namespace b, which has no offer, gets the secondary when the administrator offers it', async () => {
  await put({ namespaces: [OFFERED, 'first/b'] });
  await zone('mine', { secondaries: ['eu'] }, 'b');
  await stack.ready('-n', 'b', 'zdz/mine');
  await expect.poll(() => stack.dig('mine.example', 'NS')).toHaveLength(2);
});

// DNSZones with spec.keyRollover under a real kube-apiserver: the operator begins a roll of a zone below a hosted one,
// Knot answers validly in each step, and the status, the Events and the diagnosis say where the roll is.
import { afterAll, expect, test, vi } from 'vitest';
import { beginKeyRoll, cancelKeyRoll, getZoneKeys } from '#contract/operations/zone-keys.ts';
import { listDsRecords } from '#contract/operations/zones.ts';
import { diagnoseObject } from '#diagnosis/object.ts';
import { findCondition } from '#kube/objects/conditions.ts';
import type { KubeObject } from '#kube/objects/resource.ts';
import { DNS_ZONE, type DNSZone } from '#resources/dnszone.ts';
import { startChain } from '../../support/matrix/chain.ts';
import { startOperator, type TestOperator } from '../../support/matrix/operator.ts';

vi.setConfig({ testTimeout: 200_000, hookTimeout: 200_000 });
const PATIENCE = { timeout: 60_000, interval: 100 };
const EVENTS = { group: 'events.k8s.io', version: 'v1', plural: 'events', kind: 'Event', namespaced: true } as const;

const chain = await startChain();
const { api, client, sql, dns } = chain;
let operator: TestOperator | undefined;
const start = () => {
  operator = startOperator(chain, { cluster: 'prod', heartbeatMs: 500 });
};
afterAll(() => operator?.stop());
start();
await chain.zone('parent', { zoneName: 'parent.example' });

const get = (name: string) => api.get<DNSZone>(DNS_ZONE, { namespace: 'default', name });
const zoneIdOf = async (name: string) => (await get(name)).status?.zoneId ?? '';
/** Such as `True Ready`. */
const condition = async (name: string, type: string) => {
  const found = findCondition((await get(name)).status?.conditions, type);
  return `${found?.status} ${found?.reason}`;
};
const rolling = (name: string) => condition(name, 'KeysRolling');
const states = async (name: string) =>
  (await get(name)).status?.keys?.map(({ algorithm, state }) => `${algorithm} ${state}`).join(', ');
const tags = async (name: string) => (await get(name)).status?.keys?.map(({ keyTag }) => keyTag);
const events = async (name: string) => {
  type Event = KubeObject & { reason: string; note: string; type: string; regarding: { name: string } };
  const { items } = await api.list<Event>(EVENTS, { namespace: 'default' });
  return items
    .filter(({ regarding, reason }) => regarding.name === name && reason.startsWith('KeyRoll'))
    .map(({ type, reason, note }) => `${type} ${reason}: ${note}`);
};
const apply = (name: string, spec: object) => chain.zone(name, { zoneName: `${name}.parent.example`, ...spec });
/** The time for which resolvers may keep earlier answers has passed. */
const forget = () =>
  sql`update zone_keys set shown_since = shown_since - interval '3 days' where shown_since is not null`;

/** Waits for states of the keys, and lets the time pass that resolvers need. */
async function reach(name: string, wanted: string): Promise<void> {
  await expect
    .poll(async () => {
      const now = await states(name);
      if (now !== wanted) await forget();
      return now;
    }, PATIENCE)
    .toBe(wanted);
}

async function created(name: string, spec: object = {}): Promise<void> {
  await apply(name, spec);
  await expect.poll(() => condition(name, 'Ready'), PATIENCE).toBe('True Ready');
  await expect.poll(() => states(name), PATIENCE).toMatch(/^1[35] Active/);
}

/** Validates with the DS records of the parent zone as the anchor. */
async function validate(name: string) {
  const parent = await zoneIdOf('parent');
  const [ds] = (await client.call(listDsRecords, { params: { id: parent } })).ds;
  const anchor = { ds: [ds?.keyTag, ds?.algorithm, ds?.digestType, ds?.digest].join(' ') };
  return dns.delv('parent.example', `${name}.parent.example`, 'SOA', anchor);
}

test('a request begins one roll, whose steps are in the status and in Events, and which ends with another key', async () => {
  await created('shop');
  const [before] = (await tags('shop')) ?? [];
  const requestedAt = new Date(Date.now() + 1_000).toISOString();
  // The key is younger than a minute, and clocks may differ by that.
  await sql`update zone_keys set created_at = created_at - interval '1 hour'`;
  await apply('shop', { keyRollover: { requestedAt } });
  await expect.poll(() => states('shop'), PATIENCE).toBe('13 Active, 13 Published');
  expect(await rolling('shop')).toBe('True RollUnderWay');
  for (const step of ['13 Active, 13 Ready', '13 Retired, 13 Active', '13 Active']) {
    await reach('shop', step);
    await expect.poll(async () => (await validate('shop')).state, PATIENCE).toBe('secure');
  }
  const [after, ...others] = (await tags('shop')) ?? [];
  expect([after === before, others]).toEqual([false, []]);
  expect(await rolling('shop')).toBe('False NotRolling');
  const said = [
    /^Normal KeyRollBegun: .*because spec\.keyRollover\.requestedAt asks for it/,
    /^Normal KeyRollStep: Key \d+ is Ready since .*\. The parent zone must have the DS records/,
    /^Normal KeyRollStep: Key \d+ is Retired since /,
    /^Normal KeyRollFinished: .* key \d+ signs the zone/,
  ];
  await expect.poll(() => events('shop'), PATIENCE).toHaveLength(said.length);
  expect(await events('shop')).toEqual(expect.arrayContaining(said.map((words) => expect.stringMatching(words))));
  // Neither a restart, nor a deletion and the same object again, begins a second roll for the request.
  await operator?.kill();
  start();
  await chain.remove(DNS_ZONE, 'shop');
  await expect
    .poll(
      () =>
        get('shop').then(
          () => 'there',
          () => 'gone',
        ),
      PATIENCE,
    )
    .toBe('gone');
  await created('shop', { keyRollover: { requestedAt } });
  await expect.poll(() => rolling('shop'), PATIENCE).toBe('False NotRolling');
  expect(await tags('shop')).toEqual([after]);
});

test('a roll that waits writes nothing at each look, and the diagnosis names what it waits for', async () => {
  await created('quiet', { keyRollover: { algorithm: 'ED25519' } });
  await expect.poll(() => states('quiet'), PATIENCE).toBe('13 Active, 15 Presigning');
  await expect.poll(async () => (await get('quiet')).status?.keyRoll?.nextStepTime, PATIENCE).toBeDefined();
  const { metadata, status } = await get('quiet');
  expect(status?.keyRoll?.waitsFor).toContain('the caches of resolvers');
  await new Promise((resolve) => setTimeout(resolve, 8_000));
  expect((await get('quiet')).metadata.resourceVersion).toBe(metadata.resourceVersion);
  // The time of the alert has passed.
  await sql`update zone_keys set since = since - interval '4 days' where look_at is not null`;
  await expect.poll(() => rolling('quiet'), PATIENCE).toBe('True RollWaits');
  await expect.poll(() => events('quiet'), PATIENCE).toContainEqual(expect.stringMatching(/^Warning KeyRollWaits: /));
  const { problems } = diagnoseObject({ object: await get('quiet'), named: [] } as never);
  expect(problems).toMatchObject([{ subject: 'key', level: 'warn' }]);
  expect(await condition('quiet', 'Ready')).toBe('True Ready');
});

test('the operator does not begin a roll again that a person cancelled, and begins one for a later request', async () => {
  await created('left');
  await sql`update zone_keys set created_at = created_at - interval '1 hour'`;
  await apply('left', { keyRollover: { requestedAt: new Date().toISOString() } });
  await expect.poll(() => states('left'), PATIENCE).toBe('13 Active, 13 Published');
  const params = { id: await zoneIdOf('left') };
  await client.call(cancelKeyRoll, { params });
  await expect.poll(() => rolling('left'), PATIENCE).toBe('False RollCancelled');
  await expect.poll(() => events('left'), PATIENCE).toContainEqual(expect.stringMatching(/^Normal KeyRollCancelled: /));
  await operator?.kill();
  start();
  await apply('left', { defaultTtl: 300, keyRollover: (await get('left')).spec.keyRollover });
  await expect.poll(async () => (await get('left')).status?.defaultTtl, PATIENCE).toBe(300);
  await expect.poll(async () => (await get('left')).status?.observedGeneration, PATIENCE).toBe(3);
  expect((await client.call(getZoneKeys, { params })).roll).toBeNull();
  expect(await rolling('left')).toBe('False RollCancelled');
  await apply('left', { defaultTtl: 300, keyRollover: { requestedAt: new Date().toISOString() } });
  await expect.poll(() => rolling('left'), PATIENCE).toBe('True RollUnderWay');
  expect(await states('left')).toBe('13 Active, 13 Published');
});

test('a roll that a person begins is in the status too, and no second one begins', async () => {
  await created('own');
  await client.call(beginKeyRoll, { params: { id: await zoneIdOf('own') }, body: {} });
  await sql`update zone_keys set created_at = created_at - interval '1 hour'`;
  await apply('own', { keyRollover: { requestedAt: new Date().toISOString() } });
  await expect.poll(() => rolling('own'), PATIENCE).toBe('True RollUnderWay');
  expect(await states('own')).toBe('13 Active, 13 Published');
  await expect.poll(() => events('own'), PATIENCE).toHaveLength(1);
});

test('kubectl apply refuses a wrong keyRollover with the accepted form', async () => {
  const words = async (spec: object) =>
    apply('wrong', spec).then(
      () => '',
      (error: Error) => error.message,
    );
  expect(await words({ keyRollover: { every: '7d' } })).toContain('must be a number of days from 30d to 9999d');
  expect(await words({ keyRollover: {} })).toContain('set every, requestedAt or algorithm, or omit keyRollover');
  expect(await words({ keyRollover: { every: '30d' }, managementPolicy: 'Observe' })).toContain(
    'omit keyRollover with managementPolicy: Observe',
  );
});

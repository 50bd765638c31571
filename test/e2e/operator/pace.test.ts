// The operator on a key whose write limit is used up, seen from the wire: a proxy between it and the API writes down
// every request. The window is moved in the database, so that a place is free in seconds instead of a minute.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import postgres, { type Sql } from 'postgres';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { fetchRecords, fetchZones } from '#client/lists.ts';
import { isTrue } from '#kube/objects/conditions.ts';
import type { KubeObject } from '#kube/objects/resource.ts';
import { MANAGED_BY_LABEL, SOLVER_MANAGER } from '#resources/challenge.ts';
import type { DNSRecord } from '#resources/dnsrecord.ts';
import { startCommand } from '../../../deploy/local/parts/command.ts';
import type { Part } from '../../../deploy/local/parts/part.ts';
import { allocatePorts } from '../../../deploy/local/parts/ports.ts';
import { type Exchange, type RecordingProxy, startRecordingProxy } from '../../support/http/recording-proxy.ts';
import { recordObject, startTestStack, type TestStack, zoneObject } from '../../support/stack/stack.ts';

const { signal } = new AbortController();

let stack: TestStack;
let proxy: RecordingProxy;
let operator: Part;
let stateDir: string;
let sql: Sql;

beforeAll(async () => {
  stack = await startTestStack({ limits: true });
  const { service, cluster } = stack.stack;
  proxy = await startRecordingProxy(service.url);
  stateDir = await mkdtemp(join(tmpdir(), 'zonestead-pace-'));
  const { health } = await allocatePorts([{ name: 'health' }], { stateDir });
  await stack.stack.operator.part('operator').stop();
  operator = await startCommand({
    name: 'operator',
    env: {
      KUBECONFIG: cluster.operatorKubeconfig,
      ZONESTEAD_URL: proxy.url,
      ZONESTEAD_API_KEY: service.keys.operator.key,
      ZONESTEAD_NAMESERVER_ADDRESSES: service.nameserverAddresses,
    },
    main: inject('program'),
    healthPort: health,
    stateDir,
    signal,
  });
  sql = postgres(service.databaseUrl, { max: 1 });
});

afterAll(async () => {
  await operator?.stop();
  await sql?.end();
  await proxy?.close();
  await stack?.stop();
  await rm(stateDir, { recursive: true, force: true });
});

/** Fills the operator's window of 60 seconds: that many places taken that many seconds ago. */
async function take(...places: { count: number; secondsAgo: number }[]): Promise<void> {
  const seconds = places.flatMap(({ count, secondsAgo }) => Array.from({ length: count }, () => secondsAgo));
  await sql`
    insert into write_windows (key_id, bucket, times)
    select id, 'records', array(select now() - make_interval(secs => s) from unnest(${seconds}::float8[]) s)
    from api_keys where name = 'operator'
    on conflict (key_id, bucket) do update set times = excluded.times`;
}

interface Waiting {
  status: { nextAttemptTime: string; conditions: { type: string; reason: string }[] };
}

const statusOf = async (name: string) => (await stack.kube.get<Waiting>(`zdr/${name}`)).status;
const markedBySolver = (object: object) => {
  const { metadata } = object as KubeObject;
  return { ...object, metadata: { ...metadata, labels: { [MANAGED_BY_LABEL]: SOLVER_MANAGER } } };
};
const isRecordWrite = ({ method, path }: Exchange) => method !== 'GET' && path.includes('/records');
const writes = () => proxy.exchanges.filter(isRecordWrite);
/** The names of the sets that the service applied, in the order of the requests. */
const accepted = () =>
  writes()
    .filter(({ status }) => status === 200)
    .flatMap(({ body }) => (JSON.parse(body) as { sets: { name: string }[] }).sets.map(({ name }) => name));

// After a pause the bulk goes as far apart as the limit lets writes be: one a second.
const bulk = Array.from({ length: 20 }, (_, index) => `bulk-${String(index).padStart(2, '0')}`);

test('a key whose write limit is used up is told by its objects, with the time of the next attempt', async () => {
  await stack.apply(zoneObject('pace', 'pace.example'));
  await stack.ready('zdz/pace');
  // 40 places will be free in 25 s, long after all objects wait, and the other 20 in 32 s.
  await take({ count: 40, secondsAgo: 35 }, { count: 20, secondsAgo: 28 });
  await stack.apply(...bulk.map((name) => recordObject(name, 'pace', { name, type: 'A', content: '192.0.2.1' })));
  const challenge = { name: '_acme-challenge.www', type: 'TXT', content: 'token', ttl: 60 };
  await stack.apply(markedBySolver(recordObject('challenge', 'pace', challenge)));
  for (const name of ['bulk-00', 'bulk-19']) {
    let status: Waiting['status'] | undefined;
    const shown = async () => {
      status = await statusOf(name);
      return status;
    };
    await expect.poll(shown).toMatchObject({ nextAttemptTime: expect.any(String) });
    const ready = status?.conditions.find(({ type }: { type: string }) => type === 'Ready');
    expect(ready).toMatchObject({ status: 'False', reason: 'RateLimited' });
    const inMs = Date.parse(status?.nextAttemptTime ?? '') - Date.now();
    expect(inMs).toBeGreaterThan(0);
    expect(inMs).toBeLessThan(120_000);
  }
});

test('a key whose write limit is used up does not delay a certificate: a challenge that came last is written first', async () => {
  await stack.ready('zdr/challenge');
  // Challenges have a window of their own.
  expect(accepted()[0]).toBe('_acme-challenge.www');
});

test('a key whose write limit is used up continues until everything is written, once', async () => {
  await stack.ready(...bulk.map((name) => `zdr/${name}`));
  expect(accepted().sort()).toEqual(['_acme-challenge.www', ...bulk].sort());
  const [zone] = await fetchZones(stack.client, { zoneName: 'pace.example' });
  const names = (await fetchRecords(stack.client, zone?.id ?? '', {})).map(({ name }) => name);
  expect(names.sort()).toEqual(['_acme-challenge.www', ...bulk].sort());
  expect((await statusOf('bulk-19')).nextAttemptTime).toBeUndefined();
});

test('a key whose write limit is used up was never used before Retry-After had passed, by any object', () => {
  // Challenges have a window of their own.
  const ofWindow = writes().filter(({ body }) => !body.includes('_acme-challenge'));
  const refusals = ofWindow.filter(({ status }) => status === 429);
  expect(refusals.length).toBeGreaterThanOrEqual(1);
  for (const { answeredAt = 0, retryAfterMs = 0 } of refusals) {
    expect(retryAfterMs).toBeGreaterThan(0);
    const early = ofWindow.filter(({ at }) => at > answeredAt && at < answeredAt + retryAfterMs);
    expect(early).toEqual([]);
  }
});

const FLOOD = 'flood';
/** Each has an object without a zone, which writes nothing. */
const others = Array.from({ length: 20 }, (_, index) => `other-${index}`);
const challenges = Array.from({ length: 120 }, (_, index) => `n${index}`);
const programmed = async () =>
  (await stack.kube.list<DNSRecord>('zdr', FLOOD)).filter(({ status }) => isTrue(status?.conditions, 'Programmed'))
    .length;

test('a namespace next to one with more challenges than the key may write in a minute waits for none of them', async () => {
  for (const name of [FLOOD, 'quiet', ...others])
    await stack.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  const allowedRecords = [{ namespaces: { from: 'All' } }];
  await stack.apply(zoneObject('shared', 'shared.example', { allowedRecords }, FLOOD));
  await stack.ready('-n', FLOOD, 'zdz/shared');
  const mail = { name: 'mail', type: 'A', content: '192.0.2.8' };
  await stack.apply(...others.map((namespace) => recordObject('mail', 'none', mail, namespace)));
  const spec = (name: string) => ({ name: `_acme-challenge.${name}`, type: 'TXT', content: 'token' });
  await stack.apply(...challenges.map((name) => markedBySolver(recordObject(name, 'shared', spec(name), FLOOD))));
  // The flood has used its part of the window, and waits.
  await expect.poll(programmed).toBeGreaterThan(20);
  const zoneRef = { name: 'shared', namespace: FLOOD };
  const www = { zoneRef, ...spec('quiet') };
  await stack.apply(recordObject('www', 'shared', www, 'quiet'));
  await stack.ready('-n', 'quiet', 'zdr/www');
  expect(await programmed()).toBeLessThan(challenges.length / 2);
});

test('a namespace next to one with more challenges than the key may write in a minute leaves a place in the window for each other namespace with objects', async () => {
  const [row] = await sql`
      select cardinality(times) as count from write_windows join api_keys on api_keys.id = key_id
      where name = 'operator' and bucket = 'challenges'`;
  expect(row?.count).toBeGreaterThan(20);
  expect(row?.count).toBeLessThanOrEqual(60 - others.length);
});

// A key roll, from its beginning to its end: each step waits for proof, and answers validate at every moment.
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { DsRecord, ZoneCreated } from '#contract/zone.ts';
import type { ZoneKeys } from '#contract/zone-keys.ts';
import { refusal } from '../../../support/http/requests.ts';
import { startTestService } from '../../../support/service/service.ts';

let ahead = 0;
const service = await startTestService({ time: () => new Date(Date.now() + ahead) });
const { request } = service;

const LIMIT_MS = 60_000;
const anchorOf = (ds: DsRecord | undefined) => ({
  ds: [ds?.keyTag, ds?.algorithm, ds?.digestType, ds?.digest].join(' '),
});
const keysOf = async (zone: ZoneCreated) =>
  (await request('GET', `/zones/${zone.id}/keys`)).body as unknown as ZoneKeys;
const dsOf = async (zone: ZoneCreated) => (await request('GET', `/zones/${zone.id}/ds`)).body.ds as DsRecord[];
const roll = (zone: ZoneCreated, body: object = {}) => request('POST', `/zones/${zone.id}/keys/roll`, body);
const cancel = (zone: ZoneCreated) => request('DELETE', `/zones/${zone.id}/keys/roll`);
const statesOf = ({ keys }: ZoneKeys) => keys.map(({ state }) => state).join(' ');

/** Waits for states of the keys, and lets the time of the api pass that resolvers need. */
async function reach(zone: ZoneCreated, wanted: string, seen: string[] = []): Promise<ZoneKeys> {
  const end = Date.now() + LIMIT_MS;
  for (;;) {
    const keys = await keysOf(zone);
    const states = statesOf(keys);
    if (seen.at(-1) !== states) seen.push(states);
    if (states === wanted) return keys;
    if (Date.now() > end) throw new Error(`${states}, and not ${wanted}: ${keys.roll?.waitsFor}`);
    const { nextStepAt = null } = keys.roll ?? {};
    if (nextStepAt !== null) ahead = Math.max(ahead, Date.parse(nextStepAt) - Date.now());
    await sleep(50);
  }
}

/** A zone below a hosted one, and queries for its answers that begin at the hosted one. */
async function family(name: string) {
  const parent = await service.zone(name);
  const child = await service.zone(`child.${name}`);
  await service.record(child, 'www', 'A', '192.0.2.1');
  await service.settled();
  const [anchor] = parent.ds;
  const validate = () => service.dns.delv(name, `www.child.${name}`, 'A', anchorOf(anchor));
  return { parent, child, validate };
}

test.each([
  { algorithm: 13, states: ['active published', 'active ready', 'retired active', 'active'] },
  {
    algorithm: 15,
    states: ['active presigning', 'active published', 'active ready', 'postsigning active', 'active'],
  },
])('a zone below a hosted one rolls to a key of algorithm $algorithm, and is secure in each step', async (row) => {
  const { child, validate } = await family(`roll${row.algorithm}.example`);
  const [before] = await dsOf(child);
  const begun = await roll(child, { algorithm: row.algorithm });
  expect([begun.status, statesOf(begun.body as unknown as ZoneKeys)]).toEqual([200, row.states[0]]);
  expect(refusal(await roll(child))).toBe('409 conflict');
  const seen: string[] = [];
  for (const states of row.states) {
    await reach(child, states, seen);
    await service.settled();
    expect(await validate()).toMatchObject({ state: 'secure' });
  }
  expect(seen).toEqual(row.states);
  const [after] = await dsOf(child);
  expect(after?.keyTag).not.toBe(before?.keyTag);
  expect(after?.algorithm).toBe(row.algorithm);
  const { keys, roll: ended } = await keysOf(child);
  expect([keys.map(({ keyTag }) => keyTag), ended]).toEqual([[after?.keyTag], null]);
  const { changes } = (await request('GET', `/zones/${child.id}/changes`)).body;
  const steps = (changes as { action: string; keyId: string }[]).filter(({ action }) => action === 'zone.keys');
  expect(steps.map(({ keyId }) => keyId === 'service')).toEqual([...row.states.slice(1).map(() => true), false]);
});

test.each(['lowered', 'deleted'])(
  'the last wait counts the TTL of a record that was %s before the roll',
  async (what) => {
    const { child } = await family(`${what}.example`);
    const path = `/zones/${child.id}/records`;
    const { id } = await service.record(child, 'brief', 'A', '192.0.2.1', { ttl: 86_400 });
    const body = { name: 'brief', type: 'A', content: '192.0.2.1', ttl: 60 };
    const { status } = await (what === 'lowered'
      ? request('PUT', `${path}/${id}`, body)
      : request('DELETE', `${path}/${id}`));
    expect([200, 204]).toContain(status);
    await roll(child);
    await reach(child, 'retired active');
    const hold = async () => Number(/for (\d+) s/.exec((await keysOf(child)).roll?.waitsFor ?? '')?.[1]);
    // The tests before have moved the clock on by hours.
    await expect.poll(hold, { timeout: LIMIT_MS }).toBeGreaterThan(30_000);
    expect(await hold()).toBeLessThanOrEqual(86_400);
  },
);

test('a cancelled roll ends with the old key, also when the parent has the DS records of the new one', async () => {
  const { child, validate } = await family('cancelled.example');
  const [before] = await dsOf(child);
  await roll(child);
  await cancel(child);
  expect(statesOf(await keysOf(child))).toBe('active');
  expect(refusal(await cancel(child))).toBe('409 conflict');

  await roll(child);
  await reach(child, 'active ready');
  expect((await dsOf(child))[0]?.keyTag).not.toBe(before?.keyTag);
  await cancel(child);
  expect((await dsOf(child))[0]?.keyTag).toBe(before?.keyTag);
  await service.settled();
  expect(await validate()).toMatchObject({ state: 'secure' });
  await reach(child, 'active');
  await service.settled();
  expect(await validate()).toMatchObject({ state: 'secure' });

  await roll(child);
  await reach(child, 'retired active');
  const late = await cancel(child);
  expect([refusal(late), late.body.message]).toEqual([
    '409 conflict',
    expect.stringContaining('signs the zone already'),
  ]);
});

test('a key keeps that a roll of it was cancelled, and its age, also when its zone is deleted and created again', async () => {
  const zone = await service.zone('kept-key.example');
  const [made] = (await keysOf(zone)).keys;
  expect(made?.rollCancelledAt).toBeNull();
  await roll(zone);
  await cancel(zone);
  const [kept] = (await keysOf(zone)).keys;
  expect(Date.parse(kept?.rollCancelledAt ?? '')).toBeGreaterThanOrEqual(Date.parse(made?.createdAt ?? ''));
  await request('DELETE', `/zones/${zone.id}`);
  const again = await service.zone('kept-key.example');
  const { keyTag, createdAt, rollCancelledAt } = kept ?? {};
  expect((await keysOf(again)).keys).toMatchObject([{ keyTag, createdAt, rollCancelledAt }]);
});

test('a roll waits without an end where the service cannot ask the parent, until a person confirms its DS records', async () => {
  const zone = await service.zone('alone.example');
  await roll(zone);
  const ready = await reach(zone, 'active ready');
  await sleep(3_000);
  const { roll: waiting } = await keysOf(zone);
  expect(waiting).toMatchObject({ step: 'ready', nextStepAt: null, canCancel: true, keyTag: ready.keys[1]?.keyTag });
  expect(waiting?.waitsFor).toContain('the parent zone: the resolver');
  const confirmed = await request('POST', `/zones/${zone.id}/keys/roll/confirm-ds`, { dsTtl: 60 });
  expect(confirmed.status).toBe(200);
  await reach(zone, 'retired active');
  await reach(zone, 'active');
  expect(refusal(await request('POST', `/zones/${zone.id}/keys/roll/confirm-ds`, {}))).toBe('409 conflict');
});

test('another team sees and changes nothing of it, and a key that only reads cannot begin a roll', async () => {
  const zone = await service.zone('mine.example');
  const stranger = await service.key({ team: 'stranger' });
  const reader = await service.key({ manageZones: 'read' });
  const paths = [
    ['GET', ''],
    ['POST', '/roll'],
    ['DELETE', '/roll'],
    ['POST', '/roll/confirm-ds'],
  ] as const;
  for (const [method, path] of paths) {
    const body = method === 'POST' ? {} : undefined;
    expect(refusal(await request(method, `/zones/${zone.id}/keys${path}`, body, stranger.text))).toMatch(/ no_zone$/);
    if (method !== 'GET')
      expect(refusal(await request(method, `/zones/${zone.id}/keys${path}`, body, reader.text))).toBe('403 forbidden');
  }
  expect(statesOf(await keysOf(zone))).toBe('active');
});

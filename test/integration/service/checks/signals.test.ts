// Checks of the type `signal`: a monitor sends the state of addresses, and a real name server answers without those
// that it calls unhealthy. Each test has a team of its own, because the brake on masses counts the addresses of a team.
import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { ensureTrust } from '#service/credentials/ensure-trust.ts';
import { withDatabase } from '#store/admin.ts';
import { ALL_ADDRESSES, extendSignal } from '#store/check-signals.ts';
import { writeTargetState } from '#store/check-targets.ts';
import type { TestKey } from '../../../support/service/keys.ts';
import { startTestService } from '../../../support/service/service.ts';
import { issuerKey } from '../../../support/tokens/keys.ts';

const service = await startTestService({ warnings: ['most checked addresses fail at once'] });
const { request, dns, sql } = service;
const [ONE, TWO, THREE] = ['192.0.2.1', '192.0.2.2', '192.0.2.3'] as const;
const NONE = { records: 'none', manageZones: 'none', clusters: 'none' } as const;
let count = 0;

/** A check of the type `signal` of a new team, and a zone whose name `www` has these addresses with the check. */
async function newSite(addresses: readonly string[] = [ONE, TWO], definition: object = { type: 'signal' }) {
  count += 1;
  const number = count;
  const team = `team-${number}`;
  const key = await service.key({ team });
  const say = (method: 'GET' | 'PUT' | 'DELETE', path: string, body?: object, who: TestKey = key) =>
    request(method, `/../checks${path}`, body, who.text);
  expect(await say('PUT', '/web', definition)).toMatchObject({ status: 200 });
  const zone = await service.zone(`signals-${number}.example`, key);
  const record = async (content: string) =>
    expect(
      await request('POST', `/zones/${zone.id}/records`, { name: 'www', type: 'A', content, check: 'web' }, key.text),
    ).toMatchObject({ status: 201 });
  for (const address of addresses) await record(address);
  const targets = async () =>
    (await say('GET', '/web')).body.targets as { address: string; state: string; reason: string; down: boolean }[];
  return {
    ...{ team, key, zone, record, say, targets },
    signal: (body: object, who: TestKey = key) => say('PUT', '/web/signal', body, who),
    states: async () => Object.fromEntries((await targets()).map(({ address, state }) => [address, state])),
    served: async () => {
      const { answers } = await dns.lookup(`www.${zone.zoneName}`, 'A');
      return answers.map((line) => line.split(' ').at(-1) ?? '').sort();
    },
    /** The signals in the history of the team. */
    history: async () =>
      sql`select subject, before, after from account_changes where team_id = ${key.team} and action = 'check.signal' order by id`,
  };
}

test('an address that the monitor calls unhealthy leaves the answers, and comes back', async () => {
  const { signal, served, states, targets, history, say } = await newSite();
  await expect
    .poll(targets)
    .toContainEqual(
      expect.objectContaining({ address: ONE, state: 'Unknown', reason: expect.stringContaining('No signal lasts') }),
    );
  const down = { state: 'Unhealthy', address: ONE, reason: '5 of 6 logins failed' };
  expect(await signal(down)).toMatchObject({ status: 200, body: { address: ONE, state: 'Unhealthy' } });
  await expect.poll(served).toEqual([TWO]);
  expect(await targets()).toContainEqual(
    expect.objectContaining({ address: ONE, state: 'Unhealthy', down: true, reason: '5 of 6 logins failed' }),
  );
  expect((await say('GET', '/web')).body.signals).toMatchObject([{ address: ONE, reason: '5 of 6 logins failed' }]);
  expect(await service.metrics()).toMatch(/zonestead_check_changes_total\{state="Unhealthy"\} [1-9]/);
  expect(await signal({ state: 'Healthy', address: ONE })).toMatchObject({ status: 200 });
  await expect.poll(served).toEqual([ONE, TWO]);
  expect(await states()).toEqual({ [ONE]: 'Healthy', [TWO]: 'Unknown' });
  expect(await history()).toMatchObject([
    { subject: `web ${ONE}`, before: null, after: { state: 'Unhealthy' } },
    { subject: `web ${ONE}`, before: { state: 'Unhealthy' }, after: { state: 'Healthy' } },
  ]);
});

test('a signal for one address wins over that for all, which also counts for a record that follows', async () => {
  const { signal, states, served, record } = await newSite();
  await signal({ state: 'Healthy', address: ONE });
  await signal({ state: 'Unhealthy' });
  await expect.poll(states).toEqual({ [ONE]: 'Healthy', [TWO]: 'Unhealthy' });
  await expect.poll(served).toEqual([ONE]);
  await record(THREE);
  await expect.poll(states).toEqual({ [ONE]: 'Healthy', [TWO]: 'Unhealthy', [THREE]: 'Unhealthy' });
  await expect.poll(served).toEqual([ONE]);
});

test('after the end of a signal the state is unknown, and the address is answered again', async () => {
  const { signal, served, targets, say } = await newSite();
  await signal({ state: 'Unhealthy', ttlSeconds: 86_400 });
  await signal({ state: 'Healthy', address: TWO, ttlSeconds: 10 });
  await expect.poll(served).toEqual([TWO]);
  await sql`update check_signals set until = now() where address = ''`;
  await expect.poll(served).toEqual([ONE, TWO]);
  expect(await targets()).toEqual([
    expect.objectContaining({ address: ONE, state: 'Unknown', reason: expect.stringContaining('has ended') }),
    expect.objectContaining({ address: TWO, state: 'Healthy' }),
  ]);
  expect((await say('GET', '/web')).body.signals).toHaveLength(1);
  // The end of a signal brings the address back, as a change for the better does: the pause follows.
  await signal({ state: 'Unhealthy', address: ONE });
  await expect
    .poll(targets)
    .toContainEqual(
      expect.objectContaining({ address: ONE, state: 'Unknown', reason: expect.stringContaining('30 s') }),
    );
  expect(await served()).toEqual([ONE, TWO]);
});

test('a repeated signal moves only its end, without a write of the key and an entry in the history', async () => {
  const { team, signal, states, history, key, zone } = await newSite();
  const monitor = await service.key({ ...NONE, team, signals: ['web'], recordWrites: 2 });
  const until = async () => {
    const [row] =
      await sql`select until::text as until, xmin::text as version from check_signals where owner = ${key.team}`;
    return row as { until: string; version: string };
  };
  expect(await signal({ state: 'Unhealthy', ttlSeconds: 20 }, monitor)).toMatchObject({ status: 200 });
  await expect.poll(states).toEqual({ [ONE]: 'Unhealthy', [TWO]: 'Unhealthy' });
  const before = await until();
  const changed = async () => (await sql`select changed_xid::text from zones where id = ${zone.id}`)[0]?.changed_xid;
  const version = await changed();
  for (let times = 0; times < 3; times += 1)
    expect(await signal({ state: 'Unhealthy', ttlSeconds: 600 }, monitor)).toMatchObject({ status: 200 });
  const after = await until();
  expect(Date.parse(after.until)).toBeGreaterThan(Date.parse(before.until) + 500_000);
  // An end that moves by less than a second is not written.
  expect(await signal({ state: 'Unhealthy', ttlSeconds: 600 }, monitor)).toMatchObject({ status: 200 });
  const last = await until();
  if (last.version !== after.version) expect(Date.parse(last.until) - Date.parse(after.until)).toBeGreaterThan(999);
  expect(await history()).toHaveLength(1);
  expect(await changed()).toBe(version);
  // Another reason is a write, and no change of the state.
  expect(await signal({ state: 'Unhealthy', reason: 'other' }, monitor)).toMatchObject({ status: 200 });
  expect(await signal({ state: 'Unhealthy', reason: 'third' }, monitor)).toMatchObject({ status: 429 });
  expect(await history()).toHaveLength(1);
});

test('a pin counts instead of the signals until it ends', async () => {
  const { signal, say, served, states } = await newSite();
  const pin = { state: 'Healthy', reason: 'the monitor is wrong', seconds: 600 };
  expect(await say('PUT', `/web/targets/${ONE}/pin`, pin)).toMatchObject({ status: 200 });
  await signal({ state: 'Unhealthy', address: ONE });
  await expect.poll(states).toMatchObject({ [ONE]: 'Unhealthy' });
  expect(await served()).toEqual([ONE, TWO]);
  expect(await say('DELETE', `/web/targets/${ONE}/pin`)).toMatchObject({ status: 204 });
  expect(await served()).toEqual([TWO]);
});

test('signals that call most of at least ten addresses unhealthy change nothing, and say so', async () => {
  const addresses = Array.from({ length: 10 }, (_, at) => `192.0.2.${at + 10}`);
  const { signal, targets, served } = await newSite(addresses);
  await signal({ state: 'Unhealthy' });
  await expect
    .poll(async () => (await targets()).map(({ state, reason }) => [state, reason]))
    .toEqual(addresses.map(() => ['Unknown', expect.stringContaining('The monitors call most addresses unhealthy')]));
  expect(await served()).toEqual([...addresses].sort());
  await signal({ state: 'Healthy' });
  for (const address of addresses.slice(0, 4)) await signal({ state: 'Unhealthy', address });
  await expect.poll(served).toEqual(addresses.slice(4));
});

test('an owner whose addresses fail by the hundred does not hold up those of another owner', async () => {
  const many = await newSite();
  expect(await many.say('PUT', '/other', { type: 'signal' })).toMatchObject({ status: 200 });
  // Less than half of the addresses of the owner fail, so that the brake does not hold.
  await sql`insert into check_targets (owner, check_name, address)
    select ${many.key.team}, case when n <= 400 then 'web' else 'other' end, '10.2.' || n / 256 || '.' || n % 256
    from generate_series(1, 1000) n`;
  const one = await newSite();
  await expect.poll(async () => (await many.targets()).every(({ reason }) => reason !== null)).toBe(true);
  // At the same moment.
  await sql`insert into check_signals (owner, check_name, address, state, reason, until)
    select owner, 'web', '', 'Unhealthy', 'as the monitor says', now() + interval '5 minutes'
    from (values (${many.key.team}), (${one.key.team})) teams (owner)`;
  const changes = async (team: string) =>
    sql`select no from check_changes where owner = ${team} and state = 'Unhealthy' order by no`;
  await expect.poll(async () => (await changes(many.key.team)).length).toBe(402);
  const [first] = await changes(one.key.team);
  const before = (await changes(many.key.team)).filter(({ no }) => Number(no) < Number(first?.no));
  expect(before.length).toBeLessThan(200);
});

test('an address that became healthy stays so for a pause', async () => {
  const { signal, served, targets } = await newSite();
  await signal({ state: 'Unhealthy', address: ONE });
  await expect.poll(served).toEqual([TWO]);
  await signal({ state: 'Healthy', address: ONE });
  await expect.poll(served).toEqual([ONE, TWO]);
  await signal({ state: 'Unhealthy', address: ONE });
  await expect
    .poll(targets)
    .toContainEqual(
      expect.objectContaining({ address: ONE, state: 'Healthy', reason: expect.stringContaining('30 s') }),
    );
  expect(await served()).toEqual([ONE, TWO]);
});

test('a process that takes over changes no state, and repairs one that is not that of the signal', async () => {
  const { signal, served, states, key } = await newSite();
  await signal({ state: 'Unhealthy', address: ONE });
  await expect.poll(served).toEqual([TWO]);
  await sql`update check_lease set holder = 'another', until = clock_timestamp() + interval '2 seconds'`;
  await expect.poll(async () => (await service.metrics()).includes('zonestead_checks_probing 0')).toBe(true);
  await expect.poll(async () => (await service.metrics()).includes('zonestead_checks_probing 1')).toBe(true);
  expect(await states()).toMatchObject({ [ONE]: 'Unhealthy' });
  const [lease] = await sql`select holder from check_lease`;
  const target = { owner: key.team, checkName: 'web', address: TWO };
  await withDatabase(service.database.url, (db) =>
    writeTargetState(db, target, String(lease?.holder), { state: 'Healthy', reason: 'a late write' }),
  );
  await expect.poll(states).toEqual({ [ONE]: 'Unhealthy', [TWO]: 'Unknown' });
});

test('only a check of the type signal takes signals, and it has nothing to probe', async () => {
  const { say, signal, key } = await newSite([ONE], { type: 'tcp', port: 25 });
  expect(await signal({ state: 'Unhealthy' })).toMatchObject({
    status: 409,
    body: { error: 'conflict', message: expect.stringContaining('the check web has the type tcp') },
  });
  expect(await say('PUT', '/web', { type: 'signal', port: 25 })).toMatchObject({
    status: 400,
    body: { field: 'port', message: expect.stringContaining('is unknown') },
  });
  expect(await say('PUT', '/web', { type: 'ping' })).toMatchObject({
    status: 400,
    body: { field: 'type', message: expect.stringContaining('must be one of https, http, tcp, signal') },
  });
  expect(await say('PUT', '/web', { type: 'signal' })).toMatchObject({ body: { definition: { type: 'signal' } } });
  for (const [body, field] of [
    [{ state: 'Unknown' }, 'state'],
    [{ state: 'Healthy', ttlSeconds: 9 }, 'ttlSeconds'],
    [{ state: 'Healthy', ttlSeconds: 86_401 }, 'ttlSeconds'],
    [{ state: 'Healthy', reason: '' }, 'reason'],
    [{ state: 'Healthy', reason: 'two\nlines' }, 'reason'],
    [{ state: 'Healthy', reason: 'x'.repeat(201) }, 'reason'],
    [{ state: 'Healthy', address: 'www' }, 'address'],
  ] as const)
    expect(await signal(body)).toMatchObject({ status: 400, body: { field } });
  expect(await signal({ state: 'Healthy', address: '192.0.2.99' })).toMatchObject({
    status: 404,
    body: { field: 'address' },
  });
  expect(await signal({ state: 'Unhealthy' })).toMatchObject({ status: 200 });
  // A check that is probed again forgets its signals.
  expect(await say('PUT', '/web', { type: 'tcp', port: 25 })).toMatchObject({ status: 200 });
  expect(await sql`select from check_signals where owner = ${key.team}`).toHaveLength(0);
});

test('a key for signals sends those of its checks, and can do nothing else', async () => {
  const { team, signal, say, zone } = await newSite();
  expect(await say('PUT', '/other', { type: 'signal' })).toMatchObject({ status: 200 });
  const monitor = await service.key({ ...NONE, team, signals: ['we*'] });
  expect(await signal({ state: 'Healthy' }, monitor)).toMatchObject({ status: 200 });
  const state = { state: 'Unhealthy' };
  for (const [method, path, body] of [
    ['PUT', '/../checks/other/signal', state],
    ['PUT', '/../checks/made-up/signal', state],
    ['GET', '/../checks', undefined],
    ['GET', '/../checks/web', undefined],
    ['PUT', '/../checks/web', { type: 'signal' }],
    ['DELETE', '/../checks/web', undefined],
    ['PUT', `/../checks/web/targets/${ONE}/pin`, { ...state, reason: 'x', seconds: 60 }],
    ['DELETE', `/../checks/web/targets/${ONE}/pin`, undefined],
    ['POST', '/zones', { zoneName: 'new.example' }],
    ['PUT', '/../clusters/east', undefined],
  ] as const)
    expect([path, (await request(method, path, body, monitor.text)).status]).toEqual([path, 403]);
  const content = { name: 'www', type: 'A', content: THREE };
  expect(await request('POST', `/zones/${zone.id}/records`, content, monitor.text)).toMatchObject({ status: 404 });
  expect(await request('GET', `/zones/${zone.id}/records`, undefined, monitor.text)).toMatchObject({ status: 404 });
  expect((await request('GET', '/zones', undefined, monitor.text)).body).toMatchObject({ zones: [] });
  // A refusal names no check that the key may not signal.
  const missing = await say('PUT', '/wet/signal', state, monitor);
  expect(missing).toMatchObject({ status: 404, body: { message: expect.stringContaining('web') } });
  expect(JSON.stringify(missing.body)).not.toContain('other');
});

test('the check of another team is like a missing one, also for a key with the right', async () => {
  const { states, signal } = await newSite([ONE]);
  const stranger = await service.key({ ...NONE, team: 'strangers', signals: ['*'] });
  const admin = await service.key({ team: 'strangers' });
  for (const who of [stranger, admin])
    expect(await signal({ state: 'Unhealthy' }, who)).toMatchObject({ status: 404, body: { error: 'not_found' } });
  expect(await states()).toEqual({ [ONE]: 'Unknown' });
});

test('a key that is revoked no longer moves the end of its signal', async () => {
  const { team, signal, key } = await newSite([ONE]);
  const monitor = await service.key({ ...NONE, team, signals: ['web'] });
  expect(await signal({ state: 'Healthy' }, monitor)).toMatchObject({ status: 200 });
  await sql`update api_keys set revoked_at = now() where id = ${monitor.id}`;
  // A request that was authenticated before does not move it either.
  const place = { owner: key.team, checkName: 'web', address: ALL_ADDRESSES };
  const said = { state: 'Healthy', reason: 'The monitor gave no reason.' } as const;
  const extend = (keyId: string) =>
    withDatabase(service.database.url, (db) => extendSignal(db, place, said, { seconds: 600, keyId }));
  expect(await extend(monitor.id)).toBeNull();
  expect(await extend(key.id)).toBeGreaterThan(Date.now());
  expect(await signal({ state: 'Healthy', ttlSeconds: 600 }, monitor)).toMatchObject({ status: 401 });
});

test('a trust for every namespace of a cluster gives no right to send signals', async () => {
  const { jwk } = await issuerKey('signals');
  const ensure = (match: { [claim: string]: string }) => {
    const keySource = { kind: 'pinned' as const, jwks: { keys: [jwk as Record<string, unknown>] } };
    const issuer = 'https://signals.example';
    const terms = {
      name: `of ${match.namespace}`,
      issuer,
      keySource,
      match: { 'kubernetes.io': match },
      signals: ['web'],
    };
    return ensureTrust(service.database.url, { team: 'trusting', terms }, randomBytes, new Date());
  };
  await expect(ensure({ namespace: '*' })).rejects.toMatchObject({ field: 'signals' });
  await expect(ensure({ namespace: 'monitoring' })).resolves.toBeDefined();
});

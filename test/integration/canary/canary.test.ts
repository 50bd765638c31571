// The canary against a service with two real name servers, and faults on the way to them.
import { afterAll, afterEach, expect, test } from 'vitest';
import { type Clock, realClock } from '#base/clock.ts';
import { type Client, createClient } from '#client/client.ts';
import { ApiUnavailable } from '#client/errors.ts';
import { createTestCanary } from '../../support/canary/canary.ts';
import { startRelay } from '../../support/dns/relay.ts';
import { NAMESERVERS, startTestService } from '../../support/service/service.ts';
import { untilIs } from '../../support/time/until.ts';

const service = await startTestService({ nodes: 2 });
/** Another installation that serves a zone of the same name with a key of its own. */
const other = await startTestService();
const [one, two] = service.servers as [(typeof service.servers)[0], (typeof service.servers)[0]];
const [firstName, secondName] = NAMESERVERS as [string, string];
const relay = await startRelay(two, 'zonestead-canary');
afterAll(() => relay.close());
afterEach(() => {
  relay.udp = 'pass';
  relay.tcp = 'pass';
});

const { signal } = new AbortController();
const FIRST = `127.0.0.1:${one.port}`;
const SECOND = `127.0.0.1:${relay.port}`;
let count = 0;

/** Every reading is some seconds after the one before it, for work that waits for an interval. */
function quickClock(): Clock {
  let ahead = 0;
  const now = () => {
    ahead += 6_000;
    return realClock.now() + ahead;
  };
  return { ...realClock, now };
}

/** The keys of a zone, once all name servers serve it with others than those. */
async function untilServed(zone: string, other = ''): Promise<string> {
  const keys = async () => {
    const lookups = await Promise.all(service.servers.map((server) => server.lookup(zone, 'DNSKEY')));
    return lookups.map(({ rcode, answers }) => (rcode === 'NOERROR' ? answers.join() : ''));
  };
  await untilIs(`${zone} at all name servers`, keys, (all) => all.every((each) => each !== '' && each !== other));
  return (await keys())[0] ?? '';
}

async function newCanary(options: Partial<Parameters<typeof createTestCanary>[0]> = {}) {
  count += 1;
  const zone = await service.zone(`canary${count}.example`);
  await untilServed(zone.zoneName);
  const key = await service.key({
    records: 'none',
    manageZones: 'none',
    clusters: 'none',
    grants: { [zone.id]: 'write' },
    onlyNames: ['canary*'],
    onlyTypes: ['TXT'],
  });
  const created = createTestCanary({
    ...{ url: service.url, key: key.text, zone: zone.zoneName, servers: { [firstName]: one, [secondName]: relay } },
    ...options,
  });
  const records = async () => {
    const { body } = await service.request('GET', `/zones/${zone.id}/records`);
    return (body.records as { name: string }[]).map(({ name }) => name);
  };
  return { ...created, zone, key, records };
}

const results = (look: Awaited<ReturnType<Awaited<ReturnType<typeof newCanary>>['canary']['look']>>) =>
  look.map(({ path, verdicts: { keys, soa, value } }) => [
    `${path.address === FIRST ? 'first' : 'second'} ${path.transport}`,
    ...[keys.result, soa.result, value?.result ?? null],
  ]);

test('every address answers a change of the canary, with signatures that lead to the DS records', async () => {
  const { canary, series, records } = await newCanary();
  await canary.prepare(signal);
  const outcome = await canary.change(signal);
  expect(outcome).toMatchObject({ result: 'answered', latePaths: [], error: null });
  expect(outcome.seconds).toBeLessThan(2);
  expect(results(await canary.look(signal))).toEqual([
    ['first udp', 'right', 'right', 'right'],
    ['first tcp', 'right', 'right', 'right'],
    ['second udp', 'right', 'right', 'right'],
    ['second tcp', 'right', 'right', 'right'],
  ]);
  expect(await series('canary_changes_total', { result: 'answered' })).toBe(1);
  expect(await series('canary_changes_total', { result: 'late' })).toBe(0);
  expect(await series('canary_queries_total', { address: FIRST, transport: 'tcp', result: 'right' })).toBeGreaterThan(
    3,
  );
  expect(await series('canary_queries_total', { address: SECOND, transport: 'udp', result: 'bogus' })).toBe(0);
  expect(await series('canary_freshness_seconds', { address: SECOND })).toBe(0);
  expect(await series('canary_change_duration_seconds_count')).toBe(1);
  expect(await records()).toEqual(['canary']);
  await canary.cleanUp();
  expect(await records()).toEqual([]);
});

test('an IPv6 address is asked and validated as an IPv4 address is, over UDP and over TCP', async () => {
  const six = await startRelay(two, 'zonestead-canary', '::1');
  try {
    const { canary, series } = await newCanary({ limitMs: 20_000, servers: { [firstName]: one, [secondName]: six } });
    await canary.prepare(signal);
    expect(await canary.change(signal)).toMatchObject({ result: 'answered', latePaths: [] });
    expect(results(await canary.look(signal)).slice(2)).toEqual([
      ['second udp', 'right', 'right', 'right'],
      ['second tcp', 'right', 'right', 'right'],
    ]);
    const address = `[::1]:${six.port}`;
    for (const transport of ['udp', 'tcp']) {
      expect(await series('canary_queries_total', { address, transport, result: 'right' })).toBeGreaterThan(3);
    }
    six.udp = 'tampered';
    expect(results(await canary.look(signal)).slice(2)).toEqual([
      ['second udp', 'right', 'right', 'bogus'],
      ['second tcp', 'right', 'right', 'right'],
    ]);
  } finally {
    await six.close();
  }
});

test('a change is late while an address answers old data, which is wrong after the limit', async () => {
  const { canary, series } = await newCanary({ limitMs: 700 });
  await canary.prepare(signal);
  await canary.change(signal);
  relay.udp = 'frozen';
  const outcome = await canary.change(signal);
  expect(outcome.result).toBe('late');
  expect(outcome.seconds).toBe(0.7);
  expect(outcome.latePaths.map(({ address, transport }) => `${address} ${transport}`)).toEqual([`${SECOND} udp`]);
  const look = await canary.look(signal);
  // Keys and SOA were frozen in this state, too, and are still right.
  expect(results(look).find(([path]) => path === 'second udp')).toEqual(['second udp', 'right', 'right', 'wrong']);
  expect(look.find(({ path }) => path.address === SECOND)?.verdicts.value?.problem).toBe('still answers an old value');
  expect(await series('canary_changes_total', { result: 'late' })).toBe(1);
});

test('the freshness of an address grows while it answers old data, and ends with the newest value', async () => {
  const { canary, series } = await newCanary({ limitMs: 500 });
  await canary.prepare(signal);
  await canary.change(signal);
  [relay.udp, relay.tcp] = ['frozen', 'frozen'];
  await canary.look(signal);
  await canary.change(signal);
  await canary.change(signal);
  const freshness = async (address: string) => (await series('canary_freshness_seconds', { address })) as number;
  // From the first value that it lacks.
  expect(await freshness(SECOND)).toBeGreaterThan(1);
  expect(await freshness(FIRST)).toBe(0);
  [relay.udp, relay.tcp] = ['pass', 'pass'];
  await canary.look(signal);
  expect(await freshness(SECOND)).toBe(0);
});

test('answers are bogus if a name server signs the zone with another key', async () => {
  const { canary, zone, series } = await newCanary({
    limitMs: 700,
    servers: { [firstName]: one, [secondName]: other.servers[0] as (typeof other.servers)[0] },
  });
  const copy = await other.zone(zone.zoneName);
  await other.record(copy, 'canary', 'TXT', 'zonestead-canary:x:1');
  expect((await other.dns.lookup(`canary.${zone.zoneName}`, 'TXT')).answers).toHaveLength(1);
  await canary.prepare(signal);
  expect(await canary.change(signal)).toMatchObject({ result: 'late' });
  expect(results(await canary.look(signal)).slice(2)).toEqual([
    ['second udp', 'bogus', 'bogus', 'bogus'],
    ['second tcp', 'bogus', 'bogus', 'bogus'],
  ]);
  const address = `127.0.0.1:${other.servers[0]?.port}`;
  expect(await series('canary_queries_total', { address, transport: 'udp', result: 'bogus' })).toBeGreaterThan(0);
  expect(await series('canary_queries_total', { address, transport: 'udp', result: 'right' })).toBe(0);
});

test('an answer with a changed value is bogus', async () => {
  const { canary } = await newCanary({ limitMs: 500 });
  await canary.prepare(signal);
  relay.tcp = 'tampered';
  await canary.change(signal);
  expect(results(await canary.look(signal)).slice(2)).toEqual([
    ['second udp', 'right', 'right', 'right'],
    ['second tcp', 'right', 'right', 'bogus'],
  ]);
});

test('a blocked TCP is silent, and the answers over UDP stay right', async () => {
  const { canary, series } = await newCanary({ limitMs: 500 });
  await canary.prepare(signal);
  relay.tcp = 'silent';
  expect(await canary.change(signal)).toMatchObject({ result: 'late' });
  expect(results(await canary.look(signal)).slice(2)).toEqual([
    ['second udp', 'right', 'right', 'right'],
    ['second tcp', 'silent', 'silent', 'silent'],
  ]);
  expect(await series('canary_queries_total', { address: SECOND, transport: 'tcp', result: 'silent' })).toBe(3);
  expect(await series('canary_freshness_seconds', { address: SECOND })).toBe(0);
});

test('a change does not wait for an address that has been silent for two minutes', async () => {
  let ahead = 0;
  const clock = { ...realClock, now: () => realClock.now() + ahead };
  const { canary } = await newCanary({ limitMs: 500, clock });
  await canary.prepare(signal);
  await canary.change(signal);
  [relay.udp, relay.tcp] = ['silent', 'silent'];
  expect(await canary.change(signal)).toMatchObject({ result: 'late' });
  await canary.look(signal);
  ahead = 125_000;
  expect(await canary.change(signal)).toMatchObject({ result: 'answered' });
  // An answer of any kind ends it.
  [relay.udp, relay.tcp] = ['pass', 'pass'];
  await canary.look(signal);
  [relay.udp, relay.tcp] = ['silent', 'silent'];
  expect(await canary.change(signal)).toMatchObject({ result: 'late' });
  expect(relay.asked).toBeGreaterThan(0);
});

test('the canary follows a zone that was created again with another key, and says that its right is gone', async () => {
  const { zone } = await newCanary();
  // This key may write all records of the team, as it may those of the new zone.
  const all = await service.key({ manageZones: 'none' });
  const { canary } = await newCanary({ zone: zone.zoneName, key: all.text, limitMs: 5_000, clock: quickClock() });
  const narrow = await service.key({ records: 'none', manageZones: 'none', grants: { [zone.id]: 'write' } });
  const second = await newCanary({ zone: zone.zoneName, key: narrow.text });
  await canary.prepare(signal);
  await second.canary.prepare(signal);
  expect(await canary.change(signal)).toMatchObject({ result: 'answered' });
  const { request, admin } = service;
  const before = await untilServed(zone.zoneName);
  expect((await request('DELETE', `/zones/${zone.id}`)).status).toBe(204);
  const body = { zoneName: zone.zoneName, owner: `org:${admin.team}`, newKey: true };
  expect((await request('POST', '/zones', body)).status).toBe(200);
  await untilServed(zone.zoneName, before);
  const look = await canary.look(signal);
  expect(look.map(({ verdicts: { keys, soa } }) => [keys.result, soa.result])).toEqual(
    Array(4).fill(['right', 'right']),
  );
  expect(await canary.change(signal)).toMatchObject({ result: 'answered' });
  const { error } = await second.canary.change(signal);
  expect(second.canary.explain(error).message).toContain('Create the zone again, or give the key its right');
});

test('the canary presents a challenge, sees it everywhere, and removes it', async () => {
  let aheadMs = 0;
  const clock = { ...realClock, now: () => realClock.now() + aheadMs };
  const { canary, series, records, zone } = await newCanary({ clock, limitMs: 60_000 });
  await canary.prepare(signal);
  const outcome = await canary.challenge(signal);
  expect(outcome).toMatchObject({ result: 'issued', error: null });
  expect(await records()).toEqual([]);
  // The canary does not wait for the removal. After ten minutes of its clock the record is rightly an old value.
  const challenge = () =>
    Promise.all(service.servers.map((server) => server.lookup(`_acme-challenge.canary.${zone.zoneName}`, 'TXT')));
  await untilIs('no challenge at any name server', challenge, (all) =>
    all.every(({ answers }) => answers.length === 0),
  );
  // A second one at the same name ten minutes later, until which it is right that there is none.
  aheadMs += 10 * 60_000;
  expect(await canary.challenge(signal)).toMatchObject({ result: 'issued' });
  for (const address of [FIRST, SECOND])
    for (const transport of ['udp', 'tcp'])
      expect(await series('canary_queries_total', { address, transport, result: 'wrong' })).toBe(0);
  expect(await series('canary_challenges_total', { result: 'issued' })).toBe(2);
  expect(await series('canary_challenges_total', { result: 'failed' })).toBe(0);
  expect(await series('canary_challenge_duration_seconds_count')).toBe(2);
});

test('a canary without the right says how to get it', async () => {
  const { zone } = await newCanary();
  const rights = { records: 'none', manageZones: 'none', clusters: 'none' } as const;
  const readOnly = await service.key({ ...rights, grants: { [zone.id]: 'read' } });
  const blind = await service.key(rights);
  const create = (key: string) => newCanary({ zone: zone.zoneName, key });
  const reader = await create(readOnly.text);
  await reader.canary.prepare(signal);
  const { error } = await reader.canary.change(signal);
  expect(reader.canary.explain(error).message).toContain(`--grant <id of ${zone.zoneName}>=write --only-name canary`);
  const stranger = await create(blind.text);
  await expect(stranger.canary.prepare(signal)).rejects.toThrow(`sees no zone ${zone.zoneName}`);
  const wrong = await create('yk_wrong_key');
  const refused = await wrong.canary.prepare(signal).catch((reason: unknown) => reason);
  expect(wrong.canary.explain(refused).message).toContain('Set ZONESTEAD_API_KEY');
});

test('a canary without an api has failed changes, and a restart leaves one record', async () => {
  const running = await newCanary();
  const stop = new AbortController();
  const ended = running.canary.run(stop.signal);
  await untilIs(
    'the first change',
    () => running.series('canary_changes_total', { result: 'answered' }),
    (seen) => (seen ?? 0) > 0,
  );
  stop.abort();
  await ended;
  expect(await running.records()).toEqual([]);

  // A process that was killed left its record; the next one writes over it.
  const killed = await newCanary();
  await killed.canary.prepare(signal);
  await killed.canary.change(signal);
  const away = createTestCanary({
    ...{ url: 'http://127.0.0.1:1', key: killed.key.text, zone: killed.zone.zoneName, servers: {} },
  });
  const end = new AbortController();
  const awayEnded = away.canary.run(end.signal);
  await untilIs(
    'a failed change',
    () => away.series('canary_changes_total', { result: 'failed' }),
    (seen) => (seen ?? 0) > 0,
  );
  expect(away.canary.problem).toContain('The API is unreachable');
  end.abort();
  await awayEnded;
  const next = createTestCanary({
    ...{ url: service.url, key: killed.key.text, zone: killed.zone.zoneName },
    servers: { [firstName]: one, [secondName]: relay },
  });
  await next.canary.prepare(signal);
  expect(await next.canary.change(signal)).toMatchObject({ result: 'answered' });
  expect(await killed.records()).toEqual(['canary']);
});

test('queries are right and series exist while the api is down after the start', async () => {
  const { zone, key } = await newCanary();
  const real = createClient({ baseUrl: service.url, key: key.text });
  let isAway = false;
  const call: Client['call'] = (...words) =>
    isAway ? Promise.reject(new ApiUnavailable('the api is down')) : real.call(...words);
  const { canary, series, log } = createTestCanary({
    ...{ url: service.url, key: key.text, zone: zone.zoneName, client: { call }, limitMs: 500 },
    servers: { [firstName]: one, [secondName]: relay },
  });
  const stop = new AbortController();
  const ended = canary.run(stop.signal);
  const answered = () => series('canary_changes_total', { result: 'answered' });
  const right = () => series('canary_queries_total', { address: FIRST, transport: 'udp', result: 'right' });
  await untilIs('the first change', answered, (seen) => (seen ?? 0) > 0);
  isAway = true;
  await untilIs(
    'failed changes',
    () => series('canary_changes_total', { result: 'failed' }),
    (seen) => (seen ?? 0) > 1,
  );
  const before = (await right()) ?? 0;
  await untilIs('more queries', right, (seen) => (seen ?? 0) > before + 6);
  expect(await series('canary_freshness_seconds', { address: FIRST })).toBe(0);
  isAway = false;
  const changes = (await answered()) ?? 0;
  await untilIs('changes again', answered, (seen) => (seen ?? 0) > changes);
  stop.abort();
  await ended;
  for (const result of ['wrong', 'bogus'])
    expect(await series('canary_queries_total', { address: FIRST, transport: 'udp', result })).toBe(0);
  // One line when it begins and one when it ends, however many changes failed.
  const lines = log.map((line) => (JSON.parse(line) as { msg: string }).msg);
  expect(lines.filter((line) => line.includes('did not make the change'))).toHaveLength(1);
  expect(lines).toContain('the service takes changes of the canary again');
  await real.close();
});

// A DNSZone with the API key of its namespace's own team: the source of the key, and the messages when it does not
// work.
import { expect, test } from 'vitest';
import { createCredentials, type ServiceConnection } from '#operator/access/credentials.ts';
import { Bench, DNS_RECORD, DNS_ZONE } from '../../support/operator/bench.ts';
import { OWNER } from '../../support/operator/memory-service.ts';
import { FakeClock } from '../../support/time/fake-clock.ts';

const ZONE = 'default/example';
const SECRET = 'default/team-key';

function bench(data: Record<string, string> | null | undefined): Bench {
  const on = new Bench();
  on.keys.set('yk_1_good', OWNER);
  if (data !== undefined) on.cluster.secrets.set(SECRET, data);
  on.cluster.create(
    DNS_ZONE,
    { name: 'example' },
    { zoneName: 'example.org', credentialsSecretRef: { name: 'team-key' } },
  );
  on.cluster.create(
    DNS_RECORD,
    { name: 'www' },
    { zoneRef: { name: 'example' }, name: 'www', type: 'A', content: '192.0.2.1' },
  );
  return on;
}

const zone = (on: Bench) => on.cluster.zone(ZONE);
const www = (on: Bench) => on.cluster.record('default/www');

/** Longer than the time for which the operator uses a Secret without reading it again. */
async function later(on: Bench): Promise<void> {
  await on.clock.advance(11_000);
  await on.settle();
}

test('a DNSZone with an API key of its own is created with it, and so are its records; the Secret is read once for both', async () => {
  const on = bench({ apiKey: 'yk_1_good\n' });
  await on.round();
  await on.round();
  expect(on.ready(zone(on))).toBe('True Ready');
  expect(on.ready(www(on))).toBe('True Ready');
  expect(on.faults.calls.filter((call) => call.startsWith('kube get'))).toEqual(['kube get secrets team-key']);
});

test.each([
  ['missing', undefined, 'CredentialsMissing', /^Secret default\/team-key does not exist\. Create it/],
  ['without apiKey', { token: 'yk_1_good' }, 'CredentialsMissing', /no valid API key under apiKey/],
  ['with an impossible key', { apiKey: 'yk 1\u0000' }, 'CredentialsMissing', /no valid API key under apiKey/],
  [
    'not readable',
    null,
    'CredentialsNotReadable',
    /Create a Role in namespace default .* Secret team-key, and bind it/,
  ],
  [
    'with a wrong key',
    { apiKey: 'yk_1_bad' },
    'CredentialsRejected',
    /refuses the API key in Secret default\/team-key/,
  ],
] as const)(
  'a DNSZone with an API key of its own reports the problem of a Secret that is %s, and recovers without an edit',
  async (_how, data, reason, words) => {
    const on = bench(data as Record<string, string> | null | undefined);
    await on.settle();
    expect(on.ready(zone(on))).toBe(`False ${reason}`);
    expect(on.message(zone(on))).toMatch(words);
    expect(JSON.stringify([zone(on), on.events])).not.toContain('yk_1_');
    expect(on.ready(www(on))).toBe('False ZoneNotReady');
    on.cluster.secrets.set(SECRET, { apiKey: 'yk_1_good' });
    await later(on);
    expect(on.ready(zone(on))).toBe('True Ready');
    expect(on.ready(www(on))).toBe('True Ready');
  },
);

test('a DNSZone with an API key of its own uses a rotated key, also when the old one expired first', async () => {
  const on = bench({ apiKey: 'yk_1_good' });
  await on.settle();
  on.keys.delete('yk_1_good');
  on.keys.set('yk_2_good', OWNER);
  await on.settle();
  expect(on.ready(zone(on))).toBe('False CredentialsRejected');
  on.cluster.secrets.set(SECRET, { apiKey: 'yk_2_good' });
  await on.settle();
  expect(on.ready(zone(on))).toBe('True Ready');
  expect(on.ready(www(on))).toBe('True Ready');
});

test('a DNSZone with an API key of its own creates and deletes nothing with the key of another team', async () => {
  const on = bench({ apiKey: 'yk_1_good' });
  await on.settle();
  on.keys.set('yk_3_other', 'org:team_other');
  on.cluster.secrets.set(SECRET, { apiKey: 'yk_3_other' });
  await later(on);
  expect(on.ready(zone(on))).toBe('False CredentialsWrongTeam');
  on.cluster.edit(DNS_RECORD, 'default/www', { content: '192.0.2.2' });
  on.cluster.remove(DNS_ZONE, ZONE);
  on.restart();
  await on.settle();
  expect(on.ready(zone(on))).toBe('False CredentialsWrongTeam');
  expect(on.service.lines()).toEqual(['example.org www A 192.0.2.1 3600']);
});

test('a DNSZone with an API key of its own is deleted with its records although the Secret was deleted first, as in the deletion of a namespace', async () => {
  const on = bench({ apiKey: 'yk_1_good' });
  await on.settle();
  on.cluster.secrets.delete(SECRET);
  on.cluster.remove(DNS_RECORD, 'default/www');
  on.cluster.remove(DNS_ZONE, ZONE);
  await later(on);
  expect([...on.cluster.zones(), ...on.cluster.records()]).toEqual([]);
  expect(on.service.zones.size).toBe(0);
});

test('a DNSZone with an API key of its own delays its deletion when the key is unknown, and says how to delete the object alone', async () => {
  const on = bench({ apiKey: 'yk_1_good' });
  await on.settle();
  on.cluster.secrets.delete(SECRET);
  on.cluster.remove(DNS_ZONE, ZONE);
  on.restart();
  await on.settle();
  expect(on.message(zone(on))).toMatch(/Secret default\/team-key does not exist.* set spec\.deletionPolicy: Retain\.$/);
  on.cluster.edit(DNS_ZONE, ZONE, { deletionPolicy: 'Retain' });
  on.cluster.edit(DNS_RECORD, 'default/www', { deletionPolicy: 'Retain' });
  on.cluster.remove(DNS_RECORD, 'default/www');
  await on.settle();
  expect([...on.cluster.zones(), ...on.cluster.records()]).toEqual([]);
});

const revoked = async (on: Bench) => {
  await on.settle();
  on.keys.delete('yk_1_good');
};
const rotate = (on: Bench) => {
  on.keys.set('yk_2_good', OWNER);
  on.cluster.secrets.set(SECRET, { apiKey: 'yk_2_good' });
};

test('the deletion of an object whose API key was revoked has a condition on the DNSZone, and continues with the new key of the Secret at the next run', async () => {
  const on = bench({ apiKey: 'yk_1_good' });
  await revoked(on);
  on.cluster.remove(DNS_ZONE, ZONE);
  // No growing delay: the Secret is read again after a fixed time.
  expect(await on.run('zone', ZONE)).toEqual({ result: { requeueAfterMs: 10_000 }, error: null });
  expect(on.ready(zone(on))).toBe('False CredentialsRejected');
  expect(on.message(zone(on))).toMatch(
    /refuses the API key in Secret default\/team-key.* set spec\.deletionPolicy: Retain\.$/,
  );
  rotate(on);
  await on.run('zone', ZONE);
  expect(zone(on)).toBeUndefined();
});

test('the deletion of an object whose API key was revoked continues with the new key for a record that waits with its zone', async () => {
  const on = bench({ apiKey: 'yk_1_good' });
  await revoked(on);
  on.cluster.remove(DNS_RECORD, 'default/www');
  on.cluster.remove(DNS_ZONE, ZONE);
  await on.settle();
  rotate(on);
  await on.settle();
  expect([...on.cluster.zones(), ...on.cluster.records()]).toEqual([]);
  expect(on.service.zones.size).toBe(0);
});

test('the deletion of an object whose API key was revoked continues with the new key for the records of a deleted DNSRecord', async () => {
  const on = bench({ apiKey: 'yk_1_good' });
  await revoked(on);
  on.cluster.remove(DNS_RECORD, 'default/www');
  expect(await on.run('record', 'default/www')).toEqual({ result: { requeueAfterMs: 10_000 }, error: null });
  rotate(on);
  await on.clock.advance(10_000);
  await on.settle();
  expect(on.service.ids()).toEqual([]);
});

test('the deletion of an object whose API key was revoked does not tell another namespace the name of the Secret', async () => {
  const on = bench({ apiKey: 'yk_1_good' });
  on.cluster.edit(DNS_ZONE, ZONE, { allowedRecords: [{ namespaces: { from: 'All' } }] });
  on.cluster.create(
    DNS_RECORD,
    { name: 'other', namespace: 'b' },
    { zoneRef: { name: 'example', namespace: 'default' }, name: 'other', type: 'A', content: '192.0.2.9' },
  );
  await revoked(on);
  on.cluster.edit(DNS_RECORD, 'b/other', { content: '192.0.2.10' });
  await on.run('record', 'b/other');
  expect(on.message(on.cluster.record('b/other'))).toContain('CredentialsRejected');
  expect(JSON.stringify(on.cluster.record('b/other'))).not.toContain('team-key');
});

test.each([
  ['10 s by default', undefined, 9_999, 10_000],
  ['as the caller sets it', 500, 499, 500],
] as const)('the refresh time of a Secret is %s', async (_which, refreshMs, tooEarly, inTime) => {
  const clock = new FakeClock();
  let reads = 0;
  const get = async () => {
    reads += 1;
    return { data: { apiKey: Buffer.from('yk_1_good').toString('base64') } } as never;
  };
  const connection = {} as ServiceConnection;
  const credentials = createCredentials({
    api: { get },
    own: connection,
    connect: () => connection,
    clock,
    refreshMs,
  });
  const object = { metadata: { namespace: 'default', name: 'z' }, spec: { credentialsSecretRef: { name: 'k' } } };
  const { signal } = new AbortController();
  const readsAfter = async (ms: number) => {
    await clock.advance(ms);
    await credentials.of(object as never, signal);
    return reads;
  };
  expect(await readsAfter(0)).toBe(1);
  expect(await readsAfter(tooEarly)).toBe(1);
  expect(await readsAfter(inTime - tooEarly)).toBe(2);
  expect(credentials.refreshMs).toBe(inTime);
});

// A DNSZone with the API key of its namespace's own team: where the key comes from, and what is said when it does not work.
import { describe, expect, it } from 'vitest';
import { Bench, DNS_RECORD, DNS_ZONE } from '../../support/operator/bench.ts';
import { OWNER } from '../../support/operator/service.ts';

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

/** Longer than a Secret that was read is taken as it was. */
async function later(on: Bench): Promise<void> {
  await on.clock.advance(11_000);
  await on.settle();
}

describe('a DNSZone with an API key of its own', () => {
  it('is made with it, and so are its records; the Secret is read once for both', async () => {
    const on = bench({ apiKey: 'yk_1_good\n' });
    await on.round();
    await on.round();
    expect(on.ready(zone(on))).toBe('True Ready');
    expect(on.ready(www(on))).toBe('True Ready');
    expect(on.faults.calls.filter((call) => call.startsWith('kube get'))).toEqual(['kube get secrets team-key']);
  });

  it.each([
    ['missing', undefined, 'CredentialsMissing', /^There is no Secret default\/team-key; create it/],
    ['without apiKey', { token: 'yk_1_good' }, 'CredentialsMissing', /no API key under apiKey/],
    ['with a key that cannot be one', { apiKey: 'yk 1\u0000' }, 'CredentialsMissing', /no API key under apiKey/],
    ['not readable', null, 'CredentialsNotReadable', /bind a Role in namespace default .* Secret team-key/],
    [
      'with a wrong key',
      { apiKey: 'yk_1_bad' },
      'CredentialsRejected',
      /does not accept the API key in Secret default\/team-key/,
    ],
  ] as const)(
    'says what is wrong with a Secret that is %s, and heals without an edit',
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

  it('goes on with a rotated key, also when the old one ended first', async () => {
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

  it('makes and deletes nothing with the key of another team', async () => {
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

  it('is deleted with its records although the Secret went first, as in a namespace in deletion', async () => {
    const on = bench({ apiKey: 'yk_1_good' });
    await on.settle();
    on.cluster.secrets.delete(SECRET);
    on.cluster.remove(DNS_RECORD, 'default/www');
    on.cluster.remove(DNS_ZONE, ZONE);
    await later(on);
    expect([...on.cluster.zones(), ...on.cluster.records()]).toEqual([]);
    expect(on.service.zones.size).toBe(0);
  });

  it('waits with its deletion when nobody knows the key any more, and says how to let go', async () => {
    const on = bench({ apiKey: 'yk_1_good' });
    await on.settle();
    on.cluster.secrets.delete(SECRET);
    on.cluster.remove(DNS_ZONE, ZONE);
    on.restart();
    await on.settle();
    expect(on.message(zone(on))).toMatch(
      /There is no Secret default\/team-key.* Or set spec\.deletionPolicy: Retain\.$/,
    );
    on.cluster.edit(DNS_ZONE, ZONE, { deletionPolicy: 'Retain' });
    on.cluster.edit(DNS_RECORD, 'default/www', { deletionPolicy: 'Retain' });
    on.cluster.remove(DNS_RECORD, 'default/www');
    await on.settle();
    expect([...on.cluster.zones(), ...on.cluster.records()]).toEqual([]);
  });
});

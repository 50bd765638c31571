// The JSON of zones and records in the API, and the refusals that verdicts of rules become.
import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { dsContents, generateSigningKey, keyTag } from '#dns/dnssec/signing-key.ts';
import { accept, conflict, refuse } from '#dns/verdict.ts';
import { authenticate } from '#service/keys/keys.ts';
import { insist, Refusal } from '#service/refusal.ts';
import { recordView, zoneView } from '#service/zones/view.ts';

const csk = generateSigningKey();
const row = {
  id: 'zone_1',
  no: 7,
  teamId: 'team_1',
  userId: null,
  name: 'example.org',
  tree: 'org example',
  state: 'active' as const,
  defaultTtl: 3600,
  denial: 'NSEC' as const,
  serial: 17,
  ds: dsContents('example.org', csk),
  recordCount: 3,
  storedBytes: 60,
  recordRoom: 64,
  byteRoom: 4096,
  ownedSets: 0,
  ownersVersion: 0,
  managedBy: null,
  comment: null,
  secondaryNameservers: [],
  createdAt: new Date('2026-11-21T10:31:00Z'),
  updatedAt: new Date('2026-11-21T10:32:11Z'),
};

test('a zone is shown with owner, delegation and times, and without internal data', () => {
  const view = zoneView(row, ['ns1.example.net']);
  expect(Object.keys(view).sort().join()).toBe(
    'createdAt,defaultTtl,denial,ds,id,nameservers,owner,records,serial,state,updatedAt,zoneName',
  );
  expect(view).toMatchObject({
    zoneName: 'example.org',
    owner: 'org:team_1',
    nameservers: ['ns1.example.net'],
    records: 3,
    createdAt: '2026-11-21T10:31:00.000Z',
    updatedAt: '2026-11-21T10:32:11.000Z',
  });
  expect(view.ds.map((ds) => [ds.keyTag, ds.digestType])).toEqual([
    [keyTag(csk), 2],
    [keyTag(csk), 4],
  ]);
  expect(JSON.stringify(view)).not.toContain(csk.publicKey);
});

test('a zone gives its default TTL to records that have none', () => {
  const record = { id: 'rec_1', name: 'www', type: 'A' as const, content: '192.0.2.1', ttl: null, priority: null };
  const row = { ...record, comment: null, health: null };
  expect(recordView(row, { defaultTtl: 120 })).toEqual({ ...record, ttl: 120 });
  expect(recordView({ ...row, ttl: 30 }, { defaultTtl: 120 }).ttl).toBe(30);
});

test('a verdict that accepts returns its value', () => {
  expect(insist(accept(5))).toBe(5);
});

test('a verdict that refuses is thrown with its code and names the field', () => {
  const thrown = (verdict: Parameters<typeof insist>[0]) => {
    try {
      insist(verdict);
    } catch (error) {
      return error as Refusal;
    }
    throw new Error('nothing was thrown');
  };
  const refused = thrown(refuse('ttl', 'The ttl is too low.'));
  expect(refused).toBeInstanceOf(Refusal);
  expect([refused.code, refused.message, refused.retryAfterMs]).toEqual([
    'bad_request',
    'ttl: The ttl is too low.',
    null,
  ]);
  expect(thrown(conflict('hides-records', 'name', 'It is taken.', ['rec_1']))).toMatchObject({
    code: 'conflict',
    rule: 'hides-records',
    records: ['rec_1'],
  });
});

test.each([
  null,
  '',
  'yk_',
  'yk_a_b',
  `yx_k1_${'0'.repeat(64)}`,
  `yk_K1_${'0'.repeat(64)}`,
  `yk_k1_${'0'.repeat(64)} `,
])('a malformed key is refused without a database query: %j', async (text) => {
  // Any use of the database would throw a TypeError instead.
  const refused = authenticate({ db: null as never, now: () => new Date(), random: randomBytes }, text, '127.0.0.1');
  await expect(refused).rejects.toMatchObject({ name: 'Refusal', code: 'unauthorized' });
});

// Rows as the API shows them, and refusals as the rules give them.
import { describe, expect, it } from 'vitest';
import { generateCsk, keyTag } from '../../../src/dns/dnssec.ts';
import { accept, conflict, refuse } from '../../../src/dns/verdict.ts';
import { authenticate } from '../../../src/zones/keys.ts';
import { insist, Refusal } from '../../../src/zones/refusal.ts';
import { recordView, zoneView } from '../../../src/zones/view.ts';

describe('a zone', () => {
  const csk = generateCsk();
  const row = {
    id: 'zone_1',
    no: 7,
    teamId: 'team_1',
    userId: null,
    name: 'example.org',
    tree: 'org example',
    state: 'active' as const,
    defaultTtl: 3600,
    serial: 17,
    cskPublic: csk.publicKey,
    ds: ['stored form'],
    managedBy: null,
    createdAt: new Date('2026-11-21T10:31:00Z'),
    updatedAt: new Date('2026-11-21T10:32:11Z'),
  };

  it('is shown with owner, delegation and times, and without what is inside', () => {
    const view = zoneView(row, ['ns1.example.net']);
    expect(Object.keys(view).sort().join()).toBe(
      'createdAt,defaultTtl,ds,id,nameservers,owner,serial,state,updatedAt,zoneName',
    );
    expect(view).toMatchObject({
      zoneName: 'example.org',
      owner: 'org:team_1',
      nameservers: ['ns1.example.net'],
      createdAt: '2026-11-21T10:31:00.000Z',
      updatedAt: '2026-11-21T10:32:11.000Z',
    });
    expect(view.ds.map((ds) => [ds.keyTag, ds.digestType])).toEqual([
      [keyTag(csk.publicKey), 2],
      [keyTag(csk.publicKey), 4],
    ]);
    expect(JSON.stringify(view)).not.toContain(csk.publicKey);
  });

  it('lends its default TTL to records that have none', () => {
    const record = { id: 'rec_1', name: 'www', type: 'A' as const, content: '192.0.2.1', ttl: null, priority: null };
    expect(recordView(record, { defaultTtl: 120 })).toEqual({ ...record, ttl: 120 });
    expect(recordView({ ...record, ttl: 30 }, { defaultTtl: 120 }).ttl).toBe(30);
  });
});

describe('a verdict', () => {
  it('in favour gives its value', () => {
    expect(insist(accept(5))).toBe(5);
  });

  it('against is thrown with its code, and names the field', () => {
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
    expect(thrown(conflict('name', 'It is taken.')).code).toBe('conflict');
  });
});

it.each([null, '', 'yk_', 'yk_a_b', `yx_k1_${'0'.repeat(64)}`, `yk_K1_${'0'.repeat(64)}`, `yk_k1_${'0'.repeat(64)} `])(
  'a key that cannot be one is refused before the database is asked: %j',
  async (text) => {
    // Any use of the database would throw a TypeError instead.
    const refused = authenticate(null as never, text, '127.0.0.1', new Date());
    await expect(refused).rejects.toMatchObject({ name: 'Refusal', code: 'unauthorized' });
  },
);

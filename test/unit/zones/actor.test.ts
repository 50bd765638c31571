// What a key may do, judged without a database: levels, overrides by zone, names and types.
import { describe, expect, it } from 'vitest';
import type { Level } from '../../../src/store/keys.ts';
import {
  type Actor,
  maySee,
  mustManageZones,
  mustReadRecords,
  mustWriteRecord,
  mustWriteRecords,
  recordLevel,
  visibleZoneIds,
} from '../../../src/zones/actor.ts';
import { Refusal } from '../../../src/zones/refusal.ts';

const zone = { id: 'zone_1', teamId: 'team_1' };

function actor(change: Partial<Actor> = {}): Actor {
  return {
    keyId: 'k1',
    keyName: 'key',
    teamId: 'team_1',
    teamName: 'team',
    records: 'none',
    manageZones: 'none',
    grants: new Map(),
    onlyNames: null,
    onlyTypes: null,
    expiresAt: null,
    zoneWrites: null,
    recordWrites: null,
    ...change,
  };
}
const grants = (level: Level) => new Map([[zone.id, level]]);

function refusalOf(work: () => void): string {
  try {
    work();
    return 'granted';
  } catch (error) {
    if (error instanceof Refusal) return error.code;
    throw error;
  }
}

describe('a zone', () => {
  it('is seen by whoever has any right on it, in its team only', () => {
    expect(maySee(actor(), zone)).toBe(false);
    expect(maySee(actor({ records: 'read' }), zone)).toBe(true);
    expect(maySee(actor({ manageZones: 'read' }), zone)).toBe(true);
    expect(maySee(actor({ grants: grants('read') }), zone)).toBe(true);
    expect(maySee(actor({ records: 'write', grants: grants('none') }), zone)).toBe(false);
    expect(maySee(actor({ manageZones: 'write', grants: grants('none') }), zone)).toBe(true);
    const stranger = { teamId: 'team_2', records: 'write', manageZones: 'write', grants: grants('write') } as const;
    expect(maySee(actor(stranger), zone)).toBe(false);
  });

  it('is listed by id for a key that has grants alone', () => {
    expect(visibleZoneIds(actor({ records: 'read' }))).toBe(null);
    expect(visibleZoneIds(actor({ manageZones: 'read' }))).toBe(null);
    const some = new Map<string, Level>([
      ['zone_1', 'read'],
      ['zone_2', 'none'],
      ['zone_3', 'write'],
    ]);
    expect(visibleZoneIds(actor({ grants: some }))).toEqual(['zone_1', 'zone_3']);
    expect(visibleZoneIds(actor())).toEqual([]);
  });

  it('is managed at level write alone', () => {
    for (const [manageZones, expected] of [
      ['none', 'forbidden'],
      ['read', 'forbidden'],
      ['write', 'granted'],
    ] as const) {
      expect(refusalOf(() => mustManageZones(actor({ manageZones, records: 'write' })))).toBe(expected);
    }
  });
});

describe('the records of a zone', () => {
  it('have the level of the zone when there is one, the level of the key otherwise', () => {
    const levels: Level[] = ['none', 'read', 'write'];
    for (const records of levels) {
      expect(recordLevel(actor({ records }), zone.id)).toBe(records);
      for (const own of levels) expect(recordLevel(actor({ records, grants: grants(own) }), zone.id)).toBe(own);
      expect(recordLevel(actor({ records, grants: grants('write') }), 'zone_9')).toBe(records);
    }
  });

  it('are read from level read on, and written at level write', () => {
    const rights = (records: Level) => [
      refusalOf(() => mustReadRecords(actor({ records }), zone.id)),
      refusalOf(() => mustWriteRecords(actor({ records }), zone.id)),
    ];
    expect(rights('none')).toEqual(['forbidden', 'forbidden']);
    expect(rights('read')).toEqual(['granted', 'forbidden']);
    expect(rights('write')).toEqual(['granted', 'granted']);
  });

  it('need no right to manage zones', () => {
    const only = actor({ manageZones: 'write' });
    expect(refusalOf(() => mustReadRecords(only, zone.id))).toBe('forbidden');
    expect(refusalOf(() => mustWriteRecord(only, zone.id, { name: 'www', type: 'A' }))).toBe('forbidden');
  });
});

describe('a restriction', () => {
  const write = (change: Partial<Actor>, name: string, type = 'TXT') =>
    refusalOf(() => mustWriteRecord(actor({ records: 'write', ...change }), zone.id, { name, type }));

  it('to types lets no other type through', () => {
    expect(write({ onlyTypes: ['TXT', 'CAA'] }, 'www', 'CAA')).toBe('granted');
    expect(write({ onlyTypes: ['TXT', 'CAA'] }, 'www', 'A')).toBe('forbidden');
    expect(write({ onlyTypes: [] }, 'www')).toBe('forbidden');
  });

  it.each([
    ['_acme-challenge', '_acme-challenge', 'granted'],
    ['_acme-challenge', '_acme-challenge.www', 'forbidden'],
    ['_acme-challenge', 'x_acme-challenge', 'forbidden'],
    ['_acme-challenge.*', '_acme-challenge.a.b', 'granted'],
    ['_acme-challenge.*', '_acme-challenge', 'forbidden'],
    ['*.dev', 'a.b.dev', 'granted'],
    ['*.dev', 'dev', 'forbidden'],
    ['*.dev', 'adev', 'forbidden'],
    ['a.c', 'abc', 'forbidden'],
    ['a*c', 'abbc', 'granted'],
    ['*', 'anything.at.all', 'granted'],
    ['@', '@', 'granted'],
    ['@', 'www', 'forbidden'],
  ])('to the name %s makes %s %s', (pattern, name, expected) => {
    expect(write({ onlyNames: ['none', pattern] }, name)).toBe(expected);
  });

  it('to names and types wants both', () => {
    const both = { onlyNames: ['a'], onlyTypes: ['TXT'] };
    expect([write(both, 'a', 'TXT'), write(both, 'a', 'A'), write(both, 'b', 'TXT')]).toEqual([
      'granted',
      'forbidden',
      'forbidden',
    ]);
  });
});

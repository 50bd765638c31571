// The rights of a key, without a database: levels, overrides by zone, names and types.
import { describe, expect, test } from 'vitest';
import type { RecordType } from '#dns/types/index.ts';
import {
  type Actor,
  maySee,
  mustManageZones,
  mustReadRecords,
  mustWriteRecord,
  mustWriteRecords,
  recordLevel,
  visibleZoneIds,
} from '#service/accounts/actor.ts';
import { Refusal } from '#service/refusal.ts';
import type { Level } from '#store/keys.ts';
import { testActor } from '../../support/service/actor.ts';

const zone = { id: 'zone_1', teamId: 'team_1', userId: null };

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

test('a zone is visible to each key of its team that has any right on it, and to no key of another team', () => {
  expect(maySee(testActor(), zone)).toBe(false);
  expect(maySee(testActor({ records: 'read' }), zone)).toBe(true);
  expect(maySee(testActor({ manageZones: 'read' }), zone)).toBe(true);
  expect(maySee(testActor({ grants: grants('read') }), zone)).toBe(true);
  expect(maySee(testActor({ records: 'write', grants: grants('none') }), zone)).toBe(false);
  expect(maySee(testActor({ manageZones: 'write', grants: grants('none') }), zone)).toBe(true);
  const stranger = { teamId: 'team_2', records: 'write', manageZones: 'write', grants: grants('write') } as const;
  expect(maySee(testActor(stranger), zone)).toBe(false);
});

test('a zone is listed by its id for a key that has only grants', () => {
  expect(visibleZoneIds(testActor({ records: 'read' }))).toBe(null);
  expect(visibleZoneIds(testActor({ manageZones: 'read' }))).toBe(null);
  const some = new Map<string, Level>([
    ['zone_1', 'read'],
    ['zone_2', 'none'],
    ['zone_3', 'write'],
  ]);
  expect(visibleZoneIds(testActor({ grants: some }))).toEqual(['zone_1', 'zone_3']);
  expect(visibleZoneIds(testActor())).toEqual([]);
});

test('a zone can be managed only at level write', () => {
  for (const [manageZones, expected] of [
    ['none', 'forbidden'],
    ['read', 'forbidden'],
    ['write', 'granted'],
  ] as const) {
    expect(refusalOf(() => mustManageZones(testActor({ manageZones, records: 'write' })))).toBe(expected);
  }
});

test("the records of a zone have the level of the zone's grant, or the level of the key if there is no grant", () => {
  const levels: Level[] = ['none', 'read', 'write'];
  for (const records of levels) {
    expect(recordLevel(testActor({ records }), zone.id)).toBe(records);
    for (const own of levels) expect(recordLevel(testActor({ records, grants: grants(own) }), zone.id)).toBe(own);
    expect(recordLevel(testActor({ records, grants: grants('write') }), 'zone_9')).toBe(records);
  }
});

test('the records of a zone can be read at level read and write, and written at level write', () => {
  const rights = (records: Level) => [
    refusalOf(() => mustReadRecords(testActor({ records }), zone.id)),
    refusalOf(() => mustWriteRecords(testActor({ records }), zone.id)),
  ];
  expect(rights('none')).toEqual(['forbidden', 'forbidden']);
  expect(rights('read')).toEqual(['granted', 'forbidden']);
  expect(rights('write')).toEqual(['granted', 'granted']);
});

test('the records of a zone are not accessible through the right to manage zones', () => {
  const only = testActor({ manageZones: 'write' });
  expect(refusalOf(() => mustReadRecords(only, zone.id))).toBe('forbidden');
  expect(refusalOf(() => mustWriteRecord(only, zone.id, { name: 'www', type: 'A' }))).toBe('forbidden');
});

describe('a restriction', () => {
  const write = (change: Partial<Actor>, name: string, type: RecordType = 'TXT') =>
    refusalOf(() => mustWriteRecord(testActor({ records: 'write', ...change }), zone.id, { name, type }));

  test('a restriction to types forbids all other types', () => {
    expect(write({ onlyTypes: ['TXT', 'CAA'] }, 'www', 'CAA')).toBe('granted');
    expect(write({ onlyTypes: ['TXT', 'CAA'] }, 'www', 'A')).toBe('forbidden');
    expect(write({ onlyTypes: [] }, 'www')).toBe('forbidden');
  });

  test.each([
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
  ])('a restriction to the pattern %s: the name %s is %s', (pattern, name, expected) => {
    expect(write({ onlyNames: ['none', pattern] }, name)).toBe(expected);
  });

  test('a restriction to names and types requires that both match', () => {
    const both = { onlyNames: ['a'], onlyTypes: ['TXT'] };
    expect([write(both, 'a', 'TXT'), write(both, 'a', 'A'), write(both, 'b', 'TXT')]).toEqual([
      'granted',
      'forbidden',
      'forbidden',
    ]);
  });
});

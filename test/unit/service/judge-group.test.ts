// Judging a group of requests in memory: the order of the checks, and the independence of the requests.
import { describe, expect, test } from 'vitest';
import type { RecordInput } from '#dns/record.ts';
import { NearbyRecords } from '#dns/rules/nearby-records.ts';
import { inOneStep } from '#dns/steps.ts';
import type { Actor } from '#service/accounts/actor.ts';
import { type GroupMember, type JudgingData, judgeGroup } from '#service/change/judge.ts';
import { neighbour } from '#service/change/load.ts';
import { tokenKey } from '#service/change/state.ts';
import type { Work } from '#service/change/work.ts';
import type { Caller } from '#service/context.ts';
import { setWork } from '#service/owners/set-work.ts';
import type { BatchChange, BatchChangeResult } from '#service/records/batch.ts';
import { batchWork, singleWork } from '#service/records/batch-work.ts';
import { Refusal, refusal } from '#service/refusal.ts';
import type { StoredOwnedSet } from '#store/owned-sets.ts';
import type { RecordRow } from '#store/records.ts';
import type { ZoneRow } from '#store/zones.ts';
import { finish } from '../../support/dns/zone-file.ts';
import { testActor } from '../../support/service/actor.ts';

const NOW = new Date('2026-01-02T03:04:05Z');
const zone = {
  id: 'zone_1',
  name: 'example.org',
  teamId: 'team_1',
  userId: null,
  defaultTtl: 300,
  // Later than the clock, so that each change increments the serial by one.
  serial: 2_000_000_000,
} as unknown as ZoneRow;
const stored: RecordRow = {
  id: 'rec_1',
  name: 'www',
  ordername: 'www',
  type: 'A',
  content: '192.0.2.1',
  rdata: '192.0.2.1',
  ttl: null,
  priority: null,
  comment: null,
  health: null,
};

function caller(change: Partial<Actor> = {}, more: Partial<Caller> = {}): Caller {
  const actor = testActor({ records: 'write', manageZones: 'read', ...change });
  return { actor, requestId: 'request', once: null, ...more };
}

function data(change: Partial<JudgingData> = {}): JudgingData {
  return {
    zone,
    standings: new Map([['k1', { valid: true, member: true }]]),
    stored: new Map([[stored.id, stored]]),
    sets: [],
    kept: new Map(),
    nearby: () =>
      inOneStep(() => {
        const nearby = new NearbyRecords(zone.name);
        nearby.addNames(['www', 'a', 'b', 'c'], [neighbour(stored)]);
        return nearby;
      }),
    budget: () => ({ take: () => undefined }),
    ...change,
  };
}

const record = (name: string, content = '192.0.2.1'): RecordInput => ({ name, type: 'A', content });
const create = (name: string, content?: string): BatchChange => ({ action: 'create', record: record(name, content) });
const update = (content: string, id = 'rec_1', name = 'www'): BatchChange => ({
  action: 'update',
  id,
  record: record(name, content),
});
const remove = (id = 'rec_1'): BatchChange => ({ action: 'delete', id });

function single(change: BatchChange | Refusal, who = caller()): GroupMember {
  return member(singleWork(change), who);
}
function batch(atomic: boolean, changes: (BatchChange | Refusal)[], who = caller()): GroupMember {
  return member(batchWork({ atomic, changes }), who);
}
function member(work: Work<unknown>, who = caller()): GroupMember {
  return { caller: who, work: finish(work.read(zone.name, NOW)), budget: null };
}

function judge(members: GroupMember[], overrides: Partial<JudgingData> = {}) {
  let ids = 0;
  const judgement = finish(judgeGroup(members, data(overrides), { now: NOW, newId: () => `new_${++ids}` }));
  const outcomes = judgement.outcomes.map((outcome) =>
    outcome.ok ? 'ok' : `${outcome.refusal.code} ${outcome.refusal.message}`.slice(0, 30),
  );
  return { ...judgement, summaries: outcomes };
}
const codes = (members: GroupMember[], overrides: Partial<JudgingData> = {}) =>
  judge(members, overrides).outcomes.map((outcome) => (outcome.ok ? 'ok' : outcome.refusal.code));
const namesOf = ({ rows }: ReturnType<typeof judge>) => rows.inserted().map(({ name }) => name);

describe('the order of the checks', () => {
  const malformed = 'no address';
  const reader = caller({ records: 'read' });
  const restricted = caller({ onlyNames: ['_acme-challenge'] });

  const ways: readonly [string, (change: BatchChange, who?: Caller) => string][] = [
    ['alone', (change, who) => codes([single(change, who)])[0] as string],
    ['in an atomic batch', (change, who) => codes([batch(true, [change], who)])[0] as string],
    [
      'in a batch that is not atomic',
      (change, who) => {
        const [outcome] = judge([batch(false, [change], who)]).outcomes;
        const [result] = (outcome?.ok ? outcome.answer : []) as BatchChangeResult[];
        if (result === undefined) return 'nothing';
        return result.ok ? 'ok' : new Refusal(result.refusal).code;
      },
    ],
  ];

  describe.each(ways)('%s', (title, codeOf) => {
    test(`${title} checks rights before existence and form`, () => {
      expect(codeOf(update(malformed), reader)).toBe('forbidden');
      expect(codeOf(update(malformed, 'rec_none'), reader)).toBe('forbidden');
      expect(codeOf(create('a', malformed), reader)).toBe('forbidden');
      expect(codeOf(remove('rec_none'), reader)).toBe('forbidden');
    });

    test(`${title} checks existence before form`, () => {
      expect(codeOf(update(malformed, 'rec_none'))).toBe('not_found');
    });

    test(`${title} checks the rights on the stored record before form`, () => {
      expect(codeOf(update(malformed), restricted)).toBe('forbidden');
    });

    test(`${title} checks form before rules`, () => {
      expect(codeOf(create('www', malformed))).toBe('bad_request');
      expect(codeOf(create('www'))).toBe('conflict');
    });
  });

  test('the order of the checks starts with the key and then the zone', () => {
    const revoked = { standings: new Map([['k1', { valid: false, member: true }]]) };
    const departed = { standings: new Map([['k1', { valid: true, member: false }]]) };
    expect(codes([single(create('a'), reader)], revoked)).toEqual(['unauthorized']);
    expect(codes([single(create('a'), reader)], { standings: new Map() })).toEqual(['unauthorized']);
    expect(codes([single(create('a'), reader)], departed)).toEqual(['no_zone']);
    expect(codes([single(create('a'), caller({ teamId: 'team_2' }))])).toEqual(['no_zone']);
    expect(codes([single(create('a'))], { zone: null })).toEqual(['no_zone']);
  });
});

const leased = (expires: number | null): StoredOwnedSet => ({
  ...{ id: 'set_1', owner: 'k8s:a/b', name: 'www', ordername: 'www', type: 'A', digest: '00', valueCount: 1 },
  ...{ ttl: null, comment: null, generation: null, instance: null, share: false, retain: false, drift: 'Enforce' },
  ...{ whenClusterLost: 'Keep', expires, records: [{ id: stored.id, digest: '00' }] },
});
const release = { owner: 'k8s:a/b', name: 'www', type: 'A', values: [], onlyEnded: true };
const releasing = () => member(setWork({ atomic: false, sets: [release] }));

test('the release of an ended lease leaves a lease that was renewed since the look', () => {
  const { rows, owners } = judge([releasing()], { sets: [leased(NOW.getTime() + 1)] });
  expect([rows.deleted(), owners.isChanged]).toEqual([[], false]);
});

test('the release of an ended lease deletes the records of one that has ended', () => {
  const { rows, owners } = judge([releasing()], { sets: [leased(NOW.getTime())] });
  expect([rows.deleted(), owners.isChanged]).toEqual([[stored.id], true]);
});

test('requests of one group each get their own serial in their order; a request that changes nothing gets none', () => {
  const { history, serial } = judge([
    single(create('a'), caller({}, { requestId: 'r1' })),
    single(update('192.0.2.1')),
    batch(true, [create('b'), create('c')], caller({}, { requestId: 'r2' })),
    single(remove(), caller({}, { requestId: 'r3' })),
  ]);
  expect(history.map((entry) => [entry.requestId, entry.serial - zone.serial])).toEqual([
    ['r1', 1],
    ['r2', 2],
    ['r2', 2],
    ['r3', 3],
  ]);
  expect(serial).toBe(zone.serial + 3);
});

test('requests of one group see the changes of the requests before them', () => {
  expect(codes([single(create('a')), single(create('a')), single(create('a', '192.0.2.2'))])).toEqual([
    'ok',
    'conflict',
    'ok',
  ]);
  expect(codes([single(remove()), single(update('192.0.2.2')), single(create('www'))])).toEqual([
    'ok',
    'not_found',
    'ok',
  ]);
});

test('requests of one group are not affected by an atomic batch that is refused', () => {
  const judged = judge([
    single(create('a')),
    batch(true, [create('b'), remove(), create('a')]),
    single(create('b')),
    single(update('192.0.2.9')),
  ]);
  expect(judged.summaries).toEqual(['ok', expect.stringMatching(/^conflict changes\.2\./), 'ok', 'ok']);
  expect(namesOf(judged)).toEqual(['a', 'b']);
  expect([judged.rows.deleted(), judged.history.map(({ serial }) => serial - zone.serial)]).toEqual([[], [1, 2, 3]]);
});

test('requests of one group that are not atomic keep their other changes if one is refused', () => {
  const judged = judge([batch(false, [create('a'), create('a'), create('b')])]);
  expect(namesOf(judged)).toEqual(['a', 'b']);
  expect(judged.outcomes[0]).toMatchObject({ ok: true, answer: [{ ok: true }, { ok: false }, { ok: true }] });
});

test('requests of one group share the quota in their order, also after a refused batch was removed', () => {
  const budget = () => {
    let left = 2;
    return {
      take: ({ records }: { records: number }) => {
        if (records > left)
          throw refusal('over-quota', {
            holder: 'The team has',
            used: 2,
            limit: 2,
            things: 'records',
            more: 1,
            setting: '-',
          });
        left -= records;
      },
    };
  };
  const members = [
    batch(true, [create('a'), create('b'), create('c')]),
    ...['a', 'b', 'c'].map((n) => single(create(n))),
  ];
  expect(codes(members, { budget })).toEqual(['forbidden', 'ok', 'ok', 'forbidden']);
});

test('requests of one group with the same Idempotency-Key get the same answer, from this group or from an earlier transaction', () => {
  const once = { token: 't', requestHash: Buffer.from('hash') };
  const asked = caller({}, { once });
  const other = caller({}, { once: { token: 't', requestHash: Buffer.from('other') } });
  const { outcomes, kept, history } = judge([
    single(create('a'), asked),
    single(create('a'), asked),
    single(create('a'), other),
  ]);
  expect(outcomes[1]).toEqual(outcomes[0]);
  expect(outcomes[2]).toMatchObject({ ok: false, refusal: { code: 'conflict' } });
  expect([kept.length, history.length]).toEqual([1, 1]);
  const answer = { id: 'rec_earlier' };
  const earlier = { kept: new Map([[tokenKey('k1', 't'), { requestHash: once.requestHash, answer }]]) };
  const again = judge([single(create('a'), asked)], earlier);
  expect(again.outcomes).toEqual([{ ok: true, answer }]);
  expect([again.kept, again.rows.isEmpty]).toEqual([[], true]);
  // The rights come first: they may have ended since.
  expect(codes([single(create('a'), asked)], { ...earlier, zone: null })).toEqual(['no_zone']);
  expect(codes([single(create('a'), asked)], { ...earlier, standings: new Map() })).toEqual(['unauthorized']);
  for (const right of [{ records: 'read' as const }, { onlyNames: ['b'] }, { onlyTypes: ['TXT'] }])
    expect(codes([single(create('a'), caller(right, { once }))], earlier)).toEqual(['forbidden']);
});

test('requests of one group do not store an answer for a refused request', () => {
  const asked = caller({}, { once: { token: 't', requestHash: Buffer.from('hash') } });
  const { kept, summaries } = judge([batch(true, [create('a'), create('www')], asked), single(create('a'), asked)]);
  expect([summaries[0]?.slice(0, 8), summaries[1], kept.length]).toEqual(['conflict', 'ok', 1]);
});

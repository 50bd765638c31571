// Many records at one name are judged in linear time and in steps: a request with eight times as many records may cost
// some ten times as much, and not sixty-four times.
import { describe, expect, test } from 'vitest';
import { parseRecord } from '#dns/record.ts';
import { NearbyRecords } from '#dns/rules/nearby-records.ts';
import { inOneStep, type Steps } from '#dns/steps.ts';
import type { RecordType } from '#dns/types/index.ts';
import { evaluate } from '#dns/update/apply.ts';
import { planPowerDnsChange } from '#doors/powerdns/plan.ts';
import { type JudgingData, judgeGroup } from '#service/change/judge.ts';
import type { Work } from '#service/change/work.ts';
import { setWork } from '#service/owners/set-work.ts';
import type { BatchChange } from '#service/records/batch.ts';
import { batchWork } from '#service/records/batch-work.ts';
import { insist } from '#service/refusal.ts';
import type { ZoneRow } from '#store/zones.ts';
import { testActor } from '../../support/service/actor.ts';

const ZONE = 'example.org';
const NOW = new Date('2026-01-02T03:04:05Z');
const zone = { id: 'zone_1', name: ZONE, teamId: 'team_1', userId: null, defaultTtl: 300, serial: 1, ownedSets: 0 };
const address = (n: number) => `10.0.${n >> 8}.${n & 255}`;
const count = <T>(length: number, make: (n: number) => T) => Array.from({ length }, (_, n) => make(n));

function dataOf(names: readonly string[]): JudgingData {
  return {
    zone: { ...zone, recordCount: 0 } as unknown as ZoneRow,
    standings: new Map([['k1', { valid: true, member: true }]]),
    stored: new Map(),
    sets: [],
    kept: new Map(),
    nearby: () =>
      inOneStep(() => {
        const nearby = new NearbyRecords(ZONE);
        nearby.addNames(names, []);
        return nearby;
      }),
    budget: () => ({ take: () => undefined }),
  };
}

const caller = { actor: testActor({ records: 'write' }), requestId: 'r', once: null };

/** Runs all steps. @returns the processor time in ms, and the longest step */
function costOf(steps: Steps<unknown>): { all: number; longest: number; result: unknown } {
  const began = process.cpuUsage();
  let longest = 0;
  for (;;) {
    const before = process.cpuUsage();
    const step = steps.next();
    const { user, system } = process.cpuUsage(before);
    longest = Math.max(longest, (user + system) / 1_000);
    if (!step.done) continue;
    const all = process.cpuUsage(began);
    return { all: (all.user + all.system) / 1_000, longest, result: step.value };
  }
}

/** Eight times as much work; a quadratic cost is 64 times as high. */
const MOST = 24;

/**
 * How many times as much the larger work costs: less than MOST if one of three runs shows it, because the machine has
 * other work too.
 */
function growthOf(make: (size: number) => Steps<unknown>, small: number, large: number): number {
  const cost = (size: number) => costOf(make(size)).all;
  // The first runs are compiled meanwhile.
  count(3, () => cost(small));
  const least = Math.max(1, Math.min(...count(3, () => cost(small))));
  let growth = Number.POSITIVE_INFINITY;
  for (let run = 0; run < 3 && growth >= MOST; run += 1) growth = Math.min(growth, cost(large) / least);
  return growth;
}

let ids = 0;
const tools = { now: NOW, newId: (kind: string) => `${kind}_${++ids}` };
/** Reads and judges. */
function* judge(work: Work<unknown>, names: readonly string[]): Steps<unknown> {
  const member = { caller, work: yield* work.read(ZONE, NOW), budget: null };
  return yield* judgeGroup([member], dataOf(names), tools);
}
const change = (name: string, type: RecordType, content: string, comment?: string): BatchChange => ({
  action: 'create',
  record: { name, type, content, ...(comment ? { comment } : {}) },
});
const batch = (changes: readonly BatchChange[]) => batchWork({ atomic: false, changes });

const WORKS: Record<string, (size: number) => Steps<unknown>> = {
  'creations of addresses with comments': (size) =>
    judge(batch(count(4 * size, (n) => change('www', 'A', address(n), `number ${n}`))), ['www']),
  'a delegation to servers below it': (size) =>
    judge(batch(count(size, (n) => change('sub', 'NS', `ns${n}.sub.${ZONE}`))), ['sub']),
  'sets of owners that share': (size) => {
    const values = (n: number) => count(4, (at) => ({ content: address(4 * n + at) }));
    const sets = count(size, (n) => ({
      owner: `k8s:a/b/${n}`,
      name: 'www',
      type: 'A',
      share: true,
      values: values(n),
    }));
    return judge(setWork({ atomic: false, sets }), ['www']);
  },
};

describe.each(Object.entries(WORKS))('%s', (title, work) => {
  test(`${title} costs in proportion to its size`, () => {
    expect(growthOf(work, 125, 1_000)).toBeLessThan(MOST);
  });

  test(`${title} takes steps that are short`, () => {
    expect(costOf(work(1_000)).longest).toBeLessThan(100);
  });
});

test('delegations that are refused one by one cost in proportion to their size', () => {
  const work = (size: number) => {
    const servers = count(size, (n) => change('sub', 'NS', `ns${n}.sub.${ZONE}`));
    return judge(batch([change('www.sub', 'A', address(1)), ...servers]), ['sub', 'sub www']);
  };
  const { result } = costOf(work(3));
  expect((result as { outcomes: { answer: { ok: boolean }[] }[] }).outcomes[0]?.answer.map(({ ok }) => ok)).toEqual([
    true,
    false,
    false,
    false,
  ]);
  expect(growthOf(work, 125, 1_000)).toBeLessThan(MOST);
});

test('additions to one RRset through the PowerDNS API cost in proportion to their number', () => {
  const record = (n: number) => insist(parseRecord({ name: 'www', type: 'A', content: address(n) }, ZONE));
  const current = (size: number) => ({
    zone: { name: ZONE, serial: 1, ownersVersion: 0, defaultTtl: 300 },
    isChanged: false,
    at: () => [{ name: 'www', type: 'A' as const, records: count(size, (n) => record(n + 10_000)) }],
  });
  const work = (size: number) => {
    const extend = (n: number) => ({
      ...{ kind: 'EXTEND' as const, name: 'www', type: 'A' as const, comments: null },
      records: [record(n)],
    });
    return planPowerDnsChange(count(size, extend), current(size));
  };
  expect(growthOf(work, 500, 4_000)).toBeLessThan(MOST);
});

test('prerequisites about one RRset cost in proportion to their number', () => {
  const records = count(4_000, (n) => insist(parseRecord({ name: 'www', type: 'A', content: address(n) }, ZONE)));
  const rrset = { name: 'www', type: 'A' as const, records };
  const facts = { defaultTtl: 300, at: () => [rrset], soa: null, nameservers: [] };
  const work = (size: number) => {
    const prerequisites = count(size, () => ({ kind: 'rrset-exists' as const, name: 'www', type: 'A' }));
    return inOneStep(() => evaluate({ prerequisites, changes: [], clamped: false }, facts));
  };
  expect(costOf(work(1_000)).all).toBeLessThan(100);
});

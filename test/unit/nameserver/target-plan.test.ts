// The effect of one lookup of a record's target: only proven absences count, and each of them is an hour after the one
// before.
import { expect, test } from 'vitest';
import { isPrivateUse } from '#dns/names/private-use.ts';
import { registrableDomain } from '#dns/names/public-suffix.ts';
import { planTarget, type TargetOutcome } from '#nameserver/resolver/target-plan.ts';

const HOUR = 3_600_000;
const times = { everyMs: 24 * HOUR, confirmMs: HOUR };
const absent: TargetOutcome = { found: 'absent', name: 'x.example', isDomainAbsent: false };
const exists: TargetOutcome = { found: 'exists' };
const unknown: TargetOutcome = { found: 'unknown', problem: 'the resolver answers SERVFAIL' };

/** The absences after each lookup, and the hours until the next one. */
function follow(...outcomes: TargetOutcome[]): [absences: number, hours: number][] {
  let known = { absences: 0, failures: 0 };
  return outcomes.map((outcome) => {
    const next = planTarget(known, outcome, times);
    known = next;
    return [next.absences, next.nextMs / HOUR];
  });
}

test('three absences in a row confirm that a target does not exist, with an hour between them', () =>
  expect(follow(absent, absent, absent, absent)).toEqual([
    [1, 1],
    [2, 1],
    [3, 1],
    [3, 1],
  ]));
test('a target that exists is looked up once a day, and ends a row of absences', () =>
  expect(follow(exists, absent, absent, exists, absent)).toEqual([
    [0, 24],
    [1, 1],
    [2, 1],
    [0, 24],
    [1, 1],
  ]));
test('a lookup without a result neither adds to the absences nor ends them', () =>
  expect(follow(unknown, absent, unknown, absent, absent, unknown, unknown, unknown, unknown)).toEqual([
    [0, 1],
    [1, 1],
    [1, 1],
    [2, 1],
    [3, 1],
    [3, 1],
    [3, 1],
    // It lasts: the lookups are as rare as those of a target that exists.
    [3, 24],
    [3, 24],
  ]));
test('a name of private networks is not known, and is looked at once a day', () =>
  expect(planTarget({ absences: 2, failures: 1 }, { found: 'private' }, times)).toMatchObject({
    ...{ isKnown: false, absences: 0, failures: 0, nextMs: times.everyMs },
  }));
test('lookups that are more frequent than hourly by the setting stay that frequent', () =>
  expect(planTarget({ absences: 0, failures: 0 }, absent, { everyMs: HOUR / 2, confirmMs: HOUR }).nextMs).toBe(
    HOUR / 2,
  ));
test('the name and the domain that do not exist are stored with the result', () =>
  expect(planTarget({ absences: 2, failures: 3 }, { ...absent, isDomainAbsent: true }, times)).toMatchObject({
    ...{ isKnown: true, absences: 3, failures: 0, error: null, absentName: 'x.example', isDomainAbsent: true },
  }));

test.each([
  ['printer.local', true],
  ['db.corp', true],
  ['a.home.arpa', true],
  ['local.example', false],
  ['10.in-addr.arpa', false],
])('the name %s is private: %s', (name, isPrivate) => {
  expect(isPrivateUse(name, new Set(['corp']))).toBe(isPrivate);
});

test.each([
  ['a.b.shop.co.uk', 'shop.co.uk'],
  ['me.github.io', 'me.github.io'],
  ['deep.me.github.io', 'me.github.io'],
  ['a.b.unknown-tld', 'b.unknown-tld'],
  ['com', 'com'],
])('the registrable domain of %s is %s', (name, domain) => {
  expect(registrableDomain(name)).toBe(domain);
});

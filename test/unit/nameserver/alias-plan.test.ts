// The changes that a resolution of an ALIAS target makes to the stored answer.
import { expect, test } from 'vitest';
import { type FamilyOutcome, planAnswer } from '#nameserver/resolver/alias-plan.ts';

const none = { ipv4: [], ipv6: [], ttl: 30, failures: 0 };
const good = { ipv4: ['192.0.2.1'], ipv6: ['2001:db8:0:0:0:0:0:1'], ttl: 300, failures: 0 };
const found = (ttl: number, ...addresses: string[]): FamilyOutcome => ({ addresses, ttl });
const nothing = found(0);
const failed = { problem: 'the resolver answers SERVFAIL' };

test('a first answer is stored in a stable order with the shorter TTL of both families', () => {
  const { resolution, changed } = planAnswer(none, found(600, '192.0.2.2', '192.0.2.1'), found(60, '2001:db8::1'));
  expect(changed).toBe(true);
  expect(resolution).toEqual({
    ipv4: ['192.0.2.1', '192.0.2.2'],
    ipv6: ['2001:db8::1'],
    ttl: 60,
    error: null,
    failures: 0,
    nextMs: 60_000,
  });
});

test('the same addresses in another order change nothing', () => {
  const before = { ...none, ipv4: ['192.0.2.1', '192.0.2.2'], ttl: 60 };
  expect(planAnswer(before, found(60, '192.0.2.2', '192.0.2.1'), nothing).changed).toBe(false);
});

test.each([
  [0, 30],
  [29, 30],
  [30, 30],
  [3600, 3600],
  [3601, 3600],
])('a TTL of %i s counts as %i s', (ttl, counted) => {
  const { resolution } = planAnswer(none, found(ttl, '192.0.2.1'), nothing);
  expect([resolution.ttl, resolution.nextMs]).toEqual([counted, counted * 1000]);
});

test('a family without records is an answer, and its old addresses are removed', () => {
  const { resolution, changed } = planAnswer(good, found(300, '192.0.2.1'), nothing);
  expect([resolution.ipv6, resolution.error, changed]).toEqual([[], null, true]);
});

test.each<[string, FamilyOutcome, FamilyOutcome, string]>([
  ['fails', failed, failed, 'the resolver answers SERVFAIL'],
  ['says that the name does not exist', { problem: 'does not exist' }, { problem: 'does not exist' }, 'does not exist'],
  ['never had an address', nothing, nothing, 'has no addresses'],
])('the last good answer stays, for 30 s at a time, when the resolver %s', (_, a, aaaa, error) => {
  const { resolution, changed } = planAnswer(good, a, aaaa);
  // The shorter TTL is a change as well; after the next failure nothing changes.
  expect(changed).toBe(true);
  expect(resolution).toEqual({ ipv4: good.ipv4, ipv6: good.ipv6, ttl: 30, error, failures: 1, nextMs: 1_000 });
  expect(planAnswer({ ...good, ttl: 30, failures: 1 }, a, aaaa).changed).toBe(false);
});

test.each([
  ['that shrinks by less than half stays: the resolver answers from its cache', 300, 151, 300, false],
  ['that shrinks by half is the new one', 300, 150, 150, true],
  ['that grows is the new one', 300, 301, 301, true],
])('a TTL %s', (_, ttl, next, served, isChanged) => {
  const before = { ...good, ipv6: [], ttl };
  const { resolution, changed } = planAnswer(before, found(next, '192.0.2.1'), nothing);
  expect([resolution.ttl, changed, resolution.nextMs]).toEqual([served, isChanged, next * 1000]);
});

test('a TTL shrinks as it likes with other addresses, and grows again after a failure', () => {
  expect(planAnswer(good, found(200, '192.0.2.9'), nothing).resolution.ttl).toBe(200);
  const stale = { ...good, ipv6: [], ttl: 30, failures: 3 };
  expect(planAnswer(stale, found(300, '192.0.2.1'), nothing)).toMatchObject({
    changed: true,
    resolution: { ttl: 300 },
  });
});

test('without addresses, the TTL is not served and changes nothing', () => {
  expect(planAnswer({ ...none, ttl: 60 }, nothing, nothing).changed).toBe(false);
});

test('when one family fails, the other is renewed and the failed one stays', () => {
  const { resolution, changed } = planAnswer(good, found(300, '192.0.2.9'), failed);
  expect(changed).toBe(true);
  expect(resolution).toMatchObject({ ipv4: ['192.0.2.9'], ipv6: good.ipv6, ttl: 30, failures: 1 });
});

test('the retry delay grows from 1 s to 5 min and starts again after a success', () => {
  const waits = [0, 1, 2, 5, 6, 7, 1_000].map(
    (failures) => planAnswer({ ...good, failures }, failed, failed).resolution,
  );
  expect(waits.map(({ nextMs }) => nextMs / 1000)).toEqual([1, 2, 4, 32, 64, 128, 300]);
  expect(planAnswer({ ...good, failures: 9 }, found(60, '192.0.2.1'), nothing).resolution.failures).toBe(0);
});

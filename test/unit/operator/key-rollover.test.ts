// The decision whether spec.keyRollover asks for a key roll, by sentences and against random orders of events.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ZoneKeys } from '#contract/zone-keys.ts';
import { decideRollover } from '#operator/zone/key-rollover.ts';
import { type KeyRollover, keyRollover, readPeriodMs } from '#resources/key-rollover.ts';

const DAY_MS = 86_400_000;
const NOW = new Date('2026-11-28T10:00:00.000Z');
const ago = (ms: number) => new Date(NOW.getTime() - ms).toISOString();
const key = (more: Partial<ZoneKeys['keys'][number]> = {}): ZoneKeys['keys'][number] => ({
  ...{ keyTag: 1, algorithm: 13, state: 'active', since: ago(100 * DAY_MS), createdAt: ago(100 * DAY_MS) },
  ...{ rollCancelledAt: null, dnskey: '257 3 13 AA==' },
  ...more,
});
const decide = (spec: KeyRollover | undefined, ...keys: ZoneKeys['keys']) =>
  decideRollover(spec, { keys, roll: null }, NOW);
const begin = (cause: string, algorithm: number | undefined = 13) => ({ kind: 'begin', algorithm, cause });

test('without a wish, or while a roll is under way, nothing begins', () => {
  expect(decide(undefined, key())).toEqual({ kind: 'rest', until: null });
  const roll = { keyTag: 2, step: 'ready' as const, since: ago(0), waitsFor: '', nextStepAt: null, canCancel: true };
  const keys = [key(), key({ keyTag: 2, state: 'ready' })];
  expect(decideRollover({ requestedAt: ago(0), algorithm: 'ED25519', every: '30d' }, { keys, roll }, NOW)).toEqual({
    kind: 'rest',
    until: null,
  });
});

test('a request replaces a key that was made before it, and no other one', () => {
  expect(decide({ requestedAt: ago(0) }, key())).toEqual(begin('requestedAt'));
  expect(decide({ requestedAt: ago(99 * DAY_MS) }, key())).toEqual(begin('requestedAt'));
  expect(decide({ requestedAt: ago(101 * DAY_MS) }, key())).toEqual({ kind: 'rest', until: null });
  // The key signs since later than the request, and was made before it.
  expect(decide({ requestedAt: ago(50 * DAY_MS) }, key({ since: ago(DAY_MS) }))).toEqual(begin('requestedAt'));
});

test('a request in the future plans the roll, in any offset', () => {
  const until = new Date('2026-11-28T11:00:00.000Z');
  expect(decide({ requestedAt: '2026-11-28T11:00:00Z' }, key())).toEqual({ kind: 'rest', until });
  expect(decide({ requestedAt: '2026-11-28T12:00:00+01:00' }, key())).toEqual({ kind: 'rest', until });
});

test('a key that was made shortly before the request counts as new, because clocks differ', () => {
  expect(decide({ requestedAt: ago(0) }, key({ createdAt: ago(59_000) }))).toEqual({ kind: 'rest', until: null });
  expect(decide({ requestedAt: ago(0) }, key({ createdAt: ago(61_000) }))).toEqual(begin('requestedAt'));
});

test('a key of the age of every is replaced, and a younger one when it has that age', () => {
  expect(decide({ every: '100d' }, key())).toEqual(begin('every'));
  expect(decide({ every: '101d' }, key())).toEqual({ kind: 'rest', until: new Date(NOW.getTime() + DAY_MS) });
});

test('another algorithm is a reason of its own, and later rolls keep the algorithm', () => {
  expect(decide({ algorithm: 'ED25519' }, key())).toEqual(begin('algorithm', 15));
  expect(decide({ algorithm: 'ECDSAP256SHA256' }, key())).toEqual({ kind: 'rest', until: null });
  expect(decide({ requestedAt: ago(0) }, key({ algorithm: 15 }))).toEqual(begin('requestedAt', 15));
  // The service makes no RSA keys.
  expect(decide({ requestedAt: ago(0) }, key({ algorithm: 8 }))).toEqual({
    ...{ kind: 'begin', algorithm: undefined, cause: 'requestedAt' },
  });
});

test('a cancelled roll does not begin again for the same request, and begins for a later one', () => {
  const cancelledAt = new Date(ago(3_600_000));
  const kept = key({ rollCancelledAt: cancelledAt.toISOString() });
  expect(decide({ requestedAt: ago(7_200_000) }, kept)).toEqual({ kind: 'cancelled', cancelledAt, until: null });
  expect(decide({ algorithm: 'ED25519' }, kept)).toEqual({ kind: 'cancelled', cancelledAt, until: null });
  expect(decide({ requestedAt: ago(60_000), algorithm: 'ED25519' }, kept)).toEqual(begin('requestedAt', 15));
  expect(decide({ requestedAt: ago(101 * DAY_MS) }, kept)).toEqual({ kind: 'rest', until: null });
});

test('after a cancelled roll, the next one by age begins one period later', () => {
  const cancelledAt = new Date(ago(DAY_MS));
  const kept = key({ rollCancelledAt: cancelledAt.toISOString() });
  const until = new Date(cancelledAt.getTime() + 90 * DAY_MS);
  expect(decide({ every: '90d' }, kept)).toEqual({ kind: 'cancelled', cancelledAt, until });
  expect(decideRollover({ every: '90d' }, { keys: [kept], roll: null }, until)).toEqual(begin('every'));
});

type Action = { kind: 'request' | 'finish' | 'cancel' | 'wait'; days: number };
const action = fc.record({
  kind: fc.constantFrom<Action['kind']>('request', 'finish', 'cancel', 'wait', 'wait'),
  days: fc.integer({ min: 1, max: 40 }),
});

test('in any order of requests, cancellations and times, there is one roll for each wish, and none after its cancellation', () => {
  fc.assert(
    fc.property(fc.array(action, { maxLength: 40 }), fc.constantFrom(undefined, '30d', '90d'), (actions, every) => {
      let now = NOW.getTime();
      let [createdAt, cancelledAt] = [now, Number.NEGATIVE_INFINITY];
      let comingAt: number | null = null;
      let requestedAt: number | null = null;
      /** The last request for which a roll has begun, or was cancelled. */
      let answered: number | null = null;
      const look = () => {
        const spec = { every, ...(requestedAt === null ? {} : { requestedAt: new Date(requestedAt).toISOString() }) };
        const rollCancelledAt = cancelledAt > createdAt ? new Date(cancelledAt).toISOString() : null;
        const keys = [key({ createdAt: new Date(createdAt).toISOString(), rollCancelledAt })];
        const roll = comingAt === null ? null : ({} as ZoneKeys['roll']);
        const decision = decideRollover(spec, { keys, roll }, new Date(now));
        if (decision.kind !== 'begin') return;
        expect(comingAt).toBeNull();
        if (decision.cause === 'every')
          expect(now - Math.max(createdAt, cancelledAt)).toBeGreaterThanOrEqual(readPeriodMs(every ?? ''));
        else {
          expect(requestedAt).not.toBe(answered);
          answered = requestedAt;
        }
        comingAt = now;
      };
      for (const { kind, days } of actions) {
        if (kind === 'wait') now += days * DAY_MS;
        if (kind === 'request') requestedAt = now;
        if (kind === 'finish' && comingAt !== null) [createdAt, comingAt] = [comingAt, null];
        if (kind === 'cancel' && comingAt !== null) [cancelledAt, comingAt, answered] = [now, null, requestedAt];
        // A second operator, or the same one after a restart, begins nothing more.
        look();
        look();
        if (comingAt === null) {
          const isAnswered = requestedAt === null || createdAt >= requestedAt - 60_000 || cancelledAt >= requestedAt;
          expect(isAnswered).toBe(true);
          if (every !== undefined) expect(now - Math.max(createdAt, cancelledAt)).toBeLessThan(readPeriodMs(every));
        }
        now += 120_000;
      }
    }),
  );
});

test.each([
  [{ every: '365d', requestedAt: '2026-11-28T10:00:00.5+01:00', algorithm: 'ED25519' }, null],
  [{}, 'set every, requestedAt or algorithm, or omit keyRollover'],
  [{ every: '29d' }, 'must be a number of days from 30d to 9999d'],
  [{ every: '1y' }, 'must be a number of days'],
  [{ requestedAt: 'now' }, 'must be a time of RFC 3339'],
  [{ requestedAt: '2026-13-01T00:00:00Z' }, 'must be a time of RFC 3339'],
  [{ algorithm: 'RSASHA256' }, 'ED25519'],
])('the schema judges %j', (spec, problem) => {
  const { success, error } = keyRollover.safeParse(spec);
  expect(success).toBe(problem === null);
  if (problem !== null) expect(JSON.stringify(error?.issues)).toContain(problem);
});

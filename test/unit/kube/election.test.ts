// Leader election: acquiring, renewing, losing and releasing a Lease, with a fake clock. The invariant: at no moment do
// two processes think that they may write.
import { beforeEach, describe, expect, test } from 'vitest';
import type { Clock } from '#base/clock.ts';
import { createElection, type Election, LeadershipLost, whileLeading } from '#kube/leader/election.ts';
import { claimed, freeAt, look } from '#kube/leader/lease.ts';
import { createLogger } from '#telemetry/log.ts';
import { FakeClock } from '../../support/time/fake-clock.ts';
import { FakeLeases } from './fake-leases.support.ts';

const log = createLogger({ name: 'test', level: 'silent' });
let clock: FakeClock;
let leases: FakeLeases;
let replicas: Replica[];

beforeEach(() => {
  clock = new FakeClock();
  leases = new FakeLeases();
  replicas = [];
});

interface Replica {
  readonly election: Election;
  readonly link: ReturnType<FakeLeases['connect']>['link'];
  readonly stop: AbortController;
  /** As SIGSTOP does: time passes, and no timer of the replica runs. */
  suspend(): void;
  /** The history of one replica: `leads`, `lost`, `ended`, or the error. */
  readonly told: string[];
  /** Settled by `endWork`; work that was told to stop runs until then if `stubborn`. */
  endWork(ended: boolean): void;
}

function replica(identity: string, options: { stubborn?: boolean } = {}): Replica {
  const { api, link } = leases.connect();
  let suspended = false;
  const timers: Clock = {
    now: () => clock.now(),
    setTimeout: (fn, ms) => clock.setTimeout(() => void (suspended || fn()), ms),
  };
  const election = createElection({
    api,
    namespace: 'system',
    name: 'lease',
    identity,
    log,
    countIn: 'test/renewals',
    clock: timers,
    random: () => 0.5,
    date: () => new Date(clock.now()),
  });
  const stop = new AbortController();
  const told: string[] = [];
  let endWork: (ended: boolean) => void = () => undefined;
  const work = (lost: AbortSignal): Promise<boolean> =>
    new Promise((resolve) => {
      told.push('leads');
      endWork = resolve;
      lost.addEventListener('abort', () => {
        told.push('lost');
        if (!options.stubborn) resolve(true);
      });
      if (!options.stubborn) stop.signal.addEventListener('abort', () => resolve(true));
    });
  election.run(work, stop.signal).then(
    () => told.push('ended'),
    (error) => told.push(error instanceof LeadershipLost ? 'LeadershipLost' : String(error)),
  );
  const suspend = () => {
    link.cut = 'hangs';
    suspended = true;
  };
  const made: Replica = { election, link, stop, suspend, told, endWork: (ended) => endWork(ended) };
  replicas.push(made);
  return made;
}

/** Advances the time in small steps, and checks at each step that no two processes may write. */
async function pass(ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= 100) {
    await clock.advance(Math.min(100, left));
    expect(replicas.filter(({ election }) => election.leads()).length).toBeLessThanOrEqual(1);
  }
}

test('with two replicas, one leads, and the other waits for as long as the first renews', async () => {
  const [a, b] = [replica('a'), replica('b')];
  await pass(120_000);
  expect([a.told, b.told]).toEqual([['leads'], []]);
  expect([a.election.leads(), b.election.leads()]).toEqual([true, false]);
  expect(leases.lease?.spec).toMatchObject({ holderIdentity: 'a', leaseDurationSeconds: 15, leaseTransitions: 0 });
  // Renewed every 2.2 s, and no other process wrote.
  expect(leases.history.length).toBeGreaterThan(50);
  expect(leases.history.every(({ holderIdentity }) => holderIdentity === 'a')).toBe(true);
});

test('with two replicas, the second takes over at once when the first ends gracefully', async () => {
  const [a, b] = [replica('a'), replica('b')];
  await pass(5_000);
  a.stop.abort();
  await pass(100);
  expect(a.told).toEqual(['leads', 'ended']);
  expect(b.told).toEqual(['leads']);
  expect(leases.lease?.spec).toMatchObject({ holderIdentity: 'b', leaseTransitions: 1 });
});

test('with two replicas, the second waits until the work of the first has ended, and for the whole lease when it does not end', async () => {
  const [a, b] = [replica('a', { stubborn: true }), replica('b')];
  await pass(5_000);
  a.stop.abort();
  await pass(20_000);
  expect([a.told, b.told]).toEqual([['leads'], []]);
  a.endWork(false);
  await pass(10_000);
  expect([a.told, b.told]).toEqual([['leads', 'ended'], []]);
  await pass(8_000);
  expect(b.told).toEqual(['leads']);
});

test.each(['refused', 'hangs', 'answers lost'] as const)(
  'with two replicas, a first whose calls are %s stops before the second takes over',
  async (how) => {
    const [a, b] = [replica('a'), replica('b')];
    await pass(5_000);
    a.link.cut = how;
    await pass(12_100);
    // A renewal whose answer is lost still counts, so that no other process may take over yet.
    expect(a.told).toEqual(['leads', 'lost', 'LeadershipLost']);
    expect(a.election.leads()).toBe(false);
    expect(b.told).toEqual([]);
    await pass(20_000);
    expect(b.told).toEqual(['leads']);
  },
);

test('with two replicas, a first that was killed is followed after its lease has run out, and not before', async () => {
  leases.put(claimed(undefined, 'dead', 15_000, new Date(0)));
  const b = replica('b');
  await pass(14_900);
  expect(b.told).toEqual([]);
  await pass(300);
  expect(b.told).toEqual(['leads']);
});

test('with two replicas, a first that was suspended for longer than its lease does not write when it resumes', async () => {
  const [a, b] = [replica('a'), replica('b')];
  await pass(5_000);
  const guarded = whileLeading(a.election);
  a.suspend();
  await pass(30_000);
  // It has not noticed the end of its lease, and its first step is a write.
  expect(a.told).toEqual(['leads']);
  expect(b.told).toEqual(['leads']);
  await expect(guarded({ name: 'createRecord' }, async () => 'written')).rejects.toBeInstanceOf(LeadershipLost);
  await expect(whileLeading(b.election)({ name: 'x' }, async () => 'written')).resolves.toBe('written');
});

test('a leader stops at once when another process holds the lease', async () => {
  const a = replica('a');
  await pass(5_000);
  leases.put(claimed(leases.lease?.spec, 'b', 15_000, new Date(clock.now())));
  await pass(2_500);
  expect(a.told).toEqual(['leads', 'lost', 'LeadershipLost']);
});

test('a leader continues after a short outage, a lost answer, a label on the lease, and a deleted lease', async () => {
  const a = replica('a');
  await pass(5_000);
  a.link.cut = 'refused';
  await pass(5_000);
  a.link.cut = 'answers lost';
  await pass(2_000);
  a.link.cut = 'no';
  await pass(5_000);
  leases.put({ ...leases.lease?.spec });
  await pass(5_000);
  leases.lease = null;
  await pass(10_000);
  expect(a.told).toEqual(['leads']);
  expect(a.election.leads()).toBe(true);
  expect(leases.lease).toMatchObject({ spec: { holderIdentity: 'a' } });
});

test('a leader counts its time from before it sent a renewal, even if the answer is late', async () => {
  const a = replica('a');
  await pass(5_000);
  const answer = Promise.withResolvers<void>();
  a.link.answersAfter = answer.promise;
  const renewals = leases.history.length;
  while (leases.history.length === renewals) await pass(100);
  // The renewal was sent within the last 100 ms. Its answer comes 3 s later, and then nothing more gets through.
  await pass(3_000);
  answer.resolve();
  await pass(100);
  a.link.cut = 'refused';
  await pass(6_700);
  expect(a.election.leads()).toBe(true);
  await pass(200);
  expect(a.election.leads()).toBe(false);
  expect(a.told).toEqual(['leads', 'lost', 'LeadershipLost']);
});

test('a leader is not brought back by an answer that comes after it has lost', async () => {
  const a = replica('a');
  await pass(1_000);
  a.link.cut = 'hangs';
  await pass(11_000);
  a.link.cut = 'no';
  await pass(20_000);
  expect(a.told).toEqual(['leads', 'lost', 'LeadershipLost']);
  expect(a.election.leads()).toBe(false);
});

test('a replica that waits can be stopped, and has run nothing then', async () => {
  replica('a');
  await pass(1_000);
  const b = replica('b');
  await pass(1_000);
  b.stop.abort();
  await pass(100);
  expect(b.told).toEqual(['ended']);
  expect(b.election.terms()).toBe(0);
});

test('a replica that waits also waits while the API server is unreachable', async () => {
  const { length } = leases.history;
  const a = replica('a');
  a.link.cut = 'refused';
  await pass(30_000);
  expect([a.told, leases.history.length]).toEqual([[], length]);
  a.link.cut = 'no';
  await pass(3_000);
  expect(a.told).toEqual(['leads']);
});

describe('a lease', () => {
  const at = new Date('2026-11-21T12:00:00.123Z');
  const sightingOf = (spec: object) =>
    look(null, { apiVersion: '', kind: '', metadata: { name: 'lease' }, spec }, 1_000);

  test('a lease is free when it has no holder or the observer holds it, and otherwise its duration after its last change', () => {
    expect(freeAt(look(null, null, 1_000), 'a')).toBe(0);
    expect(freeAt(sightingOf({ leaseDurationSeconds: 15 }), 'a')).toBe(0);
    expect(freeAt(sightingOf({ holderIdentity: 'a', leaseDurationSeconds: 15 }), 'a')).toBe(0);
    expect(freeAt(sightingOf({ holderIdentity: 'b', leaseDurationSeconds: 15 }), 'a')).toBe(16_000);
  });

  test('a lease counts from the time when the change was seen, not from the time in the lease', () => {
    const first = sightingOf({
      holderIdentity: 'b',
      leaseDurationSeconds: 15,
      renewTime: '1970-01-01T00:00:00.000000Z',
    });
    expect(look(first, first.lease, 9_000).since).toBe(1_000);
    const renewed = { ...first.lease, spec: { holderIdentity: 'b', leaseDurationSeconds: 15, renewTime: 'later' } };
    expect(look(first, renewed as never, 9_000).since).toBe(9_000);
  });

  test('a lease counts transitions, has times of six digits, and keeps the time when it was acquired', () => {
    const first = claimed(undefined, 'a', 15_000, at);
    expect(first).toEqual({
      holderIdentity: 'a',
      leaseDurationSeconds: 15,
      acquireTime: '2026-11-21T12:00:00.123000Z',
      renewTime: '2026-11-21T12:00:00.123000Z',
      leaseTransitions: 0,
    });
    const later = new Date('2026-11-21T12:00:05.000Z');
    expect(claimed(first, 'a', 15_000, later)).toMatchObject({ acquireTime: first.acquireTime, leaseTransitions: 0 });
    expect(claimed(first, 'b', 15_000, later)).toMatchObject({
      acquireTime: '2026-11-21T12:00:05.000000Z',
      leaseTransitions: 1,
    });
  });

  test('a lease requires enough distance between its three times', () => {
    const { api } = leases.connect();
    const base = { api, namespace: 'a', name: 'b', identity: 'c', log, clock, random: () => 0, date: () => at };
    expect(() => createElection({ ...base, deadlineMs: 15_000 })).toThrow(RangeError);
    expect(() => createElection({ ...base, retryMs: 9_000 })).toThrow(RangeError);
  });
});

test('the renewals of all holders are counted together, and only a holder knows their number', async () => {
  const [a, b] = [replica('a'), replica('b')];
  await pass(10_000);
  const first = a.election.progress();
  expect(first).toMatchObject({ uid: 'uid-lease', renewals: expect.any(Number) });
  expect(first?.renewals).toBeGreaterThanOrEqual(4);
  expect(b.election.progress()).toBeUndefined();
  await pass(10_000);
  const second = a.election.progress();
  expect(second?.renewals).toBeGreaterThan(first?.renewals ?? 0);
  expect(second?.renewedAt).toBeGreaterThan(first?.renewedAt ?? 0);
  a.stop.abort();
  await pass(1_000);
  expect(a.election.progress()).toBeUndefined();
  expect(b.election.progress()?.renewals).toBeGreaterThan(second?.renewals ?? 0);
});

test('the number of renewals falls when the API server has lost data, and begins again after an unreadable one', async () => {
  const a = replica('a');
  await pass(30_000);
  const before = a.election.progress()?.renewals ?? 0;
  leases.put({ ...leases.lease?.spec }, { 'test/renewals': '3' });
  await pass(5_000);
  expect(before).toBeGreaterThan(10);
  expect(a.election.progress()?.renewals).toBeLessThan(10);
  leases.put({ ...leases.lease?.spec }, { 'test/renewals': 'many' });
  await pass(3_000);
  expect(a.election.progress()?.renewals).toBeLessThan(4);
});

// The pace of a key: a scripted service with a fake clock answers "ok", "slow down" or "busy", and every request is
// recorded.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ApiError, ApiUnavailable } from '#client/errors.ts';
import { createDispatcher, type Dispatcher, type DispatcherOptions } from '#client/pace/dispatcher.ts';
import type { Lane } from '#client/pace/waiting.ts';
import { FakeClock, settle } from '../../support/time/fake-clock.ts';

type Answer = 'ok' | Error;

const slowDown = (seconds: number | null) =>
  new ApiError({
    status: 429,
    code: 'rate_limited',
    message: 'Slow down.',
    retryAfterMs: seconds === null ? null : seconds * 1000,
    requestId: null,
  });
const busy = (seconds: number) =>
  new ApiError({ status: 503, code: 'busy', message: 'Busy.', retryAfterMs: seconds * 1000, requestId: null });

interface Send {
  readonly name: string;
  readonly at: number;
}

function setUp(options: Partial<DispatcherOptions> = {}) {
  const clock = new FakeClock();
  const start = clock.now();
  const sends: Send[] = [];
  const dispatcher = createDispatcher({ clock, random: () => 0, ...options });
  /** A job that takes 10 ms per attempt and gets these answers in turn, then "ok". */
  const submit = (
    name: string,
    where: Partial<Place> = {},
    answers: Answer[] = [],
    signal = never,
  ): Promise<string> => {
    const place = { lane: 'change' as const, zone: 'z1', ...where };
    return dispatcher.submit({
      ...place,
      signal,
      run: async () => {
        sends.push({ name, at: clock.now() - start });
        const answer = answers.shift() ?? 'ok';
        await new Promise<void>((resolve) => clock.setTimeout(resolve, 10));
        if (answer !== 'ok') throw answer;
        return name;
      },
    });
  };
  const names = () => sends.map((send) => send.name);
  return { clock, start, dispatcher, submit, sends, names };
}

interface Place {
  readonly lane: Lane;
  readonly zone: string | null;
}

const never = new AbortController().signal;

test('the dispatcher sends certificates first, changes next and bulk creation last', async () => {
  const { clock, submit, names } = setUp({ maxInFlight: 1 });
  const all = [
    submit('first', { lane: 'create' }),
    submit('bulk', { lane: 'create' }),
    submit('edit', { lane: 'change' }),
    submit('certificate', { lane: 'acme' }),
  ];
  await clock.advance(100);
  await Promise.all(all);
  expect(names()).toEqual(['first', 'certificate', 'edit', 'bulk']);
});

test('the dispatcher lets a certificate overtake a thousand waiting records', async () => {
  const { clock, submit, names } = setUp({ maxInFlight: 2 });
  const bulk = Array.from({ length: 1000 }, (_, i) => submit(`r${i}`, { lane: 'create', zone: `z${i % 3}` }));
  const certificate = submit('certificate', { lane: 'acme', zone: 'z9' });
  await clock.advance(10);
  expect(names().indexOf('certificate')).toBeLessThanOrEqual(2);
  await clock.advance(20_000);
  await Promise.all([...bulk, certificate]);
});

test('the dispatcher serves zones in turn, and the jobs of a zone in the order of arrival', async () => {
  const { clock, submit, names } = setUp({ maxInFlight: 1 });
  const before = submit('before', { zone: 'z' });
  const all = ['a1', 'a2', 'a3', 'b1', 'b2', 'c1'].map((name) => submit(name, { zone: name[0] ?? null }));
  await clock.advance(100);
  await Promise.all([before, ...all]);
  expect(names()).toEqual(['before', 'a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
});

test('the dispatcher has one write per zone in flight, and the given number in all', async () => {
  const { clock, dispatcher, submit, sends } = setUp({ maxInFlight: 3 });
  const all = ['a1', 'a2', 'b1', 'b2', 'c1', 'd1'].map((name) => submit(name, { zone: name[0] ?? null }));
  await settle();
  expect(sends.map((send) => send.name)).toEqual(['a1', 'b1', 'c1']);
  expect(dispatcher.state()).toMatchObject({ inFlight: 3, depth: { acme: 0, change: 3, create: 0 } });
  await clock.advance(100);
  await Promise.all(all);
  expect(dispatcher.state()).toMatchObject({ inFlight: 0, depth: { acme: 0, change: 0, create: 0 } });
});

test('the dispatcher sends calls that belong to no zone in parallel', async () => {
  const { clock, submit, names } = setUp({ maxInFlight: 3 });
  const all = ['n1', 'n2'].map((name) => submit(name, { zone: null }));
  await settle();
  expect(names()).toEqual(['n1', 'n2']);
  await clock.advance(10);
  await Promise.all(all);
});

test('the answer 429 pauses every zone and lane until Retry-After has passed, then resends the refused job first', async () => {
  const pauses: unknown[] = [];
  const { clock, start, dispatcher, submit, sends } = setUp({
    maxInFlight: 1,
    onPause: (pause) => pauses.push(pause),
  });
  const all = [submit('refused', { zone: 'a' }, [slowDown(30)]), submit('next', { zone: 'b' })];
  await clock.advance(20);
  all.push(submit('certificate', { zone: 'c', lane: 'acme' }));
  await clock.advance(29_980);
  expect(sends).toEqual([{ name: 'refused', at: 0 }]);
  expect(dispatcher.state().pausedUntil).toBe(start + 30_010);
  expect(pauses).toEqual([{ zone: null, until: start + 30_010 }]);
  await clock.advance(100);
  await Promise.all(all);
  expect(sends.slice(1)).toEqual([
    { name: 'certificate', at: 30_010 },
    { name: 'refused', at: 30_020 },
    { name: 'next', at: 30_030 },
  ]);
  expect(dispatcher.state().pausedUntil).toBeNull();
});

test('the answer 429 restarts with one job, and continues with all once that one succeeded', async () => {
  const { clock, submit, sends } = setUp({ maxInFlight: 4 });
  const zones = ['a', 'b', 'c', 'd'];
  const all = zones.map((zone) => submit(zone, { zone }, [slowDown(5), ...(zone === 'a' ? [slowDown(7)] : [])]));
  await clock.advance(20_000);
  await Promise.all(all);
  expect(sends.filter((send) => send.at < 5_000)).toHaveLength(4);
  // The probe is refused once more: 5010 + 10 + 7000.
  expect(sends.filter((send) => send.at >= 5_000 && send.at < 12_020)).toEqual([{ name: 'a', at: 5_010 }]);
  expect(sends.filter((send) => send.at === 12_020)).toHaveLength(1);
  expect(sends.filter((send) => send.at === 12_030)).toHaveLength(3);
});

test('the answer 429 never shortens a pause when a later answer asks for less', async () => {
  const { clock, submit, sends } = setUp();
  const all = [submit('long', { zone: 'a' }, [slowDown(30)]), submit('short', { zone: 'b' }, [slowDown(1)])];
  await clock.advance(29_999);
  expect(sends).toHaveLength(2);
  await clock.advance(2_000);
  await Promise.all(all);
});

test('the answer 429 waits a second when the answer does not say how long', async () => {
  const { clock, submit, sends } = setUp();
  const job = submit('job', {}, [slowDown(null)]);
  await clock.advance(1_020);
  await job;
  expect(sends.map((send) => send.at)).toEqual([0, 1_010]);
});

test('the answer 429 spreads the end of a pause at random, later but never earlier', async () => {
  const { clock, submit, sends } = setUp({ random: () => 0.5 });
  const job = submit('job', {}, [slowDown(1)]);
  await clock.advance(2_000);
  await job;
  expect(sends[1]?.at).toBe(1_010 + 125);
});

test('the answer busy pauses that zone alone; others continue', async () => {
  const { clock, start, dispatcher, submit, sends } = setUp();
  const all = [submit('a1', { zone: 'a' }, [busy(2)]), submit('a2', { zone: 'a' }), submit('b1', { zone: 'b' })];
  await clock.advance(20);
  all.push(submit('b2', { zone: 'b' }));
  await settle();
  expect(sends.map((send) => send.name)).toEqual(['a1', 'b1', 'b2']);
  expect(dispatcher.state()).toMatchObject({ pausedUntil: null, zonePaused: new Map([['a', start + 2_010]]) });
  await clock.advance(3_000);
  await Promise.all(all);
  expect(sends.slice(3)).toEqual([
    { name: 'a1', at: 2_010 },
    { name: 'a2', at: 2_020 },
  ]);
  expect(dispatcher.state().zonePaused.size).toBe(0);
});

test('the answer busy never shortens the pause of calls that belong to no zone, which are sent in parallel', async () => {
  const { clock, submit, sends } = setUp();
  const all = [submit('long', { zone: null }, [busy(30)]), submit('short', { zone: null }, [busy(1)])];
  await clock.advance(29_999);
  expect(sends).toHaveLength(2);
  await clock.advance(2_000);
  await Promise.all(all);
});

test('the end of a job is the error of the attempt if it concerns the job and not the rate', async () => {
  const { clock, submit, names } = setUp({ maxInFlight: 1 });
  const conflict = new ApiError({
    status: 409,
    code: 'conflict',
    message: 'No.',
    retryAfterMs: null,
    requestId: null,
  });
  const down = new ApiError({ status: 503, code: 'unknown', message: 'No.', retryAfterMs: null, requestId: null });
  const gone = new ApiUnavailable('No.');
  const all = [conflict, down, gone].map((error, i) => expect(submit(`j${i}`, {}, [error])).rejects.toBe(error));
  await clock.advance(100);
  await Promise.all(all);
  expect(names()).toEqual(['j0', 'j1', 'j2']);
});

test('the end of a job is the reason of its signal, if it waits for its turn, for a pause, or never began', async () => {
  const { clock, dispatcher, submit, names } = setUp({ maxInFlight: 1 });
  const abort = new AbortController();
  const refused = submit('refused', {}, [slowDown(60)], abort.signal);
  const waiting = submit('waiting', {}, [], abort.signal);
  const other = submit('other');
  await clock.advance(20);
  const reason = new Error('shutting down');
  abort.abort(reason);
  await expect(refused).rejects.toBe(reason);
  await expect(waiting).rejects.toBe(reason);
  await expect(submit('late', {}, [], abort.signal)).rejects.toBe(reason);
  expect(dispatcher.state().depth.change).toBe(1);
  await clock.advance(61_000);
  await other;
  expect(names()).toEqual(['refused', 'other']);
});

test('the end of a job frees its place when the attempt fails because of its signal', async () => {
  const { clock, dispatcher } = setUp({ maxInFlight: 1 });
  const abort = new AbortController();
  const hanging = dispatcher.submit({
    lane: 'change',
    zone: 'a',
    signal: abort.signal,
    run: (signal) => new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
  });
  await settle();
  abort.abort(new Error('enough'));
  await expect(hanging).rejects.toThrow('enough');
  await clock.advance(0);
  expect(dispatcher.state().inFlight).toBe(0);
});

test('the end of a job leaves no timer behind', async () => {
  const { clock, submit } = setUp();
  const all = [submit('a', { zone: 'a' }, [slowDown(3)]), submit('b', { zone: 'b' }, [busy(4)])];
  await clock.advance(10_000);
  await Promise.all(all);
  expect(clock.timers()).toEqual([]);
});

test('the dispatcher with any answers of the service sends nothing early, one write per zone at a time, and all jobs in the end', async () => {
  const answer = fc.oneof(
    { weight: 4, arbitrary: fc.constant('ok' as const) },
    fc.integer({ min: 1, max: 20 }).map((seconds) => ({ slow: seconds })),
    fc.integer({ min: 1, max: 5 }).map((seconds) => ({ busy: seconds })),
  );
  const job = fc.record({
    lane: fc.constantFrom<Lane>('acme', 'change', 'create'),
    zone: fc.constantFrom('a', 'b', 'c', null),
    answers: fc.array(answer, { maxLength: 3 }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(job, { maxLength: 12 }), fc.integer({ min: 1, max: 4 }), async (jobs, maxInFlight) => {
      const clock = new FakeClock();
      const dispatcher: Dispatcher = createDispatcher({ clock, random: () => 0, maxInFlight });
      const flying = new Map<string, number>();
      let notBefore = 0;
      const zoneNotBefore = new Map<string | null, number>();
      const done = jobs.map(({ lane, zone, answers }, i) =>
        dispatcher.submit({
          lane,
          zone,
          signal: never,
          run: async () => {
            expect(clock.now()).toBeGreaterThanOrEqual(Math.max(notBefore, zoneNotBefore.get(zone) ?? 0));
            const key = zone ?? `null ${i}`;
            expect(flying.get(key) ?? 0).toBe(0);
            flying.set(key, 1);
            expect([...flying.values()].reduce((sum, n) => sum + n, 0)).toBeLessThanOrEqual(maxInFlight);
            await new Promise<void>((resolve) => clock.setTimeout(resolve, 10));
            flying.delete(key);
            const next = answers.shift() ?? 'ok';
            if (next === 'ok') return i;
            if ('slow' in next) {
              notBefore = Math.max(notBefore, clock.now() + next.slow * 1000);
              throw slowDown(next.slow);
            }
            zoneNotBefore.set(zone, clock.now() + next.busy * 1000);
            throw busy(next.busy);
          },
        }),
      );
      await clock.advance(2_000_000);
      expect(await Promise.all(done)).toEqual(jobs.map((_, i) => i));
    }),
    { numRuns: 40 },
  );
});

test('a challenge is sent while the window of records is paused, and shares no batch with other records', async () => {
  const clock = new FakeClock();
  const requests: string[][] = [];
  const dispatcher = createDispatcher({
    clock,
    random: () => 0,
    gatherMs: 0,
    writer: {
      apply: async (_zone, changes) => {
        const names = changes.map(({ set }) => set.name ?? '');
        requests.push(names);
        await new Promise<void>((resolve) => clock.setTimeout(resolve, 10));
        if (requests.length === 1) throw slowDown(60);
        return changes.map(() => ({ status: 200, records: [], changed: true, drift: [] }));
      },
    },
  });
  const apply = (name: string, zone = 'z1') => {
    const set = { owner: `test:${name}`, name, type: 'TXT' as const, values: [{ content: '"v"' }] };
    return dispatcher.apply({ lane: 'change', zone, signal: never, set });
  };
  const others = [apply('a'), apply('b')];
  await clock.advance(10);
  const challenges = [apply('_acme-challenge.a'), apply('_acme-challenge.b')];
  await clock.advance(3_000);
  await Promise.all(challenges);
  expect(requests.slice(1).flat()).toEqual(['_acme-challenge.a', '_acme-challenge.b']);
  const hold = (bucket: 'records' | 'challenges') => dispatcher.hold({ bucket, zone: 'z1' })?.reason ?? null;
  expect([hold('records'), hold('challenges')]).toEqual(['RateLimited', null]);
  await clock.advance(120_000);
  await Promise.all(others);
  for (const names of requests) expect(new Set(names.map((name) => name.startsWith('_'))).size).toBe(1);
});

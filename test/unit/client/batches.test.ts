// Record changes in the dispatcher: sent alone if they can be sent at once, and as a batch if they had to wait. The
// number of places in a batch: fairness.test.ts.
import { expect, test } from 'vitest';
import { ApiError, ApiUnavailable } from '#client/errors.ts';
import { createDispatcher, type DispatcherOptions } from '#client/pace/dispatcher.ts';
import { parseRate, type Rate } from '#client/pace/rate.ts';
import type { Lane } from '#client/pace/waiting.ts';
import type { AppliedSet } from '#client/pace/writer.ts';
import { FakeClock } from '../../support/time/fake-clock.ts';

const never = new AbortController().signal;
const error = (status: number, code: string, retryAfterMs: number | null = null) =>
  new ApiError({ status, code, message: code, retryAfterMs, requestId: null });

/**
 * A service that takes 10 ms per request, states this limit, refuses ids that begin with `bad`, and counts no request
 * in which all ids begin with `same`.
 */
function setUp(rate: Rate | null, options: Partial<DispatcherOptions> = {}) {
  const clock = new FakeClock();
  const requests: string[][] = [];
  const signals: AbortSignal[] = [];
  const faults: Error[] = [];
  const send = async (ids: string[], onRate: (rate: Rate | null | undefined) => void): Promise<void> => {
    requests.push(ids);
    const fault = faults.shift();
    await new Promise<void>((resolve) => clock.setTimeout(resolve, 10));
    if (fault) throw fault;
    onRate(ids.every((id) => id.startsWith('same')) ? undefined : rate);
  };
  const idOf = ({ set }: { set: { owner: string } }) => set.owner.slice('test:'.length);
  const done: AppliedSet = { status: 200, records: [], changed: true, drift: [] };
  const dispatcher = createDispatcher({
    clock,
    random: () => 0,
    gatherMs: 0,
    ...options,
    writer: {
      apply: async (_zone, changes, { onRate, signal }) => {
        if (changes.length > 1) signals.push(signal);
        await send(changes.map(idOf), onRate);
        return changes.map((change) => (idOf(change).startsWith('bad') ? error(404, 'not_found') : done));
      },
    },
  });
  const change = (id: string, zone = 'z1', lane: Lane = 'create', signal = never) =>
    dispatcher.apply({ lane, zone, signal, set: { owner: `test:${id}`, release: true } }).then(
      () => 'done',
      (reason: unknown) => (reason instanceof ApiError ? reason.code : String(reason)),
    );
  return { clock, dispatcher, change, requests, signals, faults };
}

/** A first answer, so that the limit is known. */
async function warm({ change, clock, requests }: ReturnType<typeof setUp>): Promise<void> {
  const first = change('first');
  await clock.advance(20);
  await first;
  requests.length = 0;
}

test('record changes are sent alone while the limit is unknown, and as a batch once it is known', async () => {
  const on = setUp(null);
  const all = ['a', 'b', 'c'].map((id) => on.change(id));
  await on.clock.advance(100);
  expect(await Promise.all(all)).toEqual(['done', 'done', 'done']);
  expect(on.requests).toEqual([['a'], ['b', 'c']]);
});

test('record changes in another zone or lane are not added to a batch', async () => {
  const on = setUp(null);
  await warm(on);
  const all = [on.change('a'), on.change('b', 'z2'), on.change('c'), on.change('d', 'z1', 'acme')];
  await on.clock.advance(100);
  await Promise.all(all);
  expect(on.requests).toEqual([['d'], ['b'], ['a', 'c']]);
});

test('record changes that change nothing take no place, and do not make a limited key unlimited', async () => {
  const on = setUp({ remaining: 30, quota: 60, windowMs: 60_000 });
  await warm(on);
  for (let n = 0; n < 10; n += 1) {
    const same = on.change(`same${n}`);
    await on.clock.advance(20);
    expect(await same).toBe('done');
  }
  on.requests.length = 0;
  for (let n = 0; n < 60; n += 1) void on.change(`new${n}`);
  await on.clock.advance(5);
  // The reserve for others is a third of the 30 free places.
  expect(on.requests.flat().length).toBeGreaterThan(15);
  expect(on.requests.flat().length).toBeLessThanOrEqual(30);
});

test('record changes that are refused fail alone', async () => {
  const on = setUp(null);
  await warm(on);
  const all = ['a', 'bad', 'c'].map((id) => on.change(id));
  await on.clock.advance(100);
  expect(await Promise.all(all)).toEqual(['done', 'not_found', 'done']);
  expect(on.requests).toHaveLength(1);
});

test('record changes all wait when their batch is refused for its rate, and restart with a single one', async () => {
  const on = setUp(null);
  await warm(on);
  on.faults.push(error(429, 'rate_limited', 5_000));
  const all = ['a', 'b', 'c'].map((id) => on.change(id));
  await on.clock.advance(4_900);
  expect(on.requests).toHaveLength(1);
  await on.clock.advance(1_000);
  expect(await Promise.all(all)).toEqual(['done', 'done', 'done']);
  expect(on.requests.slice(1)).toEqual([['a'], ['b', 'c']]);
});

test.each([
  [400, 'bad_request'],
  [413, 'payload_too_large'],
] as const)(
  'record changes are sent one by one when the service refuses their batch as a whole with %i',
  async (status, code) => {
    const on = setUp(null);
    await warm(on);
    on.faults.push(error(status, code));
    const all = ['a', 'b'].map((id) => on.change(id));
    await on.clock.advance(100);
    expect(await Promise.all(all)).toEqual(['done', 'done']);
    expect(on.requests.slice(1)).toEqual([['a'], ['b']]);
  },
);

test('record changes that are alone and too large fail, and are not sent again', async () => {
  const on = setUp(null);
  await warm(on);
  on.faults.push(error(413, 'payload_too_large'));
  const large = on.change('a');
  await on.clock.advance(100);
  expect([await large, on.requests]).toEqual(['payload_too_large', [['a']]]);
});

test('record changes make a batch of at most 512 KiB, counted in octets', async () => {
  const on = setUp(null);
  await warm(on);
  // 200 kB each, and 400 kB with two octets for a character.
  const [plain, wide] = ['a', '\u00f6'].map((letter) => [1, 2, 3].map((at) => `${letter.repeat(200_000)}${at}`));
  const all = [...(plain ?? []).map((id) => on.change(id, 'z1')), ...(wide ?? []).map((id) => on.change(id, 'z2'))];
  await on.clock.advance(200);
  await Promise.all(all);
  const sizesOf = (letter: string) => on.requests.filter(([id]) => id?.startsWith(letter)).map(({ length }) => length);
  expect([sizesOf('a'), sizesOf('\u00f6')]).toEqual([
    [2, 1],
    [1, 1, 1],
  ]);
});

test('record changes that find their zone busy take no place in the window', async () => {
  const on = setUp({ remaining: 10, quota: 10, windowMs: 60_000 });
  await warm(on);
  for (let n = 0; n < 12; n += 1) {
    const stop = new AbortController();
    on.faults.push(error(503, 'busy', 30_000));
    const busy = on.change(`b${n}`, `busy${n}`, 'create', stop.signal);
    await on.clock.advance(20);
    stop.abort(new Error('enough'));
    await busy;
  }
  expect(on.requests).toHaveLength(12);
  expect(on.dispatcher.hold({ bucket: 'records', zone: 'z1' })).toBeNull();
});

test('record changes stay in their batch when one of them is given up, and end with the last of them', async () => {
  const on = setUp(null);
  await warm(on);
  const given = [new AbortController(), new AbortController()] as const;
  const all = [on.change('a', 'z1', 'create', given[0].signal), on.change('b', 'z1', 'create', given[1].signal)];
  await on.clock.advance(5);
  expect(on.requests).toEqual([['a', 'b']]);
  given[0].abort(new Error('given up'));
  expect(on.signals[0]?.aborted).toBe(false);
  given[1].abort(new Error('given up too'));
  expect(on.signals[0]?.aborted).toBe(true);
  await on.clock.advance(10);
  await Promise.all(all);
});

test('record changes all fail when the outcome of their batch is unknown', async () => {
  const on = setUp(null);
  await warm(on);
  on.faults.push(new ApiUnavailable('cut'));
  const all = ['a', 'b'].map((id) => on.change(id));
  await on.clock.advance(100);
  expect(await Promise.all(all)).toEqual(
    ['Error: cut', 'Error: cut'].map((text) => text.replace('Error', 'ApiUnavailable')),
  );
});

test('record changes in quick succession are collected as bulk, a single one does not wait', async () => {
  const on = setUp(null, { gatherMs: 25 });
  await warm(on);
  await on.clock.advance(100);
  const all = [on.change('a')];
  await on.clock.advance(12);
  for (const id of ['b', 'c', 'd']) {
    all.push(on.change(id));
    await on.clock.advance(5);
  }
  await on.clock.advance(50);
  await Promise.all(all);
  expect(on.requests).toEqual([['a'], ['b', 'c', 'd']]);
});

test('record changes in a slow but steady bulk are sent in growing batches, and a later one is sent alone', async () => {
  const on = setUp(null, { gatherMs: 25 });
  await warm(on);
  await on.clock.advance(100);
  const all = [];
  for (let n = 0; n < 60; n += 1) {
    all.push(on.change(`n${n}`));
    await on.clock.advance(10);
  }
  await on.clock.advance(500);
  await Promise.all(all);
  // One each 10 ms: some 3, 5, 10 and then 20 at a time, as each batch gathers for at most 200 ms.
  const sizes = on.requests.map(({ length }) => length);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(60);
  expect(sizes.length).toBeLessThan(9);
  expect(Math.max(...sizes)).toBeLessThanOrEqual(22);
  on.requests.length = 0;
  const alone = on.change('alone');
  await on.clock.advance(1);
  expect(on.requests).toEqual([['alone']]);
  await on.clock.advance(20);
  await alone;
});

test('the retry time during a pause is a separate time for each bulk job, as far apart as the limit allows, and the end of the pause for others', async () => {
  const on = setUp({ remaining: 1, quota: 60, windowMs: 60_000 });
  await warm(on);
  on.faults.push(error(429, 'rate_limited', 5_000));
  void on.change('a');
  await on.clock.advance(20);
  const queue = { bucket: 'records', zone: 'z1' } as const;
  const end = on.dispatcher.hold(queue)?.until as number;
  const at = (lane: Lane) => (on.dispatcher.retryTime(lane, queue)?.until as number) - end;
  expect([at('create'), at('create'), at('acme'), at('create')]).toEqual([1_000, 2_000, 0, 3_000]);
});

test.each([
  ['"records";r=12;t=60', '"records";q=60;w=30', { remaining: 12, quota: 60, windowMs: 30_000 }],
  ['"records"; r=0', '"records"; q=60', { remaining: 0, quota: 60, windowMs: 60_000 }],
  [undefined, '"records";q=60;w=60', undefined],
  ['"records";r=many', '"records";q=60', null],
])('the headers of a limit are read: %s under %s', (limit, policy, rate) => {
  expect(parseRate(limit, policy)).toEqual(rate);
});

// The reflector against every fault of a server or a network, on real sockets and with a fake clock. After each fault
// the cache must again equal the server's last state, with nothing lost and no change reported twice.
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createApi } from '#kube/api/api.ts';
import { errorFromAnswer } from '#kube/api/errors.ts';
import { createTransport, type Transport } from '#kube/api/transport.ts';
import { createReflector } from '#kube/cache/reflector.ts';
import { type CacheStore, createStore } from '#kube/cache/store.ts';
import { afterWatch, type WatchEnd } from '#kube/cache/watch.ts';
import { createLogger } from '#telemetry/log.ts';
import {
  type Answer,
  type FakeApiServer,
  page,
  reset,
  startFakeApiServer,
  status,
  WIDGETS,
  type Widget,
  watch,
  widget,
} from '../../support/kube/fake-apiserver.ts';
import { FakeClock } from '../../support/time/fake-clock.ts';

const log = createLogger({ name: 'test', level: 'silent' });

let server: FakeApiServer;
let transport: Transport;
let clock: FakeClock;
let store: CacheStore<Widget>;
let told: string[];
let stop: AbortController;
let running: Promise<void> | undefined;

beforeEach(async () => {
  server = await startFakeApiServer();
  transport = createTransport({ credentials: server.credentials() });
  clock = new FakeClock();
  store = createStore<Widget>({ log });
  told = [];
  store.onChange((key, kind) => told.push(`${kind} ${key.slice('default/'.length)}`));
  stop = new AbortController();
});

afterEach(async () => {
  stop.abort();
  await running;
  running = undefined;
  await transport.close();
  await server.close();
});

/** Runs a reflector without jitter, so waits are 0.8, 1.6, … s and a watch lasts 300 s. */
function start(...answers: Answer[]): void {
  server.script(...answers);
  const api = createApi(transport);
  running = createReflector<Widget>({ api, type: WIDGETS, store, log, clock, random: () => 0, pageSize: 2 }).run(
    stop.signal,
  );
}

/** Waits for the n-th request and returns the verb and the parameters that matter. */
async function request(count: number): Promise<string> {
  const { query } = await server.requests(count);
  const verb = query.get('watch') === 'true' ? 'WATCH' : 'LIST';
  const parts = ['resourceVersion', 'resourceVersionMatch', 'continue', 'limit', 'timeoutSeconds']
    .filter((name) => query.has(name))
    .map((name) => `${name}=${query.get(name)}`);
  return [verb, ...parts].join(' ');
}

/** Waits until the reflector sleeps for this long, then lets the time pass. */
async function sleepThrough(ms: number): Promise<void> {
  await expect.poll(() => clock.timers(), { interval: 5 }).toContain(ms);
  await clock.advance(ms);
}

const WATCH_AT = (version: string) => `WATCH resourceVersion=${version} timeoutSeconds=300`;

async function cacheHas(...versions: string[]): Promise<void> {
  const now = () => store.list().map((object) => `${object.metadata.name}@${object.metadata.resourceVersion}`);
  await expect.poll(now, { interval: 5 }).toEqual(versions);
}

test('the list of a reflector takes every page of one snapshot at the newest version and watches from it', async () => {
  start(page([widget('a', '1'), widget('b', '2')], '10', 'page-2'), page([widget('c', '3')], '10'), watch().answer);
  expect(await request(1)).toBe('LIST limit=2');
  expect(store.hasSynced()).toBe(false);
  expect(await request(2)).toBe('LIST continue=page-2 limit=2');
  expect(await request(3)).toBe(WATCH_AT('10'));
  expect(server.received[2]?.query.get('allowWatchBookmarks')).toBe('true');
  await cacheHas('a@1', 'b@2', 'c@3');
  expect(store.hasSynced()).toBe(true);
});

test('the list of a reflector that loses its snapshot while paging is read again as one answer', async () => {
  start(page([widget('a', '1')], '10', 'old'), status(410, 'Expired'), page([widget('a', '12')], '20'), watch().answer);
  expect(await request(3)).toBe('LIST');
  expect(await request(4)).toBe(WATCH_AT('20'));
  await cacheHas('a@12');
});

test('the list of a reflector that fails is retried after a growing delay, and the cache is not in sync until then', async () => {
  const refused = status(403, 'Forbidden', 'no rights yet');
  start(refused, status(500, 'InternalError'), page([], '5'), watch().answer);
  await server.requests(1);
  await sleepThrough(800);
  await server.requests(2);
  expect(store.hasSynced()).toBe(false);
  await sleepThrough(1_600);
  expect(await request(4)).toBe(WATCH_AT('5'));
  expect(store.hasSynced()).toBe(true);
});

test('a watch applies additions, changes and deletions to the cache', async () => {
  const open = watch();
  start(page([widget('a', '1')], '10'), open.answer);
  open.event('ADDED', widget('b', '11'));
  open.event('MODIFIED', widget('a', '12'));
  open.event('DELETED', widget('b', '13'));
  await cacheHas('a@12');
  expect(told).toEqual(['add a', 'add b', 'update a', 'delete b']);
});

test('a watch that the server closes is reopened at once at the last version, bookmarks included', async () => {
  const [first, second] = [watch(), watch()];
  start(page([], '10'), first.answer, second.answer, watch().answer);
  first.event('ADDED', widget('a', '15'));
  first.end();
  expect(await request(3)).toBe(WATCH_AT('15'));
  second.event('BOOKMARK', { kind: 'Widget', metadata: { resourceVersion: '99' } });
  second.end();
  expect(await request(4)).toBe(WATCH_AT('99'));
  expect(server.received.filter((entry) => !entry.query.has('watch'))).toHaveLength(1);
});

test('a watch that ends at once without an event is reopened after a growing delay', async () => {
  const [first, second] = [watch(), watch()];
  start(page([], '10'), first.answer, second.answer, watch().answer);
  first.end();
  second.end();
  await sleepThrough(800);
  await sleepThrough(1_600);
  expect(await request(4)).toBe(WATCH_AT('10'));
});

test('a watch is reopened at the last version after a lost connection, without a list', async () => {
  const open = watch();
  start(page([], '10'), open.answer, reset, watch().answer);
  open.event('ADDED', widget('a', '11'));
  open.reset();
  await sleepThrough(800);
  await server.requests(3);
  await sleepThrough(1_600);
  expect(await request(4)).toBe(WATCH_AT('11'));
  expect(told).toEqual(['add a']);
});

test('a watch that is cut inside an event lists again at the last version, because that event is lost', async () => {
  const open = watch();
  start(page([], '10'), open.answer, page([widget('a', '11'), widget('b', '12')], '12'), watch().answer);
  open.event('ADDED', widget('a', '11'));
  open.raw('{"type":"ADDED","object":{"kind":"Widget","metad');
  open.reset();
  await sleepThrough(800);
  expect(await request(3)).toBe('LIST resourceVersion=11 resourceVersionMatch=NotOlderThan limit=2');
  expect(await request(4)).toBe(WATCH_AT('12'));
  expect(told).toEqual(['add a', 'add b']);
});

test('a watch that ends inside an event, or sends something unreadable, lists again', async () => {
  const [half, garbage, odd] = [watch(), watch(), watch()];
  const list = page([], '10');
  start(list, half.answer, list, garbage.answer, list, odd.answer, list, watch().answer);
  half.raw('{"type":');
  half.end();
  await sleepThrough(800);
  await server.requests(4);
  garbage.raw('not json\n');
  await sleepThrough(1_600);
  await server.requests(6);
  odd.event('ADDED', { kind: 'Widget', metadata: { name: 'no-version' } });
  await sleepThrough(3_200);
  expect(await request(8)).toBe(WATCH_AT('10'));
});

test('a watch with an event longer than a chunk is read whole', async () => {
  const open = watch();
  start(page([], '10'), open.answer);
  open.event('ADDED', widget('a', '11', { color: 'ö'.repeat(300_000) }));
  await cacheHas('a@11');
  expect(store.get('default/a')?.spec?.color).toHaveLength(300_000);
});

test('an expired version in the stream causes a list, not older than the last seen version', async () => {
  const open = watch();
  start(page([widget('a', '1'), widget('b', '2')], '10'), open.answer, page([widget('a', '30')], '40'), watch().answer);
  open.event('MODIFIED', widget('b', '15'));
  open.event('ERROR', { kind: 'Status', code: 410, reason: 'Expired', message: 'too old resource version' });
  expect(await request(3)).toBe('LIST resourceVersion=15 resourceVersionMatch=NotOlderThan limit=2');
  expect(await request(4)).toBe(WATCH_AT('40'));
  expect(told).toEqual(['add a', 'add b', 'update b', 'delete b', 'update a']);
});

test('an expired version in the answer lists again, at the newest version if the server refuses that one', async () => {
  start(
    page([], '10'),
    status(410, 'Expired'),
    status(410, 'Expired'),
    page([widget('a', '50')], '60'),
    watch().answer,
  );
  expect(await request(3)).toBe('LIST resourceVersion=10 resourceVersionMatch=NotOlderThan limit=2');
  expect(await request(4)).toBe('LIST limit=2');
  expect(await request(5)).toBe(WATCH_AT('60'));
  await cacheHas('a@50');
});

test('an expired version again and again does not become a storm of lists', async () => {
  const expired = status(410, 'Expired');
  start(page([], '10'), expired, page([], '11'), expired, page([], '12'), watch().answer);
  await server.requests(4);
  await sleepThrough(800);
  expect(await request(6)).toBe(WATCH_AT('12'));
});

test('an expired version during which an object was deleted and created again reports a delete and an add', async () => {
  const successor = widget('a', '30', { uid: 'another' });
  start(page([widget('a', '1')], '10'), status(410, 'Expired'), page([successor], '40'), watch().answer);
  await server.requests(4);
  expect(told).toEqual(['add a', 'delete a', 'add a']);
  expect(store.get('default/a')?.metadata.uid).toBe('another');
});

test('an expired version after a restore of the server from a backup accepts the older list', async () => {
  const open = watch();
  const older = page([widget('a', '3')], '5');
  start(
    page([widget('a', '8'), widget('b', '9')], '10'),
    open.answer,
    status(400, 'BadRequest'),
    older,
    watch().answer,
  );
  open.event('ERROR', { kind: 'Status', code: 410, reason: 'Expired' });
  expect(await request(5)).toBe(WATCH_AT('5'));
  await cacheHas('a@3');
});

test('a busy server that answers 429 is called again after Retry-After, without a list', async () => {
  start(page([], '10'), status(429, 'TooManyRequests', 'busy', 7), watch().answer);
  await server.requests(2);
  await sleepThrough(7_000);
  expect(await request(3)).toBe(WATCH_AT('10'));
});

test('a busy server that fails for a minute causes a new list', async () => {
  const failing = status(500, 'InternalError');
  start(page([], '10'), ...Array.from({ length: 8 }, () => failing), page([], '20'), watch().answer);
  for (const wait of [800, 1_600, 3_200, 6_400, 12_800, 25_600, 30_000, 30_000]) await sleepThrough(wait);
  expect(await request(10)).toBe('LIST resourceVersion=10 resourceVersionMatch=NotOlderThan limit=2');
  expect(await request(11)).toBe(WATCH_AT('20'));
});

test('a dead connection is closed after 150 s without a byte and reopened at the last version', async () => {
  const open = watch();
  start(page([], '10'), open.answer, watch().answer);
  await server.requests(2);
  open.event('BOOKMARK', { kind: 'Widget', metadata: { resourceVersion: '12' } });
  await expect.poll(() => told.length + server.received.length, { interval: 5 }).toBe(2);
  await clock.advance(100_000);
  open.event('ADDED', widget('a', '13'));
  await cacheHas('a@13');
  await clock.advance(149_999);
  expect(server.received).toHaveLength(2);
  await clock.advance(1);
  expect(await request(3)).toBe(WATCH_AT('13'));
});

test('a dead connection that is not silent is closed 5 s after the agreed end', async () => {
  const open = watch();
  start(page([], '10'), open.answer, watch().answer);
  await server.requests(2);
  for (const version of ['11', '12', '13']) {
    open.event('ADDED', widget('a', version));
    await cacheHas(`a@${version}`);
    await clock.advance(100_000);
  }
  open.event('ADDED', widget('a', '14'));
  await cacheHas('a@14');
  await clock.advance(4_999);
  expect(server.received).toHaveLength(2);
  await clock.advance(1);
  expect(await request(3)).toBe(WATCH_AT('14'));
});

test('stopping a reflector ends an open watch, a wait and a list at once and sends no further request', async () => {
  start(page([], '10'), watch().answer);
  await server.requests(2);
  stop.abort();
  await running;
  expect(server.received).toHaveLength(2);
  expect(clock.timers()).toEqual([]);
});

test('stopping a reflector during a wait leaves no timer behind', async () => {
  start(status(500, 'InternalError'));
  await expect.poll(() => clock.timers(), { interval: 5 }).toEqual([800]);
  stop.abort();
  await running;
  expect(clock.timers()).toEqual([]);
});

describe('the step after a watch', () => {
  const run = (end: WatchEnd, events = 1, lastedMs = 5_000) => ({ end, events, lastedMs });
  const failed = (code: number, retryAfter?: string) =>
    run({ kind: 'failed', error: errorFromAnswer(code, '', retryAfter) }, 0);

  test.each([
    [
      'a watch that ended normally is reopened at once',
      run({ kind: 'closed', by: 'server' }, 0),
      undefined,
      { list: 'no', wait: 'none' },
    ],
    [
      'a very short one waits',
      run({ kind: 'closed', by: 'server' }, 0, 999),
      undefined,
      { list: 'no', wait: 'backoff' },
    ],
    ['an unreadable one lists', run({ kind: 'corrupt', problem: 'x' }), undefined, { list: 'atLast', wait: 'backoff' }],
    ['410 lists at once', failed(410), undefined, { list: 'atLast', wait: 'none' }],
    ['410 once more waits first', failed(410), 0, { list: 'atLast', wait: 'backoff' }],
    ['429 waits as told', failed(429, '9'), undefined, { list: 'no', wait: 9_000 }],
    ['429 without a time waits and does not list', failed(429), 300_000, { list: 'no', wait: 'backoff' }],
    ['503 waits as told', failed(503, '2'), undefined, { list: 'no', wait: 2_000 }],
    ['a lost connection is reopened', failed(0), 59_999, { list: 'no', wait: 'backoff' }],
    ['a minute of lost connections lists', failed(0), 60_000, { list: 'atLast', wait: 'backoff' }],
    ['a refusal lists', failed(403), undefined, { list: 'newest', wait: 'backoff' }],
  ] as const)('the step after a watch: %s', (_name, ended, failingForMs, expected) => {
    expect(afterWatch(ended, failingForMs)).toEqual(expected);
  });
});

// The reflector against every fault of a server or a network, on real sockets and with a fake clock. After each fault
// the cache must again equal the server's last state, with nothing lost and no change reported twice.
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createApi } from '#kube/api/api.ts';
import { createTransport, type Transport } from '#kube/api/transport.ts';
import { createReflector } from '#kube/cache/reflector.ts';
import { type CacheStore, createStore } from '#kube/cache/store.ts';
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
  const wentBack = () => told.push('went back');
  const options = { api, type: WIDGETS, store, log, clock, random: () => 0, pageSize: 2, wentBack };
  running = createReflector<Widget>(options).run(stop.signal);
}

/** Waits for the n-th request and returns the verb and the parameters that matter. */
async function request(count: number): Promise<string> {
  const { query } = await server.requests(count);
  const verb = query.get('watch') === 'true' ? 'WATCH' : 'LIST';
  const parts = ['resourceVersion', 'resourceVersionMatch', 'continue', 'fieldSelector', 'limit', 'timeoutSeconds']
    .filter((name) => query.has(name))
    .map((name) => `${name}=${query.get(name)}`);
  return [verb, ...parts].join(' ');
}

/** Waits until the reflector sleeps for this long, then lets the time pass. */
async function sleepThrough(ms: number): Promise<void> {
  await expect.poll(() => clock.timers(), { interval: 5 }).toContain(ms);
  await clock.advance(ms);
}

/** The look at the history before a watch is opened again. */
const LOOK = 'LIST limit=1';
const LOOK_AT = (name: string) => `LIST fieldSelector=metadata.name=${name} limit=1`;
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
  const same = page([widget('a', '15')], '99');
  start(page([], '10'), first.answer, same, second.answer, same, watch().answer);
  first.event('ADDED', widget('a', '15'));
  first.end();
  expect(await request(3)).toBe(LOOK_AT('a'));
  expect(server.received[2]?.path).toContain('/namespaces/default/');
  expect(await request(4)).toBe(WATCH_AT('15'));
  second.event('BOOKMARK', { kind: 'Widget', metadata: { resourceVersion: '99' } });
  second.end();
  expect(await request(6)).toBe(WATCH_AT('99'));
  expect(told).toEqual(['add a']);
});

test('a watch that ends at once without an event is reopened after a growing delay', async () => {
  const [first, second] = [watch(), watch()];
  start(page([], '10'), first.answer, page([], '10'), second.answer, page([], '10'), watch().answer);
  first.end();
  second.end();
  await sleepThrough(800);
  expect(await request(3)).toBe(LOOK);
  await sleepThrough(1_600);
  expect(await request(6)).toBe(WATCH_AT('10'));
});

test('a watch is reopened at the last version after a lost connection, without a list', async () => {
  const open = watch();
  const same = page([widget('a', '11')], '11');
  start(page([], '10'), open.answer, same, reset, same, watch().answer);
  open.event('ADDED', widget('a', '11'));
  open.reset();
  await sleepThrough(800);
  await server.requests(4);
  await sleepThrough(1_600);
  expect(await request(6)).toBe(WATCH_AT('11'));
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
  start(page([], '10'), status(429, 'TooManyRequests', 'busy', 7), page([], '10'), watch().answer);
  await server.requests(2);
  await sleepThrough(7_000);
  expect(await request(4)).toBe(WATCH_AT('10'));
});

test('a busy server that fails for a minute causes a new list', async () => {
  const failing = status(500, 'InternalError');
  const looks = Array.from({ length: 7 }, () => [page([], '10'), failing]);
  start(page([], '10'), failing, ...looks.flat(), page([], '20'), watch().answer);
  for (const wait of [800, 1_600, 3_200, 6_400, 12_800, 25_600, 30_000, 30_000]) await sleepThrough(wait);
  expect(await request(17)).toBe('LIST resourceVersion=10 resourceVersionMatch=NotOlderThan limit=2');
  expect(await request(18)).toBe(WATCH_AT('20'));
});

test('a dead connection is closed after 150 s without a byte and reopened at the last version', async () => {
  const open = watch();
  start(page([], '10'), open.answer, page([widget('a', '13')], '13'), watch().answer);
  await server.requests(2);
  open.event('BOOKMARK', { kind: 'Widget', metadata: { resourceVersion: '12' } });
  await expect.poll(() => told.length + server.received.length, { interval: 5 }).toBe(2);
  await clock.advance(100_000);
  open.event('ADDED', widget('a', '13'));
  await cacheHas('a@13');
  await clock.advance(149_999);
  expect(server.received).toHaveLength(2);
  await clock.advance(1);
  expect(await request(4)).toBe(WATCH_AT('13'));
});

test('a watch without any event for 150 s causes a new list: etcd may have been restored to an older version', async () => {
  start(page([widget('a', '9')], '10'), watch().answer, page([widget('a', '5')], '6'), watch().answer);
  await server.requests(2);
  await clock.advance(150_000);
  expect(await request(3)).toBe('LIST limit=2');
  expect(await request(4)).toBe(WATCH_AT('6'));
  await cacheHas('a@5');
});

test('a lost watch is followed by a list of the restored etcd if its versions went back, and that is told before the cache changes', async () => {
  const open = watch();
  const older = page([widget('a', '3')], '20');
  start(page([widget('a', '8')], '10'), open.answer, page([widget('a', '3')], '9'), older, watch().answer);
  open.event('ADDED', widget('ghost', '12'));
  await cacheHas('a@8', 'ghost@12');
  open.end();
  expect(await request(3)).toBe(LOOK_AT('ghost'));
  expect(await request(4)).toBe('LIST limit=2');
  expect(await request(5)).toBe(WATCH_AT('20'));
  await cacheHas('a@3');
  expect(told).toEqual(['add a', 'add ghost', 'went back', 'delete ghost', 'update a']);
});

test('an object that went back tells that etcd was restored, although the versions of the server have grown since', async () => {
  const open = watch();
  const older = page([widget('a', '3')], '50');
  start(page([widget('a', '8')], '10'), open.answer, older, older, watch().answer);
  await server.requests(2);
  await clock.advance(2_000);
  open.end();
  expect(await request(5)).toBe(WATCH_AT('50'));
  await cacheHas('a@3');
  expect(told).toEqual(['add a', 'went back', 'update a']);
});

test('a lost watch is followed by a list if the newest object is gone, which does not tell a restored etcd', async () => {
  const open = watch();
  start(page([widget('a', '8')], '10'), open.answer, page([], '50'), page([], '50'), watch().answer);
  await server.requests(2);
  await clock.advance(2_000);
  open.end();
  expect(await request(4)).toBe('LIST limit=2');
  expect(await request(5)).toBe(WATCH_AT('50'));
  expect(told).toEqual(['add a', 'delete a']);
});

test('a watch is not opened again before the history of the server is known', async () => {
  const open = watch();
  const away = status(500, 'InternalError');
  start(page([widget('a', '8')], '10'), open.answer, away, page([], '5'), page([], '5'), watch().answer);
  await server.requests(2);
  await clock.advance(2_000);
  open.end();
  await server.requests(3);
  await sleepThrough(800);
  expect(await request(6)).toBe(WATCH_AT('5'));
  expect(told).toEqual(['add a', 'went back', 'delete a']);
});

test('a dead connection that is not silent is closed 5 s after the agreed end', async () => {
  const open = watch();
  start(page([], '10'), open.answer, page([widget('a', '14')], '14'), watch().answer);
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
  expect(await request(4)).toBe(WATCH_AT('14'));
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

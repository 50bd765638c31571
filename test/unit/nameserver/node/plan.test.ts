// The decisions of the node about zones: the sum of work, the meaning of a list, and the brake on many removals.
import { expect, test } from 'vitest';
import { isLater } from '#dns/serial.ts';
import { byName, diffZones } from '#nameserver/node/difference.ts';
import { canApply, isSmall, mergeWork, planList, retryDelay, type ZoneWork } from '#nameserver/node/plan.ts';
import { FeedProgress } from '#nameserver/node/position.ts';
import { readiness } from '#nameserver/node/ready.ts';
import { RecentNames } from '#nameserver/node/recent.ts';
import { emptyRow, type KnownZone } from '#nameserver/node/state.ts';
import { address } from '../../../support/faulty-node/fake-feed.ts';

const head = { id: 'z1', name: 'a.test', version: 'v1', serial: 1 };
const names = (...owners: string[]): ZoneWork => ({
  kind: 'names',
  head,
  sets: new Map(owners.map((owner) => [owner, [address(owner)]])),
  latest: new Set(owners),
});
const reload: ZoneWork = { kind: 'reload', id: 'z1', name: 'a.test' };
const gone: ZoneWork = { kind: 'gone', id: 'z1', name: 'a.test' };

test('work of one zone keeps the latest RRsets of each name', () => {
  const later: ZoneWork = {
    kind: 'names',
    head: { ...head, version: 'v2' },
    sets: new Map([['www', []]]),
    latest: new Set(['www']),
  };
  const merged = mergeWork(names('www', 'mail'), later);
  expect(merged).toEqual({
    kind: 'names',
    head: { ...head, version: 'v2' },
    sets: new Map([
      ['www', []],
      ['mail', [address('mail')]],
    ]),
    // The RRsets of mail are of the version before.
    latest: new Set(['www']),
  });
  expect(mergeWork(merged, { ...later, sets: new Map([['mail', []]]), latest: new Set(['mail']) })).toMatchObject({
    latest: new Set(['www', 'mail']),
  });
});

test.each<[string, ZoneWork, ZoneWork, ZoneWork]>([
  ['a reload swallows names that come later', reload, names('www'), reload],
  ['a reload swallows names that came before', names('www'), reload, reload],
  ['a deletion ends everything', names('www'), gone, gone],
  ['a deletion ends a reload', reload, gone, gone],
  ['names after a deletion are looked up', gone, names('www'), reload],
  ['a reload after a deletion is looked up', gone, reload, reload],
])('work of one zone: %s', (_, before, next, merged) => expect(mergeWork(before, next)).toEqual(merged));

test('work of one zone becomes a reload when it would keep too many names in memory', () => {
  const many = names(...Array.from({ length: 4_000 }, (_, at) => `n${at}`));
  const more = names(...Array.from({ length: 2_000 }, (_, at) => `m${at}`));
  expect(mergeWork(many, more)).toEqual(reload);
  expect(mergeWork(undefined, many)).toEqual(many);
});

test('work of one zone is small with the names of some challenges', () => {
  expect(isSmall(names('_acme-challenge'))).toBe(true);
  expect(isSmall(names(...Array.from({ length: 21 }, (_, at) => `n${at}`)))).toBe(false);
  expect(isSmall(reload)).toBe(false);
});

const row = { ...emptyRow('a.test', 'z1'), version: 'v1', serial: 1, engineSerial: 1, isExact: true, isDirty: false };

test.each([
  ['a zone with contents takes changed names', row, true],
  ['a zone without contents is read as a whole', { ...row, engineSerial: null }, false],
  ['a zone of the same name with another id is read as a whole', { ...row, id: 'z0' }, false],
  ['a zone without a row is read as a whole', undefined, false],
])('%s', (_, known, expected) => expect(canApply(known, 'z1')).toBe(expected));

const listed = new Map([['a.test', head]]);
const plan = (known: KnownZone | undefined) =>
  planList(listed, new Map(known === undefined ? [] : [['a.test', known]]), new Set(['a.test']));

test.each([
  ['new', undefined],
  ['at another version', { ...row, version: 'v0' }],
  ['known by another id', { ...row, id: 'z0' }],
  ['dirty', { ...row, isDirty: true }],
  ['known by single changes only', { ...row, isExact: false }],
  ['missing in the list before', { ...row, unlisted: { reason: 'many', since: 0 } as const }],
  ['without contents', { ...row, engineSerial: null }],
])('a list leads to a reload of a zone that is %s', (_, known) => expect(plan(known).reload).toEqual([head]));

test('a list leaves a zone alone that is as the list says', () => expect(plan(row).reload).toEqual([]));

test('a list shows the zones that are missing in it', () => {
  expect(planList(new Map(), new Map(), new Set(['a.test'])).missing).toEqual(['a.test']);
});

test('the wait of a retry doubles up to its limit, half of it at random', () => {
  const waits = [1, 2, 3, 20, 2_000].map((attempts) => retryDelay(attempts, 1_000, 300_000, () => 1));
  expect(waits).toEqual([1_000, 2_000, 4_000, 300_000, 300_000]);
  expect(retryDelay(1, 1_000, 300_000, () => 0)).toBe(500);
});

test.each([
  [1, 2, true],
  [2, 2, false],
  [3, 2, false],
  [4_294_967_295, 1, true],
  [1, 4_294_967_295, false],
])('serial %d is earlier than %d: %s', (one, other, expected) => expect(isLater(other, one)).toBe(expected));

const a = address('www');
const aaaa = { name: 'www', type: 'AAAA', ttl: 60, rdata: ['2001:db8::1'] };
const mail = address('mail');

test.each<[string, readonly [(typeof a)[], (typeof a)[]], string[]]>([
  [
    'nothing, if both are the same',
    [
      [a, aaaa],
      [aaaa, a],
    ],
    [],
  ],
  ['a name that is missing', [[a, mail], [a]], ['mail']],
  ['a name too many', [[a], [a, mail]], ['mail']],
  ['another value', [[a], [address('www', '192.0.2.2')]], ['www']],
  ['another TTL', [[a], [{ ...a, ttl: 1 }]], ['www']],
  ['a value more', [[address('www', '192.0.2.1', '192.0.2.2')], [a]], ['www']],
  ['a type that is missing', [[a, aaaa], [a]], ['www']],
  ['a type too many', [[a], [a, aaaa]], ['www']],
])('the difference of two zones is %s', (_, [served, held], expected) => {
  const { names: differing, sets } = diffZones(byName(served), held);
  expect(differing).toEqual(expected);
  // All RRsets of a name that differs: the commit replaces the name.
  expect(sets).toEqual(served.filter(({ name }) => expected.includes(name)));
});

test('the position is the latest cursor before which no work is open', () => {
  const position = new FeedProgress();
  expect(position.reached()).toBeNull();
  position.mark('c0', 0);
  const one = position.open();
  position.mark('c1', 1);
  const two = position.open();
  position.mark('c2', 2);
  position.mark('c3', 3);
  expect(position.reached()?.cursor).toBe('c0');
  position.close(two);
  expect(position.reached()?.cursor).toBe('c0');
  position.close(one);
  expect(position.reached()).toMatchObject({ cursor: 'c3', at: 3 });
});

test('the position advances while later work is open', () => {
  const position = new FeedProgress();
  const one = position.open();
  position.mark('c1', 1);
  position.open();
  position.mark('c2', 2);
  position.close(one);
  expect(position.reached()?.cursor).toBe('c1');
});

test('the position keeps few cursors in memory, and the newest of them', () => {
  const position = new FeedProgress();
  const first = position.open();
  for (let at = 0; at < 10_000; at++) {
    position.close(position.open());
    position.mark(`c${at}`, at);
  }
  position.close(first);
  expect(position.reached()?.cursor).toBe('c9999');
});

test('the position forgets cursors that no longer count', () => {
  const position = new FeedProgress();
  position.mark('c1', 1);
  position.forget();
  expect(position.reached()).toBeNull();
});

test('names that were applied are known at the same version only', () => {
  const recent = new RecentNames();
  recent.applied('a.test', 'v1', ['www']);
  recent.applied('a.test', 'v1', ['mail']);
  expect([recent.has('a.test', 'v1', 'www'), recent.has('a.test', 'v1', 'mail')]).toEqual([true, true]);
  expect([recent.has('a.test', 'v1', 'ftp'), recent.has('a.test', 'v2', 'www')]).toEqual([false, false]);
  recent.applied('a.test', 'v2', ['ftp']);
  expect([recent.has('a.test', 'v2', 'ftp'), recent.has('a.test', 'v2', 'www')]).toEqual([true, false]);
});

test('names that were applied are all of a zone that was read', () => {
  const recent = new RecentNames();
  recent.applied('a.test', 'v1', null);
  recent.applied('a.test', 'v1', ['www']);
  expect(recent.has('a.test', 'v1', 'ftp')).toBe(true);
  recent.forget('a.test');
  expect(recent.has('a.test', 'v1', 'ftp')).toBe(false);
});

test('names that were applied are forgotten for the zone that changed longest ago, or that has too many', () => {
  const recent = new RecentNames();
  for (let at = 0; at <= 1_000; at++) recent.applied(`z${at}`, 'v1', ['www']);
  expect([recent.has('z0', 'v1', 'www'), recent.has('z1', 'v1', 'www')]).toEqual([false, true]);
  recent.applied(
    'z1',
    'v1',
    Array.from({ length: 1_001 }, (_, at) => `n${at}`),
  );
  expect(recent.has('z1', 'v1', 'www')).toBe(false);
});

const good = {
  isListed: true,
  isCaughtUp: true,
  wasReady: true,
  upMs: 3_600_000,
  limitMs: 300_000,
  behindMs: 0,
  feedProblem: null,
  isEngineUp: true,
  loading: 0,
  loadingMs: 0,
  stalledMs: 0,
  loadLimitMs: 600_000,
  stateProblem: null,
  failing: 0,
};
const fresh = { ...good, isCaughtUp: false, wasReady: false, upMs: 1_000 };
const away = { feedProblem: 'unreachable' };

test.each([
  ['ready', good, true],
  ['ready with failing zones', { ...good, failing: 3 }, true],
  ['ready for as long as the api is down', { ...good, ...away, behindMs: 86_400_000 }, true],
  ['ready when it is far behind, as all nodes are after a large import', { ...good, behindMs: 3_600_000 }, true],
  ['ready when its state cannot be stored', { ...good, stateProblem: 'disk full' }, true],
  ['not ready without a list', { ...good, isListed: false }, false],
  ['not ready without the name server', { ...good, isEngineUp: false }, false],
  ['not ready while its name server loads zones', { ...good, loading: 1, loadingMs: 599_000 }, false],
  ['ready after the longest wait for zones', { ...good, loading: 1, loadingMs: 600_000 }, true],
  ['not ready while one large zone loads', { ...good, loading: 1, loadingMs: 299_000, stalledMs: 299_000 }, false],
  ['ready when no zone was loaded for long', { ...good, loading: 9, loadingMs: 400_000, stalledMs: 300_000 }, true],
  ['not ready after a start until it caught up', { ...fresh, upMs: 299_000 }, false],
  ['ready after a start as soon as it caught up', { ...fresh, isCaughtUp: true }, true],
  ['ready after a start that takes too long', { ...fresh, upMs: 300_000 }, true],
  ['not ready after a start before it has tried to reach the api', { ...fresh, ...away, upMs: 9_000 }, false],
  ['ready after a start without the api', { ...fresh, ...away, upMs: 10_000 }, true],
  ['not ready after a start without zones and the api', { ...fresh, ...away, isListed: false }, false],
])('a node is %s', (_, facts, ok) => expect(readiness(facts).ok).toBe(ok));

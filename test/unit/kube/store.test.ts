// The cache: atomic replacement, no return to older state, and the calls of handlers.
import { expect, test } from 'vitest';
import { createStore, trimObject } from '#kube/cache/store.ts';
import { compareResourceVersions } from '#kube/objects/resource.ts';
import { createLogger } from '#telemetry/log.ts';
import { type Widget, widget } from '../../support/kube/fake-apiserver.ts';

const log = createLogger({ name: 'test', level: 'silent' });

function setUp() {
  const store = createStore<Widget>({
    log,
    indexes: { byColor: (object) => (object.spec?.color === undefined ? [] : [object.spec.color]) },
  });
  const told: string[] = [];
  store.onChange((key, kind, initial, object, old) => {
    const versions = old ? `${old.metadata.resourceVersion}→` : '';
    told.push(`${initial ? 'initial ' : ''}${kind} ${key} ${versions}${object.metadata.resourceVersion}`);
  });
  return { store, told };
}

test('a list fills the cache and reports initial adds', () => {
  const { store, told } = setUp();
  expect(store.hasSynced()).toBe(false);
  store.replace([widget('a', '1'), widget('b', '2')]);
  expect(store.hasSynced()).toBe(true);
  expect(store.keys()).toEqual(['default/a', 'default/b']);
  expect(told).toEqual(['initial add default/a 1', 'initial add default/b 2']);
});

test('a list is in sync when there is nothing at all', () => {
  const { store } = setUp();
  store.replace([]);
  expect(store.hasSynced()).toBe(true);
});

test('a list that is repeated reports only the differences, deletions included', () => {
  const { store, told } = setUp();
  store.replace([widget('same', '1'), widget('changed', '2'), widget('gone', '3')]);
  told.length = 0;
  store.replace([widget('same', '1'), widget('changed', '5'), widget('new', '6')]);
  expect(told).toEqual(['delete default/gone 3', 'update default/changed 2→5', 'add default/new 6']);
});

test('a list with another uid under a known name is a delete and then an add', () => {
  const { store, told } = setUp();
  store.replace([widget('a', '1', { uid: 'first' })]);
  told.length = 0;
  store.replace([widget('a', '9', { uid: 'second' })]);
  expect(told).toEqual(['delete default/a 1', 'add default/a 9']);
});

test('a list is complete in the cache before any handler is called', () => {
  const { store } = setUp();
  const seen: number[] = [];
  store.onChange(() => seen.push(store.size));
  store.replace([widget('a', '1'), widget('b', '2'), widget('c', '3')]);
  expect(seen).toEqual([3, 3, 3]);
});

test('a list older than our own write does not undo it', () => {
  const { store, told } = setUp();
  store.replace([widget('a', '5')]);
  store.observed(widget('a', '8'));
  told.length = 0;
  store.replace([widget('a', '5')]);
  expect(store.get('default/a')?.metadata.resourceVersion).toBe('8');
  expect(told).toEqual([]);
});

test('a list that is trusted wins although it looks older: the server was restored from a backup', () => {
  const { store } = setUp();
  store.replace([widget('a', '500')]);
  store.replace([widget('a', '300')], true);
  expect(store.get('default/a')?.metadata.resourceVersion).toBe('300');
});

test('events of a watch add, update and delete, the last with the last known state', () => {
  const { store, told } = setUp();
  store.replace([]);
  store.upsert(widget('a', '1'));
  store.upsert(widget('a', '2'));
  store.remove(widget('a', '3'));
  expect(told).toEqual(['add default/a 1', 'update default/a 1→2', 'delete default/a 3']);
  expect(store.get('default/a')).toBeUndefined();
});

test('events of a watch that are older than the cached object change nothing', () => {
  const { store, told } = setUp();
  store.replace([widget('a', '10')]);
  told.length = 0;
  store.upsert(widget('a', '9'));
  expect(store.get('default/a')?.metadata.resourceVersion).toBe('10');
  expect(told).toEqual([]);
});

test('events of a watch for a new object with the same name are a delete and an add', () => {
  const { store, told } = setUp();
  store.replace([widget('a', '1', { uid: 'first' })]);
  told.length = 0;
  store.upsert(widget('a', '7', { uid: 'second' }));
  expect(told).toEqual(['delete default/a 1', 'add default/a 7']);
  store.remove(widget('a', '8', { uid: 'first' }));
  expect(store.get('default/a')?.metadata.uid).toBe('second');
});

test('events of a watch reach the other handlers when one of them throws', () => {
  const { store, told } = setUp();
  store.onChange(() => {
    throw new Error('broken handler');
  });
  store.replace([widget('a', '1')]);
  expect(told).toEqual(['initial add default/a 1']);
});

test('events of a watch that happened before are reported to a handler that is added later', () => {
  const { store } = setUp();
  store.replace([widget('a', '1')]);
  const late: string[] = [];
  const stop = store.onChange((key, kind, initial) => late.push(`${kind} ${key} ${initial}`));
  expect(late).toEqual(['add default/a true']);
  stop();
  store.upsert(widget('a', '2'));
  expect(late).toHaveLength(1);
});

test('the answer of our own write is in the cache at once, and its watch event then changes nothing', () => {
  const { store, told } = setUp();
  store.replace([widget('a', '1')]);
  told.length = 0;
  expect(store.observed(widget('a', '4'))).toBe(true);
  store.upsert(widget('a', '4'));
  expect(told).toEqual(['update default/a 1→4']);
});

test('the answer of our own write never restores an object whose deletion was seen first', () => {
  const { store } = setUp();
  store.replace([widget('a', '1')]);
  store.remove(widget('a', '3'));
  expect(store.observed(widget('a', '2'))).toBe(false);
  expect(store.size).toBe(0);
});

test('the answer of our own write does not replace another object of that name, nor a newer state, nor one that cannot be compared', () => {
  const { store } = setUp();
  store.replace([widget('a', '5', { uid: 'second' })]);
  expect(store.observed(widget('a', '9', { uid: 'first' }))).toBe(false);
  expect(store.observed(widget('a', '4', { uid: 'second' }))).toBe(false);
  expect(store.observed(widget('a', 'opaque', { uid: 'second' }))).toBe(false);
});

test('indexes of the cache find objects by value and follow changes, deletions and lists', () => {
  const { store } = setUp();
  const red = () => store.byIndex('byColor', 'red').map((object) => object.metadata.name);
  store.replace([widget('a', '1', { color: 'red' }), widget('b', '2', { color: 'red' }), widget('c', '3')]);
  expect(red()).toEqual(['a', 'b']);
  store.upsert(widget('a', '4', { color: 'blue' }));
  expect(red()).toEqual(['b']);
  store.remove(widget('b', '5', { color: 'red' }));
  expect(red()).toEqual([]);
  store.replace([widget('d', '6', { color: 'red' })]);
  expect(red()).toEqual(['d']);
});

test('indexes of the cache that do not exist throw a TypeError', () => {
  expect(() => setUp().store.byIndex('bySize', 'big')).toThrow(TypeError);
});

test('the cache keeps objects without managedFields and last-applied-configuration', () => {
  const object = {
    ...widget('a', '1'),
    metadata: {
      ...widget('a', '1').metadata,
      managedFields: [{ manager: 'kubectl' }],
      annotations: { 'kubectl.kubernetes.io/last-applied-configuration': '{}', keep: 'me' },
    },
  };
  const trimmed = trimObject(object);
  expect(trimmed.metadata).not.toHaveProperty('managedFields');
  expect(trimmed.metadata.annotations).toEqual({ keep: 'me' });
});

test('the cache compares resourceVersions as whole numbers of any length, and nothing else', () => {
  expect(compareResourceVersions('9', '10')).toBeLessThan(0);
  expect(compareResourceVersions('18446744073709551616', '18446744073709551615')).toBeGreaterThan(0);
  expect(compareResourceVersions('7', '7')).toBe(0);
  expect(compareResourceVersions('7', 'a7')).toBeUndefined();
  expect(compareResourceVersions('07', '7')).toBeUndefined();
  expect(compareResourceVersions(undefined, '7')).toBeUndefined();
});

// The number of namespaces with objects.
import { expect, test } from 'vitest';
import { createNamespaceCount } from '#kube/cache/namespaces.ts';
import { createStore } from '#kube/cache/store.ts';
import type { KubeObject } from '#kube/objects/resource.ts';
import { createLogger } from '#telemetry/log.ts';

const log = createLogger({ name: 'test', level: 'silent' });
const object = (namespace: string, name = 'x') =>
  ({ metadata: { namespace, name, uid: `${namespace}/${name}`, resourceVersion: '1' } }) as KubeObject;

function twoCaches() {
  const zones = createStore<KubeObject>({ log });
  const records = createStore<KubeObject>({ log });
  zones.replace([object('a'), object('b')]);
  return { zones, records, count: createNamespaceCount([zones, records]) };
}

test('the number of namespaces counts each namespace once, and a new one as soon as its first object is in a cache', () => {
  const { records, count } = twoCaches();
  expect(count()).toBe(2);
  for (const [namespace, name] of [
    ['b', 'x'],
    ['c', 'x'],
    ['c', 'y'],
  ] as const)
    records.upsert(object(namespace, name));
  expect(count()).toBe(3);
});

test('the number of namespaces counts a namespace until its last object is gone', () => {
  const { zones, records, count } = twoCaches();
  records.replace([object('b'), object('c', 'x'), object('c', 'y')]);
  zones.remove(object('b'));
  records.remove(object('c', 'x'));
  expect(count()).toBe(3);
  // A changed object is still one object.
  records.upsert({ ...object('c', 'y'), metadata: { ...object('c', 'y').metadata, resourceVersion: '2' } });
  records.replace([object('b')]);
  expect(count()).toBe(2);
});

// One cache filled from two namespaces.
import { expect, test } from 'vitest';
import { createShare } from '#kube/cache/shares.ts';
import { createStore } from '#kube/cache/store.ts';
import { createLogger } from '#telemetry/log.ts';
import { type Widget, widget } from '../../support/kube/fake-apiserver.ts';

const inNamespace = (namespace: string, name: string, version: string): Widget => {
  const object = widget(name, version);
  return { ...object, metadata: { ...object.metadata, namespace, uid: `${namespace}-${name}` } };
};

test('a list of one namespace keeps the objects of the other', () => {
  const store = createStore<Widget>({ log: createLogger({ name: 'test', level: 'silent' }) });
  const [a, b] = [createShare(store, 'a'), createShare(store, 'b')];
  const seen: string[] = [];
  store.onChange((key, kind) => seen.push(`${kind} ${key}`));
  a.filling.replace([inNamespace('a', 'one', '1'), inNamespace('a', 'two', '2')]);
  expect([a.hasSynced(), b.hasSynced()]).toEqual([true, false]);
  b.filling.replace([inNamespace('b', 'one', '3')]);
  expect(b.hasSynced()).toBe(true);
  a.filling.replace([inNamespace('a', 'two', '2')]);
  expect(store.keys().sort()).toEqual(['a/two', 'b/one']);
  expect(seen).toEqual(['add a/one', 'add a/two', 'add b/one', 'delete a/one']);
});

test('namespaces with a common prefix are distinct', () => {
  const store = createStore<Widget>({ log: createLogger({ name: 'test', level: 'silent' }) });
  createShare(store, 'team').filling.replace([inNamespace('team', 'x', '1')]);
  createShare(store, 'team-b').filling.replace([inNamespace('team-b', 'x', '2')]);
  createShare(store, 'team').filling.replace([]);
  expect(store.keys()).toEqual(['team-b/x']);
});

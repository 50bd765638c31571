// One cache that several watches fill, one per namespace, for a process that may not see other namespaces.
import { type KubeObject, keyOf } from '../objects/resource.ts';
import type { CacheStore } from './store.ts';

/** The changes that a reflector makes to a cache. */
export type Filling<T extends KubeObject> = Pick<CacheStore<T>, 'trim' | 'upsert' | 'remove' | 'replace'>;

export interface CacheShare<T extends KubeObject> {
  readonly filling: Filling<T>;
  /** True once the first list of this namespace is in. */
  hasSynced(): boolean;
}

/** The part of one namespace: a complete list of it keeps the objects of other namespaces in the cache. */
export function createShare<T extends KubeObject>(store: CacheStore<T>, namespace: string): CacheShare<T> {
  let isSynced = false;
  const isOurs = (key: string) => key.startsWith(`${namespace}/`);
  return {
    filling: {
      trim: (object) => store.trim(object),
      upsert: (object) => store.upsert(object),
      remove: (object) => store.remove(object),
      replace: (objects, isTrusted) => {
        const others = store.list().filter((object) => !isOurs(keyOf(object)));
        store.replace([...others, ...objects], isTrusted);
        isSynced = true;
      },
    },
    hasSynced: () => isSynced,
  };
}

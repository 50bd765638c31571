// One cache filled by several watches, one a namespace, for a process that may not see the others. It must not know what is
// cached.
import { type KubeObject, keyOf } from './resource.ts';
import type { CacheStore } from './store.ts';

/** What a reflector does to a cache. */
export type Filling<T extends KubeObject> = Pick<CacheStore<T>, 'upsert' | 'remove' | 'replace'>;

export interface Share<T extends KubeObject> {
  readonly filling: Filling<T>;
  /** True once the first list of this namespace is in. */
  hasSynced(): boolean;
}

/** The share of one namespace: a whole list of it leaves what the cache has of the others. */
export function shareOf<T extends KubeObject>(store: CacheStore<T>, namespace: string): Share<T> {
  let synced = false;
  const isOurs = (key: string) => key.startsWith(`${namespace}/`);
  return {
    filling: {
      upsert: (object) => store.upsert(object),
      remove: (object) => store.remove(object),
      replace: (objects, trusted) => {
        const others = store.list().filter((object) => !isOurs(keyOf(object)));
        store.replace([...others, ...objects], trusted);
        synced = true;
      },
    },
    hasSynced: () => synced,
  };
}

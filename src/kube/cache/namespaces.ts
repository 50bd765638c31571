// How many namespaces have objects of some kinds: each of them may want to write at any time.
import type { Clock } from '#base/clock.ts';
import type { KubeObject } from '../objects/resource.ts';
import type { Cache } from './store.ts';

/** Counting reads every object, and a number that is some seconds old is right enough. */
const COUNT_EVERY_MS = 5_000;

/** Counts the namespaces of all objects in the caches, at most every 5 s. */
export function createNamespaceCount(caches: readonly Pick<Cache<KubeObject>, 'list'>[], clock: Clock): () => number {
  let count = 0;
  let next = Number.NEGATIVE_INFINITY;
  return () => {
    if (clock.now() < next) return count;
    next = clock.now() + COUNT_EVERY_MS;
    count = new Set(caches.flatMap((cache) => cache.list().map(({ metadata }) => metadata.namespace))).size;
    return count;
  };
}

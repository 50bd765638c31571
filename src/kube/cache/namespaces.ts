// How many namespaces have objects of some kinds: each of them may want to write at any time.
import type { KubeObject } from '../objects/resource.ts';
import type { Cache } from './store.ts';

/**
 * Counts the namespaces of all objects in the caches. The number follows each change of a cache at once: the objects of
 * other namespaces that arrived just before a flood have their places too.
 */
export function createNamespaceCount(caches: readonly Pick<Cache<KubeObject>, 'onChange'>[]): () => number {
  const objects = new Map<string, number>();
  for (const cache of caches) {
    cache.onChange((_key, kind, _initial, { metadata: { namespace = '' } }) => {
      if (kind === 'update') return;
      const remainingCount = (objects.get(namespace) ?? 0) + (kind === 'add' ? 1 : -1);
      if (remainingCount > 0) objects.set(namespace, remainingCount);
      else objects.delete(namespace);
    });
  }
  return () => objects.size;
}

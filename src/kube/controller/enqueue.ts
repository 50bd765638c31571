// Adds the keys of changed objects to a work queue.
import type { Cache } from '../cache/store.ts';
import type { KubeObject } from '../objects/resource.ts';
import { LOW_PRIORITY, type WorkQueue } from './queue.ts';

/**
 * Adds each object that is new, edited, annotated or deleted, for as long as the process lives. An edit resets the
 * back-off. The controller's own writes of the status are ignored: they arrive as updates of the same generation. The
 * objects of the first list have a low priority.
 * @param isUrgent whether an object of the first list has none. (Default: false.)
 */
export function enqueueOnChange<T extends KubeObject>(
  cache: Cache<T>,
  queue: WorkQueue,
  isUrgent: (object: T) => boolean = () => false,
): void {
  cache.onChange((key, kind, initial, object, old) => {
    const isEdited =
      old?.metadata.generation !== object.metadata.generation ||
      old?.metadata.deletionTimestamp !== object.metadata.deletionTimestamp;
    const hasNewAnnotations = JSON.stringify(old?.metadata.annotations) !== JSON.stringify(object.metadata.annotations);
    if (kind === 'update' && !isEdited && !hasNewAnnotations) return;
    if (!initial) queue.forget(key);
    queue.add(key, initial && !isUrgent(object) ? { priority: LOW_PRIORITY } : {});
  });
}

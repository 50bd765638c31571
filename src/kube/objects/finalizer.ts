// Finalizers: ours is added before the first external effect and removed when no effect is left.
//
// A merge patch replaces the whole list, so it carries the resourceVersion at which the list was read. After a change
// by another client it answers 409, which is thrown so that the queue runs the key again with a fresh cache.
import type { KubeApi } from '../api/api.ts';
import { isNotFound } from '../api/errors.ts';
import type { KubeObject, ResourceType } from './resource.ts';

export function hasFinalizer(object: KubeObject, finalizer: string): boolean {
  return object.metadata.finalizers?.includes(finalizer) ?? false;
}

/** True as soon as the deletion was requested. */
export function isDeleting(object: KubeObject): boolean {
  return object.metadata.deletionTimestamp !== undefined;
}

/**
 * Returns the object with the finalizer; makes no call when the finalizer is already there.
 * @throws {KubeError} 409 when the object changed.
 */
export async function addFinalizer<T extends KubeObject>(
  api: KubeApi,
  type: ResourceType,
  object: T,
  finalizer: string,
  signal?: AbortSignal,
): Promise<T> {
  if (hasFinalizer(object, finalizer)) return object;
  const finalizers = [...(object.metadata.finalizers ?? []), finalizer];
  return await patchFinalizers(api, type, object, finalizers, signal);
}

/**
 * Removes the finalizer, which lets the deletion continue. Returns undefined when the object is gone; makes no call
 * when the finalizer is not there.
 * @throws {KubeError} 409 when the object changed.
 */
export async function removeFinalizer<T extends KubeObject>(
  api: KubeApi,
  type: ResourceType,
  object: T,
  finalizer: string,
  signal?: AbortSignal,
): Promise<T | undefined> {
  if (!hasFinalizer(object, finalizer)) return object;
  const otherFinalizers = object.metadata.finalizers?.filter((name) => name !== finalizer) ?? [];
  try {
    return await patchFinalizers(api, type, object, otherFinalizers, signal);
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

function patchFinalizers<T extends KubeObject>(
  api: KubeApi,
  type: ResourceType,
  object: T,
  finalizers: readonly string[],
  signal: AbortSignal | undefined,
): Promise<T> {
  const { resourceVersion, uid } = object.metadata;
  return api.merge<T>(type, object.metadata, { metadata: { uid, resourceVersion, finalizers } }, {}, signal);
}

// Finalizers: ours is on before the first outside effect and off when nothing of it is left. It must not know what is
// cleaned up.
//
// A merge patch replaces the whole list, so it carries the resourceVersion that the list was read at: a change by somebody
// else in between answers 409, which is thrown so that the queue runs the key again from a fresh cache.
import type { KubeApi } from './api.ts';
import { isNotFound } from './errors.ts';
import type { KubeObject, ResourceType } from './resource.ts';

export function hasFinalizer(object: KubeObject, finalizer: string): boolean {
  return object.metadata.finalizers?.includes(finalizer) ?? false;
}

/** True from the moment somebody asked for the deletion. */
export function isDeleting(object: KubeObject): boolean {
  return object.metadata.deletionTimestamp !== undefined;
}

/**
 * The object with the finalizer on it, and in the same write the annotations; no call when it is there already.
 * @throws {KubeError} 409 when it changed.
 */
export async function addFinalizer<T extends KubeObject>(
  api: KubeApi,
  type: ResourceType,
  object: T,
  finalizer: string,
  signal?: AbortSignal,
  annotations?: Readonly<Record<string, string>>,
): Promise<T> {
  if (hasFinalizer(object, finalizer)) return object;
  const finalizers = [...(object.metadata.finalizers ?? []), finalizer];
  return await patchFinalizers(api, type, object, finalizers, signal, annotations);
}

/**
 * Takes the finalizer off, which lets the deletion go on. Undefined when the object is gone; no call when the finalizer
 * is not there. @throws {KubeError} 409 when the object changed.
 */
export async function removeFinalizer<T extends KubeObject>(
  api: KubeApi,
  type: ResourceType,
  object: T,
  finalizer: string,
  signal?: AbortSignal,
): Promise<T | undefined> {
  if (!hasFinalizer(object, finalizer)) return object;
  const left = object.metadata.finalizers?.filter((name) => name !== finalizer) ?? [];
  try {
    return await patchFinalizers(api, type, object, left, signal);
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
  annotations?: Readonly<Record<string, string>>,
): Promise<T> {
  const { resourceVersion, uid } = object.metadata;
  const metadata = { uid, resourceVersion, finalizers, ...(annotations === undefined ? {} : { annotations }) };
  return api.merge<T>(type, object.metadata, { metadata }, {}, signal);
}

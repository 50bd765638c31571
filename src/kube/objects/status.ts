// Writes the status of an object, and only if it differs.
import type { KubeApi } from '../api/api.ts';
import { type Condition, conditionsEqual } from './conditions.ts';
import type { KubeObject, ResourceType } from './resource.ts';

interface Status {
  readonly conditions: readonly Condition[];
}

/**
 * Writes the status if it differs from the status of the object. Uid and resource version keep it from another object
 * of the same name, and from an object that changed.
 * @returns the object as written; the same object if its status does not differ
 * @throws {KubeError} 409 when the object changed or is another one
 */
export async function writeStatus<S extends Status, T extends KubeObject & { readonly status?: S }>(
  api: KubeApi,
  type: ResourceType,
  object: T,
  status: S,
  { fieldManager, signal }: { fieldManager: string; signal: AbortSignal },
): Promise<T> {
  if (isSameStatus(object.status, status)) return object;
  return await api.replaceStatus<T>(type, { metadata: object.metadata, status }, { fieldManager }, signal);
}

function isSameStatus(old: Status | undefined, next: Status): boolean {
  if (old === undefined) return false;
  const { conditions: before, ...oldRest } = old;
  const { conditions: after, ...nextRest } = next;
  return conditionsEqual(before, after) && stable(oldRest) === stable(nextRest);
}

/** JSON with sorted keys and without undefined values. */
function stable(value: unknown): string {
  return JSON.stringify(value, (_key, inner) =>
    inner !== null && typeof inner === 'object' && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}

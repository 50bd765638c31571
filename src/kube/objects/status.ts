// Writes the status of an object as one merge patch, and only if it differs.
import type { KubeApi } from '../api/api.ts';
import { type Condition, conditionsEqual } from './conditions.ts';
import type { KubeObject, ResourceType } from './resource.ts';

interface Status {
  readonly conditions: readonly Condition[];
}

/**
 * Writes the status if it differs from the status of the object. The resource version keeps the status from another object of the
 * same name: kube-apiserver ignores the uid in a patch of the status.
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
  const { resourceVersion } = object.metadata;
  const patch = { metadata: { resourceVersion }, status: mergePatch(object.status, status) };
  return await api.merge<T>(type, object.metadata, patch, { subresource: 'status', fieldManager }, signal);
}

/** The merge patch (RFC 7396) with all of `next`, and null for each field that only `old` has. */
function mergePatch(old: unknown, next: unknown): unknown {
  if (!isFields(next)) return next;
  const before = isFields(old) ? old : {};
  const fields = [...new Set([...Object.keys(before), ...Object.keys(next)])];
  return Object.fromEntries(
    fields.map((field) => [field, next[field] === undefined ? null : mergePatch(before[field], next[field])]),
  );
}

function isFields(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
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

// The writes of objects at the API server: status and finalizer. The cache learns each written object at once.
import { conditionsEqual } from '#kube/objects/conditions.ts';
import { addFinalizer, removeFinalizer } from '#kube/objects/finalizer.ts';
import { FIELD_MANAGER, FINALIZER } from '#resources/names.ts';
import type { Reconciled, Run, Status } from './run.ts';

/**
 * Writes the status if it differs from the status of the object, and keeps the written object in the run. The resource version
 * keeps the status from another object of the same name: kube-apiserver ignores the uid in a patch of the status.
 * @throws KubeError 409 when the object changed or is another one; the queue then runs it again
 */
export async function writeStatus<T extends Reconciled<S>, S extends Status>(run: Run<T, S>, status: S): Promise<void> {
  if (isSameStatus(run.object.status, status)) return;
  const { resourceVersion } = run.object.metadata;
  const patch = { metadata: { resourceVersion }, status: mergePatch(run.object.status, status) };
  const { context, signal } = run;
  const options = { subresource: 'status', fieldManager: FIELD_MANAGER };
  const written = await context.api.merge<T>(run.type, run.object.metadata, patch, options, signal);
  see(run, written);
}

/** The merge patch (RFC 7396) with all of `next`, and null for each field that only `old` has. */
export function mergePatch(old: unknown, next: unknown): unknown {
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

/**
 * Adds the finalizer of the operator. Writes nothing if the object has the finalizer.
 * @throws KubeError 409 when the object changed; the queue then runs it again
 */
export async function addOwnFinalizer<T extends Reconciled<S>, S extends Status>(run: Run<T, S>): Promise<void> {
  const { context, object, signal } = run;
  const held = await addFinalizer(context.api, run.type, object, FINALIZER, signal);
  if (held !== object) see(run, held);
}

/** Removes the finalizer, so that Kubernetes can delete the object. */
export async function dropFinalizer<T extends Reconciled<S>, S extends Status>(run: Run<T, S>): Promise<void> {
  const { context, object, signal } = run;
  const left = await removeFinalizer(context.api, run.type, object, FINALIZER, signal);
  if (left && left.metadata.deletionTimestamp === undefined) see(run, left);
}

function see<T extends Reconciled<S>, S extends Status>(run: Run<T, S>, written: T): void {
  run.cache.observed(written);
  run.object = written;
}

// The writes of objects at the API server: status and finalizer. The cache learns each written object at once.
import { conditionsEqual } from '#kube/objects/conditions.ts';
import { addFinalizer, removeFinalizer } from '#kube/objects/finalizer.ts';
import { FIELD_MANAGER, FINALIZER } from '#resources/names.ts';
import type { Reconciled, Run, Status } from './run.ts';

/**
 * Writes the status if it differs from the status of the object, and keeps the written object in the run. With the uid in the
 * request, the write fails for an object that was deleted and created again in the meantime: a ledger must never reach another
 * object.
 */
export async function writeStatus<T extends Reconciled<S>, S extends Status>(run: Run<T, S>, status: S): Promise<void> {
  if (isSameStatus(run.object.status, status)) return;
  const { name, namespace, uid } = run.object.metadata;
  const draft = { metadata: { name, namespace, uid }, status } as never;
  const { context, signal } = run;
  const written = await context.api.applyStatus<T>(run.type, draft, { fieldManager: FIELD_MANAGER }, signal);
  see(run, written);
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
 * Adds the finalizer of the operator, and sets the annotations in the same write. Writes nothing if the object has the finalizer.
 * @throws KubeError 409 when the object changed; the queue then runs it again
 */
export async function addOwnFinalizer<T extends Reconciled<S>, S extends Status>(
  run: Run<T, S>,
  annotations?: Readonly<Record<string, string>>,
): Promise<void> {
  const { context, object, signal } = run;
  const held = await addFinalizer(context.api, run.type, object, FINALIZER, signal, annotations);
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

// The only caller of the reconcilers of both kinds (architecture A12). It reads the object, lets the kind decide, maps
// a failure, and then writes the outcome: the status once, or the end of the finalizer. Events and observations follow,
// and the queue learns the next run.

import type { Cache } from '#kube/cache/store.ts';
import type { Reconcile, ReconcileContext, ReconcileResult } from '#kube/controller/controller.ts';
import { type Condition, findCondition } from '#kube/objects/conditions.ts';
import { addFinalizer, isDeleting, removeFinalizer } from '#kube/objects/finalizer.ts';
import type { ResourceType } from '#kube/objects/resource.ts';
import { writeStatus as patchStatus } from '#kube/objects/status.ts';
import type { DNSZone } from '#resources/dnszone.ts';
import { FIELD_MANAGER, FINALIZER } from '#resources/names.ts';
import type { OperatorContext } from '../access/context.ts';
import { type ConditionAnswer, conditionsWith, readyEvent, readyFrom, sinceCreation } from './conditions.ts';
import { type Failure, failed, toReconcileResult } from './failures.ts';
import type { Answers, Reconciled, Run, RunOutcome, Status } from './run.ts';

/** The differences between the kinds. All functions but `decide` are pure. */
export interface ReconcilerKind<T extends Reconciled<S>, S extends Status> {
  readonly type: ResourceType;
  readonly cache: Cache<T>;
  /** Decides and acts at the service. @throws the errors of calls */
  decide(run: Run<T, S>): Promise<RunOutcome<S>>;
  /** The part of the outcome of a failed run that differs between the kinds. */
  failed(run: Run<T, S>, failure: Failure): Partial<RunOutcome<S>>;
  /** The zone whose API key the run uses. */
  zoneOf(object: T): DNSZone | undefined;
  /** Fields of every status. */
  fieldsOf(object: T): Partial<S>;
  /** The answers that a status with these fields has in addition. */
  answersOf(fields: Partial<S>): Answers;
  /** The result for Ready when all others are True. */
  readonly ready: ConditionAnswer;
  /** Runs the object again when the service answers again. */
  onRecovery(key: string): void;
  /** The run of a key whose object no longer exists. */
  gone(key: string, control: ReconcileContext): ReconcileResult | Promise<ReconcileResult>;
}

export function createReconciler<T extends Reconciled<S>, S extends Status>(
  context: OperatorContext,
  kind: ReconcilerKind<T, S>,
): Reconcile {
  return async (key, control) => {
    const object = kind.cache.get(key);
    if (!object) return kind.gone(key, control);
    const run: Run<T, S> = {
      context,
      type: kind.type,
      cache: kind.cache,
      object,
      fields: {},
      answers: null,
      events: [],
      observations: [],
      signal: control.signal,
      call: { signal: control.signal, requestId: control.reconcileId },
      // Made on first use, because most runs log nothing.
      get log() {
        return control.log;
      },
    };
    try {
      const outcome = await decideOutcome(kind, run);
      if (outcome.wakesZone !== undefined) context.enqueueZone(outcome.wakesZone);
      await write(kind, run, outcome);
      return toReconcileResult(outcome.next, () => kind.onRecovery(key));
    } finally {
      // Also after a failure: the steps before it have had their effect.
      for (const event of run.events) context.events.record(run.object, event);
      for (const observation of run.observations)
        context.observer.observe(run.type.kind, observation, object.metadata.uid);
    }
  };
}

async function decideOutcome<T extends Reconciled<S>, S extends Status>(
  kind: ReconcilerKind<T, S>,
  run: Run<T, S>,
): Promise<RunOutcome<S>> {
  try {
    return await kind.decide(run);
  } catch (error) {
    const { context } = run;
    const { failure, next } = failed(context, error, kind.zoneOf(run.object));
    const runResult = run.answers === null ? kind.failed(run, failure) : { answers: run.answers };
    const { until } = failure;
    const time =
      until === null
        ? {}
        : { nextAttemptTime: new Date(context.now().getTime() + until - context.clock.now()).toISOString() };
    const fields = { ...time, ...runResult.fields } as Partial<S>;
    return { next, ...runResult, fields };
  }
}

async function write<T extends Reconciled<S>, S extends Status>(
  kind: ReconcilerKind<T, S>,
  run: Run<T, S>,
  outcome: RunOutcome<S>,
): Promise<void> {
  if (outcome.isReleased) await dropFinalizer(run);
  if (outcome.answers === undefined) return;
  const before = run.object.status?.conditions;
  const status = statusWith(kind, run, outcome, outcome.answers);
  await writeRunStatus(run, status);
  const event = readyEvent(before, findCondition(status.conditions, 'Ready') as Condition);
  if (event === null) return;
  const reportedEvent = { ...event, action: isDeleting(run.object) ? 'Delete' : 'Reconcile' };
  // In the order of cause and effect: the cause why an object is not Ready, the actions, and their success.
  if (event.type === 'Warning') run.events.unshift(reportedEvent);
  else run.events.push(reportedEvent);
}

/** Pure. */
function statusWith<T extends Reconciled<S>, S extends Status>(
  kind: ReconcilerKind<T, S>,
  { object, fields, context }: Run<T, S>,
  outcome: RunOutcome<S>,
  decidedAnswers: Answers,
): S {
  const { nextAttemptTime: _old, ...before } = object.status ?? { conditions: [] };
  const generation = object.metadata.generation ?? 0;
  const after = { ...before, ...kind.fieldsOf(object), ...fields, ...outcome.fields } as Partial<S>;
  // Ready does not include Delegated, because private zones have no parent that delegates to them. It does not include
  // Healthy either: with a check, a record is served as it should be while an address fails.
  const { Delegated: _apart, Healthy: _health, ...summarizedAnswers } = decidedAnswers;
  const ready = decidedAnswers.Ready ?? readyFrom(Object.values(summarizedAnswers) as ConditionAnswer[], kind.ready);
  const answers = { ...kind.answersOf(after), ...decidedAnswers, Ready: ready };
  const conditions = sinceCreation(
    conditionsWith(object.status?.conditions, answers, generation, context.now()),
    object.metadata.creationTimestamp,
  );
  return { ...after, observedGeneration: generation, conditions } as unknown as S;
}

/**
 * Writes the status if it differs from that of the object, and keeps the written object in the run.
 * @throws KubeError 409 when the object changed or is another one; the queue then runs it again
 */
export async function writeRunStatus<T extends Reconciled<S>, S extends Status>(
  run: Run<T, S>,
  status: S,
): Promise<void> {
  const { context, type, object, signal } = run;
  see(run, await patchStatus(context.api, type, object, status, { fieldManager: FIELD_MANAGER, signal }));
}

/**
 * Adds the finalizer of the operator. Writes nothing if the object has the finalizer.
 * @throws KubeError 409 when the object changed; the queue then runs it again
 */
export async function addOwnFinalizer<T extends Reconciled<S>, S extends Status>(run: Run<T, S>): Promise<void> {
  see(run, await addFinalizer(run.context.api, run.type, run.object, FINALIZER, run.signal));
}

/** Removes the finalizer, so that Kubernetes can delete the object. */
async function dropFinalizer<T extends Reconciled<S>, S extends Status>(run: Run<T, S>): Promise<void> {
  const updatedObject = await removeFinalizer(run.context.api, run.type, run.object, FINALIZER, run.signal);
  if (updatedObject && updatedObject.metadata.deletionTimestamp === undefined) see(run, updatedObject);
}

/** The cache learns each written object at once. */
function see<T extends Reconciled<S>, S extends Status>(run: Run<T, S>, writtenObject: T): void {
  if (writtenObject === run.object) return;
  run.cache.observed(writtenObject);
  run.object = writtenObject;
}

// One run of the reconciler of a zone or of a record, and its outcome, as data. The steps of a run (look, decide, act,
// prove) add facts to it and write nothing but the values at the service; run/reconciler.ts writes the rest.

import type { Cache } from '#kube/cache/store.ts';
import type { EventToRecord } from '#kube/events/events.ts';
import type { Condition } from '#kube/objects/conditions.ts';
import type { KubeObject, ResourceType } from '#kube/objects/resource.ts';
import type { DNSRecord, RecordStatus } from '#resources/dnsrecord.ts';
import type { DNSZone, ZoneStatus } from '#resources/dnszone.ts';
import type { EventReason } from '#resources/reasons.ts';
import type { Logger } from '#telemetry/log.ts';
import type { OperatorContext } from '../access/context.ts';
import type { AnyAnswer, ConditionAnswer, HealthyAnswer } from './conditions.ts';
import type { Observation } from './observation.ts';

export interface Status {
  readonly conditions: readonly Condition[];
  readonly nextAttemptTime?: string | undefined;
}

export interface Reconciled<S extends Status> extends KubeObject {
  readonly status?: S;
}

/**
 * The results of a run by the type of their condition. Without an explicit result, Ready summarizes those of the run.
 */
export type Answers = Readonly<Record<string, AnyAnswer | null>> & {
  readonly Ready?: ConditionAnswer;
  /** Null: the object has no check. */
  readonly Healthy?: HealthyAnswer | null;
};

/** When to look again. Without a time, a change of the object or of another one causes the next run. */
export type Next =
  | { readonly afterMs?: number }
  /** After a delay that grows with each failure, or when the service answers again. */
  | { readonly failed: unknown };

export interface RunOutcome<S extends Status> {
  /** Absent: the status remains as it is. */
  readonly answers?: Answers | undefined;
  /** Fields to set in the status; undefined removes a field. */
  readonly fields?: Partial<S>;
  /** Nothing at the service depends on the object any more: Kubernetes may delete it. */
  readonly isReleased?: boolean;
  /** The key of a DNSZone that must run too. */
  readonly wakesZone?: string;
  readonly next: Next;
}

export interface Run<T extends Reconciled<S>, S extends Status> {
  readonly context: OperatorContext;
  readonly type: ResourceType;
  readonly cache: Cache<T>;
  /** The object as last read or written. */
  object: T;
  /** Fields of the status that are known by now. They are written together with the answers, also after a failure. */
  fields: Partial<S>;
  /** The answers once they are decided. They are written also when a later step of the run fails. */
  answers: Answers | null;
  readonly events: EventToRecord<EventReason>[];
  readonly observations: Observation[];
  /** Aborts at the time limit of the run, and when the process stops. */
  readonly signal: AbortSignal;
  /** The options of each call to the service. `requestId` is the id of the run. */
  readonly call: { readonly signal: AbortSignal; readonly requestId: string };
  readonly log: Logger;
}

export type RecordRun = Run<DNSRecord, RecordStatus>;
export type ZoneRun = Run<DNSZone, ZoneStatus>;
export type RecordOutcome = RunOutcome<RecordStatus>;
export type ZoneOutcome = RunOutcome<ZoneStatus>;

// The dependencies of the reconcilers, which run/main.ts assembles, and the steps that both reconcilers share.
import type { Client } from '#client/client.ts';
import type { Dispatcher } from '#client/pace/dispatcher.ts';
import type { KubeApi } from '#kube/api/api.ts';
import type { Cache } from '#kube/cache/store.ts';
import type { EventRecorder } from '#kube/events/events.ts';
import { conditionsEqual, findCondition } from '#kube/objects/conditions.ts';
import { addFinalizer, removeFinalizer } from '#kube/objects/finalizer.ts';
import { type KubeObject, keyOf, type ResourceType } from '#kube/objects/resource.ts';
import type { Condition } from '#resources/common.ts';
import type { DNSRecord } from '#resources/dnsrecord.ts';
import type { DNSZone } from '#resources/dnszone.ts';
import { FIELD_MANAGER, FINALIZER } from '#resources/names.ts';
import type { EventReason, NotReadyReason } from '#resources/reasons.ts';
import type { ParentLookup } from '../proof/delegated.ts';
import type { Propagation } from '../proof/propagation.ts';
import type { Seal } from '../record/creation-annotation.ts';
import type { OrphanSweep } from '../record/orphan-sweep.ts';
import type { Answer } from '../run/conditions.ts';
import type { Observer } from '../run/metrics.ts';
import type { Neighbours } from './claims.ts';
import type { Credentials } from './credentials.ts';
import type { LabelsOf } from './grants.ts';

export interface OperatorContext {
  api: KubeApi;
  client: Client;
  dispatcher: Dispatcher;
  events: EventRecorder<EventReason>;
  /** Connections to the service with other API keys than the operator's own, which `client` uses. */
  credentials: Credentials;
  /** Null when no resolver is configured to find parent zones with. */
  lookUpParent: ParentLookup | null;
  propagation: Propagation;
  observer: Observer;
  zones: Cache<DNSZone>;
  records: Cache<DNSRecord>;
  namespaces: Cache<KubeObject>;
  /** Adds the key to the work queue. */
  enqueueZone(key: string): void;
  enqueueRecord(key: string): void;
  /** Adds the key to the work queue when the service, which is unavailable, answers again. */
  enqueueZoneOnRecovery(key: string): void;
  enqueueRecordOnRecovery(key: string): void;
  /** Returns the team of the API key as an owner: `org:<teamId>`, or `personal`. */
  owner(signal: AbortSignal): Promise<string>;
  now(): Date;
  /** Signs the text that the operator keeps in annotations, which users can edit. */
  seal: Seal;
  /** Returns the id of this cluster in the marks of records; undefined until it is known. */
  cluster(): string | undefined;
  /** Whether the operator sees the objects of a namespace. */
  watches(namespace: string): boolean;
  orphans: OrphanSweep;
  /** Returns a new unique text for an Idempotency-Key. */
  nonce(): string;
}

/** The names of the indexes of the caches. */
export const BY_ZONE = 'zone';
export const BY_ZONE_NAME = 'zoneName';
export const BY_ZONE_ABOVE = 'zoneAbove';
export const BY_RECORD_ID = 'recordId';

/** Returns the other DNSZones, which decide with the object whether it may have its name. */
export function neighboursOf({ zones }: Pick<OperatorContext, 'zones'>): Neighbours {
  return {
    named: (name) => zones.byIndex(BY_ZONE_NAME, name),
    below: (name) => zones.byIndex(BY_ZONE_ABOVE, name),
  };
}

/** The text that marks a zone at the service as managed by the object. The mark of a record is in record/orphans.ts. */
export function markOf(object: DNSZone): string {
  return `DNSZone ${keyOf(object)}`;
}

export function labelsIn({ namespaces }: Pick<OperatorContext, 'namespaces'>): LabelsOf {
  return (name) => {
    const found = namespaces.get(name);
    return found && (found.metadata.labels ?? {});
  };
}

interface WithStatus extends KubeObject {
  readonly status?: { readonly conditions?: readonly Condition[] };
}

/**
 * Writes the status if it differs from the status of the object. With the uid in the request, the write fails for an object
 * that was deleted and created again in the meantime: a ledger must never reach another object.
 * @returns the current object
 */
export async function writeStatus<T extends WithStatus>(
  context: Pick<OperatorContext, 'api'>,
  cache: Cache<T>,
  type: ResourceType,
  object: T,
  status: NonNullable<T['status']>,
  signal: AbortSignal,
): Promise<T> {
  if (isSameStatus(object.status, status)) return object;
  const { name, namespace, uid } = object.metadata;
  const draft = { metadata: { name, namespace, uid }, status } as never;
  const written = await context.api.applyStatus<T>(type, draft, { fieldManager: FIELD_MANAGER }, signal);
  cache.observed(written);
  return written;
}

function isSameStatus(old: WithStatus['status'], next: WithStatus['status']): boolean {
  if (old === undefined || next === undefined) return false;
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
 * Returns the object with the finalizer of the operator, and sets the annotations when it adds the finalizer.
 * @throws KubeError 409 when the object changed; the queue then runs it again
 */
export async function withFinalizer<T extends KubeObject>(
  context: Pick<OperatorContext, 'api'>,
  cache: Cache<T>,
  type: ResourceType,
  object: T,
  signal: AbortSignal,
  annotations?: Readonly<Record<string, string>>,
): Promise<T> {
  const held = await addFinalizer(context.api, type, object, FINALIZER, signal, annotations);
  if (held !== object) cache.observed(held);
  return held;
}

/** Removes the finalizer, so that Kubernetes can delete the object. */
export async function dropFinalizer<T extends KubeObject>(
  context: Pick<OperatorContext, 'api'>,
  cache: Cache<T>,
  type: ResourceType,
  object: T,
  signal: AbortSignal,
): Promise<void> {
  const left = await removeFinalizer(context.api, type, object, FINALIZER, signal);
  if (left && left.metadata.deletionTimestamp === undefined) cache.observed(left);
}

/** Reasons that end without action by a user. A condition is enough to report them; they cause no Event. */
const WITHOUT_EVENT: ReadonlySet<string> = new Set<NotReadyReason>([
  'AwaitingPropagation',
  'ZoneNotReady',
  'ZoneParked',
  'RateLimited',
  'ZoneBusy',
  'APIUnavailable',
  'APIError',
]);

/**
 * Records an Event for each change of Ready, and one for each new reason that a user must act on, also for an object that was
 * never Ready. Call it after the condition was written. @param before the previous conditions
 */
export function recordReadyEvent(
  { events }: Pick<OperatorContext, 'events'>,
  object: KubeObject,
  before: readonly Condition[] | undefined,
  { status, reason, message }: Answer,
): void {
  const was = findCondition(before, 'Ready');
  const isReady = status === 'True';
  const isReportable =
    isReady || was?.status === 'True' ? isReady !== (was?.status === 'True') : needsAction(was, reason);
  if (isReportable)
    events.record(object, { type: isReady ? 'Normal' : 'Warning', reason, action: 'Reconcile', note: message });
}

function needsAction(was: Condition | undefined, reason: string): boolean {
  return !WITHOUT_EVENT.has(reason) && was?.reason !== reason;
}

// What the reconcilers work with, handed in by main.ts; and the few steps that both take.
import type { Client } from '../client/client.ts';
import type { Dispatcher } from '../client/dispatcher.ts';
import type { KubeApi } from '../kube/api.ts';
import { conditionsEqual, findCondition } from '../kube/conditions.ts';
import type { EventRecorder } from '../kube/events.ts';
import { addFinalizer, removeFinalizer } from '../kube/finalizer.ts';
import { type KubeObject, keyOf, type ResourceType } from '../kube/resource.ts';
import type { Cache } from '../kube/store.ts';
import type { Credentials } from './credentials.ts';
import type { LookAtParent } from './delegated.ts';
import type { LabelsOf } from './grants.ts';
import type { Observer } from './metrics.ts';
import { FIELD_MANAGER, FINALIZER } from './names.ts';
import type { Propagation } from './propagation.ts';
import type { Seal } from './record-birth.ts';
import type { Condition } from './resources/common.ts';
import type { DNSRecord } from './resources/dnsrecord.ts';
import type { DNSZone } from './resources/dnszone.ts';
import type { NotReadyReason } from './resources/reasons.ts';
import type { Answer } from './verdicts.ts';
import type { Neighbours } from './zone-claims.ts';

/** Of core/v1, as far as grants look at it. */
export const NAMESPACE: ResourceType = {
  group: '',
  version: 'v1',
  plural: 'namespaces',
  kind: 'Namespace',
  namespaced: false,
};

export interface House {
  api: KubeApi;
  client: Client;
  dispatcher: Dispatcher;
  events: EventRecorder;
  /** Ways to the service with other API keys than the operator's own, which is `client`. */
  credentials: Credentials;
  /** Null: no resolver is configured to find parent zones with. */
  parents: LookAtParent | null;
  propagation: Propagation;
  observer: Observer;
  zones: Cache<DNSZone>;
  records: Cache<DNSRecord>;
  namespaces: Cache<KubeObject>;
  /** Runs the reconciler soon. */
  wakeZone(key: string): void;
  wakeRecord(key: string): void;
  /** Runs the reconciler when the service, which is away, answers again. */
  wakeZoneWithService(key: string): void;
  wakeRecordWithService(key: string): void;
  /** The team of the operator's key, as an owner: `org:<teamId>`. */
  owner(signal: AbortSignal): Promise<string>;
  now(): Date;
  /** Of what the operator writes down where others can write as well. */
  seal: Seal;
  /** A fresh text for an Idempotency-Key. */
  nonce(): string;
}

/** Indexes of the caches. */
export const BY_ZONE = 'zone';
export const BY_ZONE_NAME = 'zoneName';
export const BY_ZONE_ABOVE = 'zoneAbove';
export const BY_RECORD_ID = 'recordId';

/** The DNSZones that one of them is judged beside. */
export function neighboursOf({ zones }: Pick<House, 'zones'>): Neighbours {
  return {
    named: (name) => zones.byIndex(BY_ZONE_NAME, name),
    below: (name) => zones.byIndex(BY_ZONE_ABOVE, name),
  };
}

/** What the service remembers beside all that is written for the object. */
export function markOf(kind: 'DNSZone' | 'DNSRecord', object: KubeObject): string {
  return `${kind} ${keyOf(object)}`;
}

export function labelsIn({ namespaces }: Pick<House, 'namespaces'>): LabelsOf {
  return (name) => {
    const found = namespaces.get(name);
    return found && (found.metadata.labels ?? {});
  };
}

interface WithStatus extends KubeObject {
  readonly status?: { readonly conditions?: readonly Condition[] };
}

/**
 * Writes the status when it differs from what the object has. The uid makes it fail for an object that was deleted and
 * made anew meanwhile: a ledger must never reach another object.
 * @returns the object as it is now
 */
export async function writeStatus<T extends WithStatus>(
  house: Pick<House, 'api'>,
  cache: Cache<T>,
  type: ResourceType,
  object: T,
  status: NonNullable<T['status']>,
  signal: AbortSignal,
): Promise<T> {
  if (isSameStatus(object.status, status)) return object;
  const { name, namespace, uid } = object.metadata;
  const draft = { metadata: { name, namespace, uid }, status } as never;
  const written = await house.api.applyStatus<T>(type, draft, { fieldManager: FIELD_MANAGER }, signal);
  cache.observed(written);
  return written;
}

function isSameStatus(old: WithStatus['status'], next: WithStatus['status']): boolean {
  if (old === undefined || next === undefined) return false;
  const { conditions: before, ...oldRest } = old;
  const { conditions: after, ...nextRest } = next;
  return conditionsEqual(before, after) && stable(oldRest) === stable(nextRest);
}

/** JSON with sorted keys and without what is undefined. */
function stable(value: unknown): string {
  return JSON.stringify(value, (_key, inner) =>
    inner !== null && typeof inner === 'object' && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}

/** The object with our finalizer on it, and these annotations when it is put on now. @throws KubeError 409 when it changed: the queue runs it again */
export async function withFinalizer<T extends KubeObject>(
  house: Pick<House, 'api'>,
  cache: Cache<T>,
  type: ResourceType,
  object: T,
  signal: AbortSignal,
  annotations?: Readonly<Record<string, string>>,
): Promise<T> {
  const held = await addFinalizer(house.api, type, object, FINALIZER, signal, annotations);
  if (held !== object) cache.observed(held);
  return held;
}

/** Lets the deletion of the object go on. */
export async function letGo<T extends KubeObject>(
  house: Pick<House, 'api'>,
  cache: Cache<T>,
  type: ResourceType,
  object: T,
  signal: AbortSignal,
): Promise<void> {
  const left = await removeFinalizer(house.api, type, object, FINALIZER, signal);
  if (left && left.metadata.deletionTimestamp === undefined) cache.observed(left);
}

/** Reasons of what passes by itself, or is on its way: a condition is enough for them. */
const PASSING: ReadonlySet<string> = new Set<NotReadyReason>([
  'AwaitingPropagation',
  'ZoneNotReady',
  'ZoneParked',
  'RateLimited',
  'ZoneBusy',
  'APIUnavailable',
  'APIError',
]);

/**
 * An Event for a change of Ready, and for what somebody has to mend, once for each new reason: also of an object that never was
 * Ready. To be called after the condition was written. @param before the conditions until then
 */
export function tellOfReady(
  { events }: Pick<House, 'events'>,
  object: KubeObject,
  before: readonly Condition[] | undefined,
  { status, reason, message }: Answer,
): void {
  const was = findCondition(before, 'Ready');
  const isReady = status === 'True';
  const isNews = isReady || was?.status === 'True' ? isReady !== (was?.status === 'True') : isToMend(was, reason);
  if (isNews)
    events.record(object, { type: isReady ? 'Normal' : 'Warning', reason, action: 'Reconcile', note: message });
}

function isToMend(was: Condition | undefined, reason: string): boolean {
  return !PASSING.has(reason) && was?.reason !== reason;
}

// Deletes a DNSZone: treats the zone at the service according to the policy, and then removes the finalizer. The
// operator does not delete a zone that contains records which no DNSRecord owns, or records of other namespaces.

import { ApiError, isAbsent } from '#client/errors.ts';
import { readOwnerPages, readRecordPages } from '#client/lists.ts';
import * as zoneApi from '#contract/operations/zones.ts';
import { parseZoneName } from '#dns/names/name.ts';
import { findCondition } from '#kube/objects/conditions.ts';
import { hasFinalizer } from '#kube/objects/finalizer.ts';
import { splitKey } from '#kube/objects/resource.ts';
import { deletionWaits, MAX_NAMED } from '#resources/deletion.ts';
import { DNS_ZONE, type DNSZone } from '#resources/dnszone.ts';
import { DELETION_BLOCKED, ETCD_RESTORED, FINALIZER, FORCE_DELETE, RELEASE_MANY } from '#resources/names.ts';
import type { NotReadyReason } from '#resources/reasons.ts';
import { isKept, isManaged } from '../access/claims.ts';
import { requireCluster } from '../access/context.ts';
import { connectionForDeletion, type ServiceConnection } from '../access/credentials.ts';
import { NAME_RETRY_MS, nameTaken } from '../cluster/name.ts';
import { buildClusterPrefix, keyIn } from '../record/owner.ts';
import { no, yes } from '../run/conditions.ts';
import type { Failure } from '../run/failures.ts';
import type { Answers, ZoneOutcome, ZoneRun } from '../run/run.ts';
import { CRD_DELETED, MANY_DELETED, type ZoneBrake } from './brake.ts';
import { repeatCreation, sendForZone } from './create.ts';

const BLOCKED_RETRY_MS = 5_000;
const REMEDY = `The zone remains at the DNS service, and its records are served. To delete it, annotate this object with ${RELEASE_MANY}=true. To keep it without this object, set spec.deletionPolicy: Retain.`;
const MANY_WORDS = `More than half of all DNSZones were deleted at once, or more than 5 % soon after the operator started. ${REMEDY}`;
const RESTORED_WORDS = `etcd was restored from a backup, and no owner has accepted the older objects with "zonestead clusters accept-older". ${REMEDY}`;
const CRD_WORDS = `The CRD of DNSZones is being deleted. ${REMEDY}`;
/** The number of records in one response. */
const PAGE = 200;

/** @throws errors of the service and of the API server */
export async function reconcileDeletion(run: ZoneRun, brake: ZoneBrake): Promise<ZoneOutcome> {
  const { context, object, signal } = run;
  if (!hasFinalizer(object, FINALIZER)) return { next: {} };
  // The object may not delete a zone that it only observed, or that it was refused from the start.
  const has = isManaged(object) || object.status?.intent !== undefined;
  if (!has || isKept(object)) return { isReleased: true, next: {} };
  const nameConflict = nameTaken(context, object);
  if (nameConflict) return { answers: blocked(object, 'ClusterNameTaken', nameConflict.message), next: {} };
  if (context.isNameTaken(object) === undefined) return { next: { afterMs: NAME_RETRY_MS } };
  const isPermitted = object.metadata.annotations?.[RELEASE_MANY] === 'true';
  // Nothing ends the deletion of a CRD, so only the annotation or a change of the spec causes the next run.
  if (!isPermitted && (await context.isKindDeleted(DNS_ZONE, signal)))
    return { answers: blocked(object, DELETION_BLOCKED, CRD_WORDS, CRD_DELETED), next: {} };
  const isRestored = context.isEtcdRestored(object);
  if (isRestored === undefined && !isPermitted) return { next: { afterMs: NAME_RETRY_MS } };
  // The acceptance causes the next run, and so does the annotation.
  if (isRestored && !isPermitted)
    return { answers: blocked(object, DELETION_BLOCKED, RESTORED_WORDS, ETCD_RESTORED), next: {} };
  const may = brake.mayDelete(object, context.zones.list(), context.held.isStarting());
  if (typeof may === 'number') return { next: { afterMs: may } };
  // The annotation that permits the deletion causes the next run.
  if (!may) return { answers: blocked(object, DELETION_BLOCKED, MANY_WORDS, MANY_DELETED), next: {} };
  const service = await connectionForDeletion(context, object, object.status?.zoneId, signal);
  const zoneId = isManaged(object) ? object.status?.zoneId : await announced(run, service);
  const obstacle = zoneId === undefined ? null : await deleteAtService(run, service, zoneId);
  if (obstacle === null) {
    brake.deleted(object);
    return { isReleased: true, next: {} };
  }
  return { answers: blocked(object, DELETION_BLOCKED, obstacle), next: { afterMs: BLOCKED_RETRY_MS } };
}

export function failedDeletion({ object }: ZoneRun, { kind, reason, message }: Failure): Partial<ZoneOutcome> {
  const hint = kind === 'key' ? ' To keep the zone there instead, set spec.deletionPolicy: Retain.' : '';
  const words = `The operator cannot delete the zone at the DNS service yet. ${message}${hint}`;
  return { answers: blocked(object, reason, words) };
}

function blocked(
  { status }: DNSZone,
  reason: NotReadyReason,
  message: string,
  why: 'ForeignRecords' | typeof MANY_DELETED | typeof CRD_DELETED | typeof ETCD_RESTORED = 'ForeignRecords',
): Answers {
  const ready = no(reason, message);
  // A condition of its own allows `kubectl wait --for=condition=DeletionBlocked` and an alert.
  if (reason === DELETION_BLOCKED) return { Ready: ready, [DELETION_BLOCKED]: yes(why, message) };
  const wasBlocked = findCondition(status?.conditions, DELETION_BLOCKED) !== undefined;
  return wasBlocked ? { Ready: ready, [DELETION_BLOCKED]: ready } : { Ready: ready };
}

/** Returns the id of a zone whose creation was sent, but whose response was lost. */
async function announced(run: ZoneRun, service: ServiceConnection): Promise<string | undefined> {
  const intent = run.object.status?.intent;
  const createdZone = intent && (await repeatCreation(run, service, intent));
  return createdZone && !(createdZone instanceof ApiError) ? createdZone.id : undefined;
}

/** @returns why the zone is not deleted, or null when it no longer exists */
async function deleteAtService(run: ZoneRun, service: ServiceConnection, zoneId: string): Promise<string | null> {
  const { object } = run;
  const { client } = service;
  try {
    const zone = await client.call(zoneApi.getZone, { params: { id: zoneId } }, run.call);
    const name = parseZoneName(object.spec.zoneName);
    // An id in a status must never lead to another zone.
    if (!name.ok || zone.zoneName !== name.value) return null;
    if (object.metadata.annotations?.[FORCE_DELETE] !== 'true') {
      const { own, others } = await ownedRecords(run, service, zoneId);
      const unownedNames = await unownedRecords(run, service, zoneId, own);
      const waits = deletionWaits({ unowned: unownedNames, ofOthers: others.size });
      if (waits !== null) return waits;
    }
    await sendForZone(run, service, zoneId, (options) =>
      client.call(zoneApi.deleteZone, { params: { id: zoneId } }, options),
    );
    run.context.held.zoneDeleted(zoneId);
    return null;
  } catch (error) {
    if (isAbsent(error)) return null;
    throw error;
  }
}

interface Owned {
  /** The ids of the records of this cluster's DNSRecords, without those that a deleted DNSRecord left with Retain. */
  readonly own: ReadonlySet<string>;
  /** The keys of the DNSRecords of other namespaces that have records in the zone. */
  readonly others: ReadonlySet<string>;
}

async function ownedRecords(
  { context, object, call }: ZoneRun,
  { client }: ServiceConnection,
  zoneId: string,
): Promise<Owned> {
  const cluster = requireCluster(context);
  const ownIds = new Set<string>();
  const others = new Set<string>();
  for await (const page of readOwnerPages(client, zoneId, { prefix: buildClusterPrefix(cluster) }, call)) {
    for (const { owner, retain, records } of page) {
      const key = keyIn(owner, cluster);
      if (key === undefined) continue;
      const { namespace = '' } = splitKey(key);
      const exists = context.records.get(key) !== undefined || !context.watches(namespace);
      if (retain && !exists) continue;
      if (exists && records.length > 0 && namespace !== object.metadata.namespace) others.add(key);
      for (const { id } of records) ownIds.add(id);
    }
  }
  return { own: ownIds, others };
}

/** Returns the first names and types of records with other ids; a zone may contain any number of records. */
async function unownedRecords(
  run: ZoneRun,
  { client }: ServiceConnection,
  zoneId: string,
  ownIds: ReadonlySet<string>,
): Promise<readonly string[]> {
  const otherNames = new Set<string>();
  for await (const page of readRecordPages(client, zoneId, {}, PAGE, run.call)) {
    for (const { id, name, type } of page) if (!ownIds.has(id)) otherNames.add(`${name} ${type}`);
    if (otherNames.size > MAX_NAMED) break;
  }
  return [...otherNames];
}

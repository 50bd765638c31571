// Adds keys to the work queues when an object in a cache changes: the object itself, and the objects that depend on it. A
// change only triggers a run; the run reads the state again.

import type { Cache } from '#kube/cache/store.ts';
import { LOW_PRIORITY, type WorkQueue } from '#kube/controller/queue.ts';
import { findCondition } from '#kube/objects/conditions.ts';
import { hasFinalizer, isDeleting } from '#kube/objects/finalizer.ts';
import { type KubeObject, keyOf } from '#kube/objects/resource.ts';
import { isChallenge } from '#resources/challenge.ts';
import type { DNSRecord } from '#resources/dnsrecord.ts';
import type { DNSZone } from '#resources/dnszone.ts';
import { CREATION_ANNOTATION, FINALIZER } from '#resources/names.ts';
import { zoneKeyOf, zoneNameIndex } from '#resources/zone-ref.ts';
import { zonesAboveIndex } from '../access/claims.ts';
import { BY_ZONE, BY_ZONE_ABOVE, BY_ZONE_NAME } from '../access/context.ts';
import { BY_CONTESTED_ZONE, isBlockedByOther } from '../record/indexes.ts';
import type { OrphanSweep } from '../record/orphan-sweep.ts';

export interface Triggers {
  zones: Cache<DNSZone>;
  records: Cache<DNSRecord>;
  namespaces: Cache<KubeObject>;
  zoneQueue: WorkQueue;
  recordQueue: WorkQueue;
  orphans: Pick<OrphanSweep, 'gone'>;
}

/** Connects the caches to the queues, for as long as the process lives. */
export function connectTriggers({ zones, records, namespaces, zoneQueue, recordQueue, orphans }: Triggers): void {
  enqueueOnChange(zones, zoneQueue);
  enqueueOnChange(records, recordQueue, isChallenge);
  zones.onChange((key, kind, initial, object, old) => {
    if (kind === 'delete' || (kind === 'update' && !isSameClaim(object, old))) enqueueBlocked(zones, zoneQueue, object);
    if (initial || (kind === 'update' && !affectsRecords(object, old))) return;
    for (const record of records.byIndex(BY_ZONE, key)) recordQueue.add(keyOf(record));
  });
  // The serial and the number of records in the status of a zone follow its records after a delay, once for many changes.
  records.onChange((_key, kind, initial, object, old) => {
    if (initial || kind === 'add' || (kind === 'update' && ledgerText(object) === ledgerText(old))) return;
    zoneQueue.addAfter(zoneKeyOf(object), REFRESH_MS);
  });
  // An object can disappear without its cleanup if somebody removed the finalizer.
  records.onChange((_key, kind, initial, object) => {
    if (kind === 'delete' && !initial && orphans.gone(object)) zoneQueue.addAfter(zoneKeyOf(object), ORPHANS_MS);
  });
  // The run adds a finalizer again that somebody removed.
  records.onChange((key, kind, _initial, object, old) => {
    const lost = old !== undefined && hasFinalizer(old, FINALIZER) && !hasFinalizer(object, FINALIZER);
    if (kind === 'update' && lost && !isDeleting(object)) recordQueue.add(key);
  });
  // Another object may wait for a value that this object has given up.
  records.onChange((key, kind, _initial, object, old) => {
    if (kind === 'add' || (kind === 'update' && !gaveUpValue(object, old))) return;
    for (const record of records.byIndex(BY_CONTESTED_ZONE, zoneKeyOf(object))) {
      if (keyOf(record) !== key) recordQueue.add(keyOf(record));
    }
  });
  namespaces.onChange((key, _kind, initial) => {
    if (initial) return;
    for (const record of records.list()) if (record.metadata.namespace === key) recordQueue.add(keyOf(record));
    for (const zone of zones.list())
      if (zone.metadata.namespace === key || isBlockedByOther(zone)) zoneQueue.add(keyOf(zone));
  });
}

/** The delay from a change of its records to a run of the zone, in ms: long enough for many changes to cause one run. */
const REFRESH_MS = 10_000;
/** The delay from the end of an object to the search for its orphaned records, in ms. */
const ORPHANS_MS = 1_000;

/** The part of a DNSRecord that changes the zone at the service: its values, and each edit, also of the ttl alone. */
function ledgerText(record: DNSRecord | undefined): string {
  const { records, observedGeneration } = record?.status ?? {};
  return JSON.stringify([records?.filter(({ id }) => id !== undefined), observedGeneration]);
}

/** A refused zone of the same name, above or below may wait for a name or a grant that this zone has given. */
function enqueueBlocked(zones: Cache<DNSZone>, queue: WorkQueue, object: DNSZone): void {
  const key = keyOf(object);
  const [name] = zoneNameIndex(object);
  if (name === undefined) return;
  const others = [
    ...zones.byIndex(BY_ZONE_NAME, name),
    ...zones.byIndex(BY_ZONE_ABOVE, name),
    ...zonesAboveIndex(object).flatMap((above) => zones.byIndex(BY_ZONE_NAME, above)),
  ];
  for (const other of others) if (isBlockedByOther(other) && keyOf(other) !== key) queue.add(keyOf(other));
}

/** Compares the parts of a zone that other zones of its name, above it and below it depend on. */
function isSameClaim(zone: DNSZone, old: DNSZone | undefined): boolean {
  const facts = ({ spec, status }: DNSZone) =>
    JSON.stringify([
      spec.allowedRecords,
      spec.managementPolicy,
      status?.zoneId,
      findCondition(status?.conditions, 'Accepted')?.reason,
    ]);
  return old !== undefined && facts(zone) === facts(old);
}

/** An edit resets the back-off. The operator's own status writes are ignored: they arrive as updates of the same generation. */
function enqueueOnChange<T extends KubeObject>(
  cache: Cache<T>,
  queue: WorkQueue,
  isUrgent: (object: T) => boolean = () => false,
): void {
  cache.onChange((key, kind, initial, object, old) => {
    const edited =
      old?.metadata.generation !== object.metadata.generation ||
      old?.metadata.deletionTimestamp !== object.metadata.deletionTimestamp;
    const annotated = userAnnotations(old) !== userAnnotations(object);
    if (kind === 'update' && !edited && !annotated) return;
    if (!initial) queue.forget(key);
    queue.add(key, initial && !isUrgent(object) ? { priority: LOW_PRIORITY } : {});
  });
}

/** The annotations without the one that the operator writes. */
function userAnnotations(object: KubeObject | undefined): string {
  const { [CREATION_ANNOTATION]: _ours, ...annotations } = object?.metadata.annotations ?? {};
  return JSON.stringify(annotations);
}

/** Whether a part of the zone changed that its records depend on. */
function affectsRecords(zone: DNSZone, old: DNSZone | undefined): boolean {
  const facts = ({ spec, status }: DNSZone) =>
    JSON.stringify([
      status?.zoneId,
      status?.state,
      status?.defaultTtl,
      status?.nameservers,
      findCondition(status?.conditions, 'Accepted')?.status === 'False',
      spec.allowedRecords,
      spec.acme,
      spec.readyWhen,
      (status?.secondaries ?? []).flatMap(({ nameservers = [] }) => nameservers),
    ]);
  return old === undefined || facts(zone) !== facts(old);
}

/** Whether the ledger no longer has a value that it had before. */
function gaveUpValue(record: DNSRecord, old: DNSRecord | undefined): boolean {
  const values = ({ status }: DNSRecord) =>
    (status?.records ?? []).flatMap(({ id, content }) => (id ? [`${id} ${content}`] : []));
  const now = new Set(values(record));
  return old !== undefined && values(old).some((value) => !now.has(value));
}

// Adds keys to the work queues when an object in a cache changes: the object itself, and the objects that depend on it.
// A change only triggers a run; the run reads the state again.

import { isReverseName } from '#dns/reverse.ts';
import type { Cache } from '#kube/cache/store.ts';
import { enqueueOnChange } from '#kube/controller/enqueue.ts';
import type { WorkQueue } from '#kube/controller/queue.ts';
import { findCondition, isTrue } from '#kube/objects/conditions.ts';
import { type KubeObject, keyOf } from '#kube/objects/resource.ts';
import { isChallenge } from '#resources/challenge.ts';
import type { DNSRecord } from '#resources/dnsrecord.ts';
import type { DNSZone } from '#resources/dnszone.ts';
import { zoneKeyOf, zoneNameIndex } from '#resources/zone-ref.ts';
import { zonesAboveIndex } from '../access/claims.ts';
import { BY_ZONE, BY_ZONE_ABOVE, BY_ZONE_NAME } from '../access/context.ts';
import type { HeldOwners } from '../record/held.ts';
import { BY_REVERSE, contested, isBlockedByOther, REVERSE } from '../record/indexes.ts';

export interface Triggers {
  zones: Cache<DNSZone>;
  records: Cache<DNSRecord>;
  namespaces: Cache<KubeObject>;
  zoneQueue: WorkQueue;
  recordQueue: WorkQueue;
  held: HeldOwners;
}

/** Connects the caches to the queues, for as long as the process lives. */
export function connectTriggers({ zones, records, namespaces, zoneQueue, recordQueue, held }: Triggers): void {
  enqueueOnChange(zones, zoneQueue);
  enqueueOnChange(records, recordQueue, isChallenge);
  zones.onChange((key, kind, initial, object, old) => {
    if (kind === 'delete' || (kind === 'update' && !isSameClaim(object, old))) enqueueBlocked(zones, zoneQueue, object);
    if (initial || (kind === 'update' && !affectsRecords(object, old))) return;
    for (const record of records.byIndex(BY_ZONE, key)) recordQueue.add(keyOf(record));
    // Its grants decide about the PTR records of records in other zones.
    if (zoneNameIndex(object).some(isReverseName))
      for (const record of records.byIndex(BY_REVERSE, REVERSE)) recordQueue.add(keyOf(record));
  });
  // The serial and the number of records in the status of a zone follow its records after a delay, once for many
  // changes.
  records.onChange((_key, kind, initial, object, old) => {
    if (initial || kind === 'add' || (kind === 'update' && writtenText(object) === writtenText(old))) return;
    zoneQueue.addAfter(zoneKeyOf(object), REFRESH_MS);
  });
  // The run of a key without an object releases its values, in the zone that the object had.
  records.onChange((key, kind, initial, object) => {
    if (kind !== 'delete' || initial) return;
    const { zoneId } = object.status ?? {};
    if (zoneId !== undefined) held.put(key, { zoneId, zoneKey: zoneKeyOf(object) });
    held.gone(key);
  });
  // Another object may wait for a value that this object has given up.
  records.onChange((key, kind, _initial, object, old) => {
    if (kind === 'add' || (kind === 'update' && !isFreed(object, old))) return;
    for (const each of contested(records, zoneKeyOf(object), key)) recordQueue.add(each);
  });
  namespaces.onChange((key, _kind, initial) => {
    if (initial) return;
    for (const record of records.list()) if (record.metadata.namespace === key) recordQueue.add(keyOf(record));
    for (const zone of zones.list())
      if (zone.metadata.namespace === key || isBlockedByOther(zone)) zoneQueue.add(keyOf(zone));
  });
}

/**
 * The delay from a change of its records to a run of the zone, in ms: long enough for many changes to cause one run.
 */
const REFRESH_MS = 10_000;

/** The part of a DNSRecord that changes the zone at the service. */
function writtenText({ status }: DNSRecord | { status?: undefined } = {}): string {
  return JSON.stringify([status?.zoneId, status?.observedGeneration, isTrue(status?.conditions, 'Programmed')]);
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
      spec.whenClusterLost,
      (status?.secondaries ?? []).flatMap(({ nameservers = [] }) => nameservers),
    ]);
  return old === undefined || facts(zone) !== facts(old);
}

/** Whether the object had values and has none any more. */
function isFreed({ status }: DNSRecord, old: DNSRecord | undefined): boolean {
  return old?.status?.zoneId !== undefined && status?.zoneId === undefined;
}

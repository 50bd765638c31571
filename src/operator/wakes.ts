// What a change in a cache has to run: the object itself, and whoever waits for it. It must not know why they wait, nor
// decide anything from the change: a key in a queue is all that comes of it.
import { findCondition } from '../kube/conditions.ts';
import { LOW_PRIORITY, type WorkQueue } from '../kube/queue.ts';
import { type KubeObject, keyOf } from '../kube/resource.ts';
import type { Cache } from '../kube/store.ts';
import { BY_ZONE, BY_ZONE_ABOVE, BY_ZONE_NAME } from './house.ts';
import { BIRTH } from './names.ts';
import { isChallenge } from './record-create.ts';
import { BY_CONTESTED_ZONE, isLoser } from './record-indexes.ts';
import { zoneKeyOf } from './record-zone.ts';
import type { DNSRecord } from './resources/dnsrecord.ts';
import type { DNSZone } from './resources/dnszone.ts';
import { zoneNameIndex, zonesAboveIndex } from './zone-claims.ts';

export interface Wakes {
  zones: Cache<DNSZone>;
  records: Cache<DNSRecord>;
  namespaces: Cache<KubeObject>;
  zoneQueue: WorkQueue;
  recordQueue: WorkQueue;
}

/** Connects the caches to the queues, for as long as the process lives. */
export function connectWakes({ zones, records, namespaces, zoneQueue, recordQueue }: Wakes): void {
  enqueueOnChange(zones, zoneQueue);
  enqueueOnChange(records, recordQueue, isChallenge);
  zones.onChange((key, kind, initial, object, old) => {
    if (kind === 'delete' || (kind === 'update' && !isSameClaim(object, old))) wakeLosers(zones, zoneQueue, object);
    if (initial || (kind === 'update' && !concernsRecords(object, old))) return;
    for (const record of records.byIndex(BY_ZONE, key)) recordQueue.add(keyOf(record));
  });
  // Serial and number of records of a zone follow what its objects do, a moment later and once for all of them.
  records.onChange((_key, kind, initial, object, old) => {
    if (initial || kind === 'add' || (kind === 'update' && ledgerText(object) === ledgerText(old))) return;
    zoneQueue.addAfter(zoneKeyOf(object), REFRESH_MS);
  });
  // What one object let go of may be what another waits for.
  records.onChange((key, kind, _initial, object, old) => {
    if (kind === 'add' || (kind === 'update' && !gaveUp(object, old))) return;
    for (const record of records.byIndex(BY_CONTESTED_ZONE, zoneKeyOf(object))) {
      if (keyOf(record) !== key) recordQueue.add(keyOf(record));
    }
  });
  namespaces.onChange((key, _kind, initial) => {
    if (initial) return;
    for (const record of records.list()) if (record.metadata.namespace === key) recordQueue.add(keyOf(record));
    for (const zone of zones.list()) if (zone.metadata.namespace === key || isLoser(zone)) zoneQueue.add(keyOf(zone));
  });
}

/** How soon after a change of its records a zone is looked at, in ms: long enough for many changes to cost one look. */
const REFRESH_MS = 10_000;

/** What of a record the zone at the service shows: its values, and each edit, be it of the ttl alone. */
function ledgerText(record: DNSRecord | undefined): string {
  const { records, observedGeneration } = record?.status ?? {};
  return JSON.stringify([records?.filter(({ id }) => id !== undefined), observedGeneration]);
}

/** What one zone let go of, or permits now, may be what another of the name, above it or below it waits for. */
function wakeLosers(zones: Cache<DNSZone>, queue: WorkQueue, object: DNSZone): void {
  const key = keyOf(object);
  const [name] = zoneNameIndex(object);
  if (name === undefined) return;
  const others = [
    ...zones.byIndex(BY_ZONE_NAME, name),
    ...zones.byIndex(BY_ZONE_ABOVE, name),
    ...zonesAboveIndex(object).flatMap((above) => zones.byIndex(BY_ZONE_NAME, above)),
  ];
  for (const other of others) if (isLoser(other) && keyOf(other) !== key) queue.add(keyOf(other));
}

/** What of a zone others of its name, above it and below it depend on. */
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

/** An edit deserves a prompt attempt; our own status writes come back here as updates of the same generation. */
function enqueueOnChange<T extends KubeObject>(
  cache: Cache<T>,
  queue: WorkQueue,
  isUrgent: (object: T) => boolean = () => false,
): void {
  cache.onChange((key, kind, initial, object, old) => {
    const edited =
      old?.metadata.generation !== object.metadata.generation ||
      old?.metadata.deletionTimestamp !== object.metadata.deletionTimestamp;
    const annotated = theirs(old) !== theirs(object);
    if (kind === 'update' && !edited && !annotated) return;
    if (!initial) queue.forget(key);
    queue.add(key, initial && !isUrgent(object) ? { priority: LOW_PRIORITY } : {});
  });
}

/** The annotations without what we wrote ourselves. */
function theirs(object: KubeObject | undefined): string {
  const { [BIRTH]: _ours, ...annotations } = object?.metadata.annotations ?? {};
  return JSON.stringify(annotations);
}

/** What of a zone its records depend on. */
function concernsRecords(zone: DNSZone, old: DNSZone | undefined): boolean {
  const facts = ({ spec, status }: DNSZone) =>
    JSON.stringify([
      status?.zoneId,
      status?.state,
      status?.defaultTtl,
      status?.nameservers,
      findCondition(status?.conditions, 'Accepted')?.status === 'False',
      spec.allowedRecords,
      spec.acme,
    ]);
  return old === undefined || facts(zone) !== facts(old);
}

/** Whether a value that was in the ledger is not in it any more. */
function gaveUp(record: DNSRecord, old: DNSRecord | undefined): boolean {
  const values = ({ status }: DNSRecord) =>
    (status?.records ?? []).flatMap(({ id, content }) => (id ? [`${id} ${content}`] : []));
  const now = new Set(values(record));
  return old !== undefined && values(old).some((value) => !now.has(value));
}

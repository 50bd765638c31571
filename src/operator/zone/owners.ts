// Compares the owners in a zone with the DNSRecords: when the process starts or takes over, after an acceptance of
// older objects, and every ten minutes. An owner without its object is released, and an object whose records others
// changed, or whose owner is missing, runs.
//
// A DNSZone without a status whose zone has owners was restored from a backup, and its DNSRecords may follow: its first
// check releases nothing, the next one does.

import type { Clock } from '#base/clock.ts';
import { readOwnerPages } from '#client/lists.ts';
import type { OwnedSet } from '#contract/owners.ts';
import type { Zone } from '#contract/zone.ts';
import { findCondition, isTrue } from '#kube/objects/conditions.ts';
import { keyOf, splitKey } from '#kube/objects/resource.ts';
import type { DNSRecord } from '#resources/dnsrecord.ts';
import { DELETIONS_HELD, ETCD_RESTORED } from '#resources/names.ts';
import { zoneKeyOf } from '#resources/zone-ref.ts';
import { BY_ZONE, type OperatorContext, requireCluster } from '../access/context.ts';
import type { ServiceConnection } from '../access/credentials.ts';
import { buildClusterPrefix, keyIn, textOfSet } from '../record/owner.ts';
import type { ZoneRun } from '../run/run.ts';

/**
 * The time between two checks of one zone, in ms; up to a tenth is added at random to spread the checks of many zones.
 */
export const CHECK_INTERVAL_MS = 10 * 60_000;

export interface OwnerChecks {
  /** Compares the owners when a check is due. @throws errors of the service; the check is then still due */
  check(run: ZoneRun, service: ServiceConnection, zone: Zone): Promise<void>;
  /** The time until the next check, in ms. */
  dueIn(key: string): number;
  forget(key: string): void;
}

export function createOwnerChecks(clock: Clock, random: () => number): OwnerChecks {
  const dueAt = new Map<string, number>();
  return {
    check: async (run, service, zone) => {
      const { context, object } = run;
      const key = keyOf(object);
      const isFirst = !context.held.isCompared(zone.id);
      const mustCompare = isFirst || context.older.mustCompare(key);
      if (!mustCompare && (dueAt.get(key) ?? 0) > clock.now()) return;
      // A zone that was created in this run has no records.
      const isNew = isFirst && object.status?.zoneId === undefined && run.object.status?.origin === undefined;
      const isEmpty = isNew && zone.records === 0;
      const keysToRun = isEmpty ? [] : await compare(run, service, zone, { isFirst, mayRelease: !isNew });
      context.held.compared(zone.id);
      context.older.compared(key);
      dueAt.set(key, clock.now() + CHECK_INTERVAL_MS * (1 + random() / 10));
      if (isFirst) for (const record of context.records.byIndex(BY_ZONE, key)) context.enqueueRecord(keyOf(record));
      for (const each of keysToRun) {
        context.held.forgetSet(each);
        context.enqueueRecord(each);
      }
    },
    dueIn: (key) => Math.max(0, (dueAt.get(key) ?? clock.now()) - clock.now()),
    forget: (key) => void dueAt.delete(key),
  };
}

/** @returns the keys of the DNSRecords that must run */
async function compare(
  run: ZoneRun,
  { client }: ServiceConnection,
  zone: Zone,
  { isFirst, mayRelease }: { isFirst: boolean; mayRelease: boolean },
): Promise<ReadonlySet<string>> {
  const { context, call } = run;
  const zoneKey = keyOf(run.object);
  const cluster = requireCluster(context);
  const keysToRun = new Set<string>();
  const seenKeys = new Set<string>();
  // The condition is the only trace of the decision of an earlier process, which must not be undone by a restart.
  const held = findCondition(run.object.status?.conditions, DELETIONS_HELD);
  const wasHeld = isFirst && held?.status === 'True';
  const wasRestored = wasHeld && held.reason === ETCD_RESTORED;
  const noLonger = new Set(context.held.heldIn(zoneKey));
  for await (const page of readOwnerPages(client, zone.id, { prefix: buildClusterPrefix(cluster) }, call)) {
    for (const set of page) {
      const key = keyIn(set.owner, cluster);
      if (key === undefined || !context.watches(splitKey(key).namespace ?? '')) continue;
      context.held.put(key, { zoneId: zone.id, zoneKey });
      noLonger.delete(key);
      const object = context.records.get(key);
      if (!object && !mayRelease) continue;
      if (object) {
        seenKeys.add(key);
        if (isOlder(object, set)) context.older.note(key, zoneKey);
        else if (isReplaced(object, set)) context.older.noteReplaced(key, zoneKey, object.metadata.uid ?? '');
      } else if (wasRestored) context.held.holdRestored(key);
      else if (wasHeld) context.held.stillHeld(key);
      else context.held.gone(key);
      if (!object || isElsewhere(context, object, zoneKey, zone.id) || mustRun(object, set, run)) keysToRun.add(key);
      else if (!set.drifted && isFirst) context.held.confirm(key, textOfSet(zone.id, set));
    }
  }
  for (const key of noLonger) {
    context.held.drop(key, zone.id);
    context.held.back(key);
  }
  for (const object of context.records.byIndex(BY_ZONE, zoneKey)) {
    if (seenKeys.has(keyOf(object)) || !isSettled(object, zone.id)) continue;
    // If etcd was restored, the object was deleted since, and its values were released.
    context.older.noteReplaced(keyOf(object), zoneKey, object.metadata.uid ?? '');
    keysToRun.add(keyOf(object));
  }
  return keysToRun;
}

/** Whether the service has a later generation of the object. */
function isOlder({ metadata }: DNSRecord, { generation, instance }: OwnedSet): boolean {
  return instance === metadata.uid && generation !== null && generation > (metadata.generation ?? 0);
}

/** Whether the service has the values of an object that was created later under this name, and is gone. */
function isReplaced({ metadata }: DNSRecord, { instance, appliedAt }: OwnedSet): boolean {
  if (instance === null || instance === metadata.uid) return false;
  return Date.parse(metadata.creationTimestamp ?? '') < Date.parse(appliedAt);
}

/** Whether the object refers to another zone, so that its run releases this one. */
function isElsewhere({ zones }: OperatorContext, object: DNSRecord, zoneKey: string, zoneId: string): boolean {
  return zoneKeyOf(object) !== zoneKey && zones.get(zoneKeyOf(object))?.status?.zoneId !== zoneId;
}

function mustRun(object: DNSRecord, set: OwnedSet, { object: zone }: ZoneRun): boolean {
  const { uid, generation } = object.metadata;
  const policy = object.spec.driftPolicy ?? zone.spec.driftPolicy;
  // A reported difference may have been repaired since.
  const isReported = findCondition(object.status?.conditions, 'Programmed')?.reason === 'Drifted';
  return set.generation !== generation || set.instance !== uid || (set.drifted && policy !== 'Ignore') || isReported;
}

/** Whether the whole spec was written, or an earlier process found that it is older than the data of the service. */
function isSettled({ status, metadata }: DNSRecord, zoneId: string): boolean {
  const isOld = findCondition(status?.conditions, 'Programmed')?.reason === 'OlderThanService';
  return (isOld || isTrue(status?.conditions, 'Programmed', metadata.generation)) && status?.zoneId === zoneId;
}

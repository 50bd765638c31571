// Connects the heartbeats with the operator: the keys that send them, and the DNSRecords that run after a drain or
// restore.
import { findCondition, isTrue } from '#kube/objects/conditions.ts';
import { keyOf } from '#kube/objects/resource.ts';
import type { DNSZone } from '#resources/dnszone.ts';
import type { Logger } from '#telemetry/log.ts';
import { BY_ZONE, type OperatorContext } from '../access/context.ts';
import { isWithdrawn } from '../record/desired.ts';
import { keyIn } from '../record/owner.ts';
import { createHeartbeats, type HeartbeatResult, type Heartbeats, type LeaseProgress } from './heartbeats.ts';
import type { Holder } from './seen-holder.ts';

type Reporting = Pick<
  OperatorContext,
  | 'clock'
  | 'cluster'
  | 'credentials'
  | 'namespaces'
  | 'zones'
  | 'records'
  | 'held'
  | 'older'
  | 'seenRestore'
  | 'enqueueRecord'
  | 'enqueueZone'
>;

/**
 * @param onSent counts heartbeats by their result
 * @param lease the Lease of this process; undefined: leader election is off
 * @param everyMs the time between two heartbeats, in ms
 */
export function createClusterReports(
  context: Reporting,
  log: Logger,
  onSent: (result: HeartbeatResult) => void,
  lease: (() => LeaseProgress | undefined) | undefined,
  everyMs?: number,
): Heartbeats {
  const { clock, cluster, credentials, namespaces, zones, records } = context;
  return createHeartbeats({
    clock,
    log,
    cluster,
    instance: () => namespaces.get('kube-system')?.metadata.uid,
    zones,
    sent: onSent,
    everyMs,
    holderOf: (zone) => findHolder(credentials, zone),
    own: async (signal) => ({
      client: credentials.own.client,
      owner: await credentials.own.owner(signal),
      isOwn: true,
    }),
    count: (ownedZones) => {
      const objects = ownedZones.flatMap((zone) => [zone, ...records.byIndex(BY_ZONE, keyOf(zone))]);
      const notReady = objects.filter(({ status }) => findCondition(status?.conditions, 'Ready')?.status !== 'True');
      return { total: objects.length, notReady: notReady.length };
    },
    ...(lease === undefined ? {} : { lease }),
    listedAt: () => Math.max(zones.listedAt(), records.listedAt()),
    older: context.older,
    seenRestore: context.seenRestore,
    restoredChanged: (changedZones, isRestored) => {
      for (const zone of changedZones) context.enqueueZone(keyOf(zone));
      if (isRestored) return;
      // Everything that waits for the acceptance: releases, older objects, and records that an older zone refuses.
      for (const key of context.older.accept(new Set(changedZones.map(keyOf)))) context.enqueueRecord(key);
      for (const key of context.held.heldKeys()) if (context.held.isHeldRestored(key)) context.enqueueRecord(key);
      for (const zone of changedZones)
        for (const record of records.byIndex(BY_ZONE, keyOf(zone)))
          if (!isTrue(record.status?.conditions, 'Ready')) context.enqueueRecord(keyOf(record));
    },
    nameChanged: (changedZones) => {
      for (const zone of changedZones) context.enqueueZone(keyOf(zone));
    },
    othersChanged: (sets) => {
      const name = cluster() ?? '';
      // The newest change is first, and the last client that changed a set is the one to name.
      for (const { owner, by } of [...sets].reverse()) {
        const key = keyIn(owner, name);
        if (key === undefined || records.get(key) === undefined) continue;
        context.held.changedBy(key, by);
        context.enqueueRecord(key);
      }
    },
    changed: (changedZones, isDrained) => {
      for (const zone of changedZones)
        for (const record of records.byIndex(BY_ZONE, keyOf(zone)))
          if (isDrained || isWithdrawn(record)) context.enqueueRecord(keyOf(record));
    },
  });
}

/** A key of the zone's own is known after the first run of the zone. */
export function findHolder(credentials: OperatorContext['credentials'], { spec, status }: DNSZone): Holder | undefined {
  const { zoneId, owner } = status ?? {};
  if (zoneId === undefined || owner === undefined) return undefined;
  const connection = spec.credentialsSecretRef === undefined ? credentials.own : credentials.remembered(zoneId);
  return connection && { client: connection.client, owner, isOwn: connection === credentials.own };
}

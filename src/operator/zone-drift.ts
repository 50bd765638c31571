// The regular look behind the objects' backs: one list of a zone's records each interval, compared with the ledgers of its
// DNSRecords. It must not repair anything: who differs is run, and its own reconciler looks again and judges.
import type { DnsRecord, Zone } from '../client/client.ts';
import type { Clock } from '../kube/clock.ts';
import { findCondition, isTrue } from '../kube/conditions.ts';
import type { ReconcileContext } from '../kube/controller.ts';
import { isDeleting } from '../kube/finalizer.ts';
import { keyOf } from '../kube/resource.ts';
import { BY_RECORD_ID, BY_ZONE, type House } from './house.ts';
import type { DNSRecord } from './resources/dnsrecord.ts';
import type { DNSZone } from './resources/dnszone.ts';

/** Between two looks at one zone, in ms; spread by up to a tenth, so that zones that began together do not stay so. */
export const LOOK_EVERY_MS = 10 * 60_000;

export interface DriftLooks {
  /**
   * Looks when it is time, and for a zone whose records were never counted; a restart alone is no cause, because every record
   * is looked at then.
   * @returns how many records the zone has: as they were seen, or since then by what the ledgers say. Undefined when this
   *   process has not looked yet
   */
  look(house: House, object: DNSZone, zone: Zone, context: ReconcileContext): Promise<number | undefined>;
  /** How long until the next look, in ms. */
  dueIn(key: string): number;
  forget(key: string): void;
}

export function createDriftLooks(clock: Clock, random: () => number): DriftLooks {
  const dueAt = new Map<string, number>();
  /** Ids of records that no ledger had at the last look, by zone. */
  const strangers = new Map<string, readonly string[]>();
  const postpone = (key: string) => dueAt.set(key, clock.now() + LOOK_EVERY_MS * (1 + random() / 10));

  return {
    look: async (house, object, zone, { signal, reconcileId: requestId }) => {
      const key = keyOf(object);
      const due = dueAt.get(key);
      const isDue = due === undefined ? object.status?.records === undefined : due <= clock.now();
      const own = house.records.byIndex(BY_ZONE, key);
      if (!isDue) {
        if (due === undefined) postpone(key);
        const others = strangers.get(key);
        return others && ledgerSize(own, zone.id) + unowned(house, others).length;
      }
      const actual = await house.client.records.list(zone.id, {}, { signal, requestId });
      postpone(key);
      const ids = actual.map(({ id }) => id);
      strangers.set(key, unowned(house, ids));
      for (const record of differing(own, zone.id, actual)) house.wakeRecord(keyOf(record));
      return actual.length;
    },
    dueIn: (key) => Math.max(0, (dueAt.get(key) ?? clock.now()) - clock.now()),
    forget: (key) => {
      dueAt.delete(key);
      strangers.delete(key);
    },
  };
}

/** What is in a ledger by now was being written at the look. */
function unowned({ records }: House, ids: readonly string[]): readonly string[] {
  return ids.filter((id) => records.byIndex(BY_RECORD_ID, id).length === 0);
}

function ledgerSize(objects: readonly DNSRecord[], zoneId: string): number {
  const ledgers = objects
    .filter(({ status }) => status?.zoneId === zoneId)
    .flatMap(({ status }) => status?.records ?? []);
  return ledgers.filter(({ id }) => id !== undefined).length;
}

/**
 * Those of the objects, all of one zone, whose values are not as their ledgers say; and those that said so before, since
 * somebody may have put it right. What is at work on its spec is left out. Pure.
 */
export function differing(
  objects: readonly DNSRecord[],
  zoneId: string,
  actual: readonly DnsRecord[],
): readonly DNSRecord[] {
  const there = new Map(actual.map((record) => [record.id, record]));
  return objects.filter((object) => {
    const { spec, status, metadata } = object;
    const isSettled = isTrue(status?.conditions, 'Programmed', metadata.generation) && status?.zoneId === zoneId;
    if (!isSettled || isDeleting(object)) return false;
    if (findCondition(status.conditions, 'Programmed')?.reason === 'Drifted') return true;
    return (status.records ?? []).some(({ id, content, priority }) => {
      const found = id === undefined ? undefined : there.get(id);
      if (found === undefined || found.content !== content || found.priority !== priority) return true;
      return spec.ttl !== undefined && found.ttl !== spec.ttl;
    });
  });
}

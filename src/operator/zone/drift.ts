// The regular check for changes that other clients made at the service: compares the records at the names of a zone's DNSRecords
// with their ledgers. It reads nothing else of the zone, and one page at a time, so that its cost depends on the number of
// objects only. A DNSRecord that differs is added to the work queue; its own reconciler reads again and decides.

import type { Clock } from '#base/clock.ts';
import type { Client, DnsRecord, Zone } from '#client/client.ts';
import { parseOwnerName } from '#dns/names/name.ts';
import { findCondition, isTrue } from '#kube/objects/conditions.ts';
import { isDeleting } from '#kube/objects/finalizer.ts';
import { keyOf } from '#kube/objects/resource.ts';
import type { DNSRecord } from '#resources/dnsrecord.ts';
import { BY_ZONE } from '../access/context.ts';
import type { Connection } from '../access/credentials.ts';
import type { ZoneRun } from '../run/run.ts';

/** The time between two checks of one zone, in ms; up to a tenth is added at random to spread the checks of many zones. */
export const CHECK_INTERVAL_MS = 10 * 60_000;
/** The number of names in one request, and of records in one page. */
const NAMES = 50;
const PAGE = 200;

export interface DriftChecks {
  /** Checks the zone when a check is due. A restart alone causes no check, because every record runs then. */
  check(run: ZoneRun, service: Connection, zone: Zone): Promise<void>;
  /** The time until the next check, in ms. */
  dueIn(key: string): number;
  forget(key: string): void;
}

export function createDriftChecks(clock: Clock, random: () => number): DriftChecks {
  const dueAt = new Map<string, number>();
  const postpone = (key: string) => dueAt.set(key, clock.now() + CHECK_INTERVAL_MS * (1 + random() / 10));

  return {
    check: async (run, { client }, zone) => {
      const { context } = run;
      const key = keyOf(run.object);
      const due = dueAt.get(key);
      if (due !== undefined && due > clock.now()) return;
      if (due !== undefined) {
        const settled = context.records.byIndex(BY_ZONE, key).filter((each) => isSettled(each, zone.id));
        for (const record of await differing(client, zone, settled, run)) context.enqueueRecord(keyOf(record));
      }
      postpone(key);
    },
    dueIn: (key) => Math.max(0, (dueAt.get(key) ?? clock.now()) - clock.now()),
    forget: (key) => void dueAt.delete(key),
  };
}

/** Whether the whole spec was written, so that another client caused any difference. */
function isSettled(object: DNSRecord, zoneId: string): boolean {
  const { status, metadata } = object;
  const isProgrammed = isTrue(status?.conditions, 'Programmed', metadata.generation);
  return isProgrammed && status?.zoneId === zoneId && !isDeleting(object);
}

/** Returns the objects whose records at the service differ from their ledgers. All objects are settled and of this zone. */
async function differing(
  client: Pick<Client, 'records'>,
  zone: Pick<Zone, 'id' | 'zoneName'>,
  objects: readonly DNSRecord[],
  run: ZoneRun,
): Promise<readonly DNSRecord[]> {
  const found = objects.filter(wasReported);
  const byType = Map.groupBy(
    objects.filter((object) => !wasReported(object)),
    ({ spec }) => spec.type,
  );
  for (const [type, alike] of byType) {
    for (let start = 0; start < alike.length; start += NAMES) {
      const some = alike.slice(start, start + NAMES);
      const ledgers = new Set(some.flatMap(({ status }) => (status?.records ?? []).flatMap(({ id }) => id ?? [])));
      const there = new Map<string, DnsRecord>();
      const names = [...new Set(some.flatMap((object) => nameOf(object, zone.zoneName)))];
      const pages = client.records.pages(zone.id, { names, type }, PAGE, run.call);
      for await (const page of pages)
        for (const record of page) if (ledgers.has(record.id)) there.set(record.id, record);
      found.push(...some.filter((object) => differs(object, there)));
    }
  }
  return found;
}

/** A reported difference may have been fixed since. */
function wasReported({ status }: DNSRecord): boolean {
  return findCondition(status?.conditions, 'Programmed')?.reason === 'Drifted';
}

/** Whether a value of the ledger is missing or different at the service. */
export function differs({ spec, status }: DNSRecord, there: ReadonlyMap<string, DnsRecord>): boolean {
  return (status?.records ?? []).some(({ id, content, priority }) => {
    const found = id === undefined ? undefined : there.get(id);
    if (found === undefined || found.content !== content || found.priority !== priority) return true;
    return spec.ttl !== undefined && found.ttl !== spec.ttl;
  });
}

function nameOf({ spec }: DNSRecord, zoneName: string): string[] {
  const name = parseOwnerName(spec.name, zoneName, spec.type);
  return name.ok ? [name.value] : [];
}

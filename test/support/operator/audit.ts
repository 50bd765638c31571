// Whether the service holds exactly what the objects of a cluster in memory want, and every object knows it. The end of
// every scenario, however it went wrong in between.

import { keyOf } from '#kube/objects/resource.ts';
import type { DNSRecord } from '#resources/dnsrecord.ts';
import { zoneKeyOf } from '#resources/zone-ref.ts';
import { formatWanted, listWanted } from '../matrix/wanted.ts';
import type { Bench } from './bench.ts';

/** Data of another owner at the service, which the operator must not change. */
export interface Foreign {
  readonly zoneIds?: readonly string[];
  readonly recordIds?: readonly string[];
}

/** Sentences about what is wrong; none when all is right. Every object is expected to be Ready. */
export function audit(bench: Bench, foreign: Foreign = {}): string[] {
  const { service, cluster } = bench;
  const problems: string[] = [];
  const owners = new Map<string, string>();

  for (const zone of cluster.zones()) {
    const { name, deletionTimestamp } = zone.metadata;
    if (deletionTimestamp !== undefined) problems.push(`DNSZone ${name} is still being deleted`);
    if (!bench.ready(zone).startsWith('True')) problems.push(`DNSZone ${name} is ${bench.ready(zone)}`);
    const { zoneId, intent } = zone.status ?? {};
    if (intent !== undefined) problems.push(`DNSZone ${name} still has an intent`);
    const there = zoneId === undefined ? undefined : service.zones.get(zoneId)?.zone;
    if (!there) problems.push(`DNSZone ${name} names the zone ${zoneId}, which is not there`);
    else {
      owners.set(there.id, name);
      const { parked, defaultTtl } = zone.spec;
      if ((there.state === 'parked') !== parked)
        problems.push(`DNSZone ${name} wants parked ${parked}: ${there.state}`);
      if (defaultTtl !== undefined && there.defaultTtl !== defaultTtl) problems.push(`DNSZone ${name} has another TTL`);
    }
  }
  for (const id of service.zones.keys())
    if (!owners.has(id) && !foreign.zoneIds?.includes(id)) problems.push(`the zone ${id} is an orphan`);
  for (const id of foreign.zoneIds ?? []) if (!service.zones.has(id)) problems.push(`the foreign zone ${id} is gone`);

  const keys = new Set(cluster.records().map((record) => `k8s:cluster-1/${keyOf(record)}`));
  for (const id of service.zones.keys())
    for (const owner of service.owners.in(id)) if (!keys.has(owner)) problems.push(`${owner} is an orphan in ${id}`);
  for (const record of cluster.records()) problems.push(...auditRecord(bench, record, owners));
  for (const id of service.ids())
    if (!owners.has(id) && !foreign.recordIds?.includes(id)) problems.push(`the record ${id} is an orphan`);
  for (const id of foreign.recordIds ?? [])
    if (!service.ids().includes(id)) problems.push(`the foreign record ${id} is gone`);
  return problems;
}

function auditRecord(bench: Bench, record: DNSRecord, owners: Map<string, string>): string[] {
  const { name, deletionTimestamp } = record.metadata;
  if (deletionTimestamp !== undefined) return [`DNSRecord ${name} is still being deleted`];
  const problems: string[] = [];
  const zone = bench.cluster.zone(zoneKeyOf(record));
  const stored = bench.service.zones.get(zone?.status?.zoneId ?? '');
  const wantedReady = stored?.zone.state === 'parked' ? 'False ZoneParked' : 'True Ready';
  if (bench.ready(record) !== wantedReady) problems.push(`DNSRecord ${name} is ${bench.ready(record)}`);
  if (record.status?.zoneId !== zone?.status?.zoneId) problems.push(`DNSRecord ${name} names another zone`);

  const owned = bench.service.owners.idsOf(`k8s:cluster-1/${keyOf(record)}`).flatMap((id) => {
    const found = stored?.records.get(id);
    if (owners.has(id)) problems.push(`${id} belongs to ${owners.get(id)} and ${name}`);
    owners.set(id, name);
    if (!found) problems.push(`DNSRecord ${name} owns ${id}, which is not there`);
    return found ? [{ ...found, ttl: found.ttl ?? stored?.zone.defaultTtl ?? 0 }] : [];
  });
  const wanted = formatWanted(listWanted(record.spec, zone?.spec ?? {}));
  if (formatWanted(owned) !== wanted)
    problems.push(`DNSRecord ${name} wants [${wanted}] and owns [${formatWanted(owned)}]`);
  return problems;
}

// `kubectl zonestead status`: the zones of a namespace, and its records that are not Ready. Pure.
import { objectsToRepair } from '#diagnosis/object-checks.ts';
import {
  conditionsOf,
  namespaceOf,
  readyOf,
  recordWords,
  shortOf,
  sorted,
  stateOf,
  zoneNameOf,
} from '#diagnosis/objects.ts';
import type { StatusOverview } from '#diagnosis/read-objects.ts';
import { findCondition } from '#kube/objects/conditions.ts';
import type { DNSRecord } from '#resources/dnsrecord.ts';
import type { DNSZone } from '#resources/dnszone.ts';
import { zoneKeyOf } from '#resources/zone-ref.ts';
import type { Section } from './sections.ts';

/** The number of records that are listed with their reason; the others are counted. */
const MAX_RECORDS = 50;

export function statusSections({ zones, records, namespace, notes }: StatusOverview): Section[] {
  const where = namespace === undefined ? 'all namespaces' : `namespace ${namespace}`;
  if (zones.length + records.length === 0)
    return [{ lines: notes.length > 0 ? notes : [`There are no DNSZones and no DNSRecords in ${where}.`] }];
  const open = sorted(records).filter((record) => !readyOf(record).isReady);
  const [first] = objectsToRepair({ zones, records });
  return [
    { lines: [`Zonestead in ${where}`, ...notes] },
    {
      title: `ZONES: ${counted(zones, zones.filter((zone) => !readyOf(zone).isReady).length)}`,
      ...zoneTable(zones, records, namespace),
    },
    { lines: [`RECORDS: ${counted(records, open.length)}`] },
    recordTable(open, namespace),
    { title: 'NEXT', lines: [nextCommand(first, zones)] },
  ];
}

function counted(objects: readonly unknown[], open: number): string {
  if (objects.length === 0) return 'none';
  return open === 0 ? `${objects.length}, all Ready` : `${objects.length}, of which ${open} not Ready`;
}

function zoneTable(zones: readonly DNSZone[], records: readonly DNSRecord[], namespace: string | undefined): Section {
  // The status of a zone has the number at the service as well, but that can be minutes old.
  const counts = Map.groupBy(records, zoneKeyOf);
  const rows = sorted(zones).map((zone) => [
    ...(namespace === undefined ? [namespaceOf(zone)] : []),
    zone.metadata.name,
    zoneNameOf(zone),
    String(counts.get(`${namespaceOf(zone)}/${zone.metadata.name}`)?.length ?? 0),
    zone.status?.nodesCurrent ?? '-',
    delegationOf(zone),
    stateOf(zone),
  ]);
  const heading = ['NAME', 'ZONE', 'DNSRECORDS', 'NODES', 'DELEGATED', 'STATE'];
  return { table: { heading: namespace === undefined ? ['NAMESPACE', ...heading] : heading, rows } };
}

/** `yes`, or the reason why not. */
function delegationOf(zone: DNSZone): string {
  const delegated = findCondition(conditionsOf(zone), 'Delegated');
  return delegated?.status === 'True' ? 'yes' : (delegated?.reason ?? '-');
}

function recordTable(open: readonly DNSRecord[], namespace: string | undefined): Section {
  const rows = open
    .slice(0, MAX_RECORDS)
    .map((record) => [
      ...(namespace === undefined ? [namespaceOf(record)] : []),
      record.metadata.name,
      zoneKeyOf(record).replace(`${namespaceOf(record)}/`, ''),
      recordWords(record),
      readyOf(record).reason,
      readyOf(record).message,
    ]);
  const heading = ['NAME', 'ZONE', 'RECORD', 'REASON', 'MESSAGE'];
  const more = open.length - rows.length;
  return {
    ...(more > 0 ? { lines: [`The first ${rows.length} of them; ${more} more are not listed:`] } : {}),
    table: { heading: namespace === undefined ? ['NAMESPACE', ...heading] : heading, rows },
  };
}

function nextCommand(first: DNSZone | DNSRecord | undefined, zones: readonly DNSZone[]): string {
  if (first !== undefined) return `kubectl zonestead why ${shortOf(first)} -n ${namespaceOf(first)}`;
  const [zone] = sorted(zones);
  if (zone === undefined) return 'kubectl get dnsrecords.zonestead.dev';
  return `kubectl zonestead tree ${zone.metadata.name} -n ${namespaceOf(zone)}`;
}

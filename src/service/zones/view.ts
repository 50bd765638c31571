// The JSON that the API returns for zones and records.
import type { Denial } from '#dns/dnssec/denial.ts';
import { type DsData, readDs } from '#dns/dnssec/signing-key.ts';
import type { RecordHealth } from '#dns/members.ts';
import type { ReverseState } from '#dns/reverse.ts';
import type { RecordType } from '#dns/types/index.ts';
import type { RecordRow } from '#store/records.ts';
import type { ZoneRow, ZoneState } from '#store/zones.ts';

export interface ZoneView {
  id: string;
  zoneName: string;
  owner: string;
  state: ZoneState;
  nameservers: string[];
  ds: DsData[];
  defaultTtl: number;
  denial: Denial;
  serial: number;
  /** Absent until the records were counted. */
  records: number;
  createdAt: string;
  updatedAt: string;
  /** Absent if the zone has none. */
  comment?: string;
}

/** A zone as the console shows it. */
export interface ManagedZone extends ZoneView {
  /** The external object that manages the zone; null if no object does. */
  managedBy: string | null;
}

/** A record as the console shows it. */
export interface ManagedRecord {
  id: string;
  name: string;
  type: RecordType;
  content: string;
  /** Seconds; null: the default of the zone. */
  ttl: number | null;
  priority: number | null;
  comment: string | null;
  health: RecordHealth | null;
  /** The owners of the record; null if it has none. */
  managedBy: string | null;
}

export function managedZone(zone: ZoneRow, nameservers: string[]): ManagedZone {
  return { ...zoneView(zone, nameservers), managedBy: zone.managedBy };
}

export function managedRecord(
  { id, name, type, content, ttl, priority, comment, health }: Omit<ManagedRecord, 'managedBy'>,
  owners: readonly string[],
): ManagedRecord {
  const managedBy = owners.length === 0 ? null : owners.join(', ');
  return { id, name, type, content, ttl, priority, comment, health, managedBy };
}

export interface RecordView extends Omit<RecordHealth, 'reverseIn'> {
  id: string;
  name: string;
  type: RecordType;
  content: string;
  /** The effective TTL in seconds: the record's own, or the default of the zone. */
  ttl: number;
  priority: number | null;
  /** Absent if the record has none. */
  comment?: string;
  /** The owners of the record. Only present in answers that tell them, and if there are any. */
  owners?: string[];
  /** Whether all owners of the record are withdrawn. Only present in lists, and if it is true. */
  withdrawn?: boolean;
  /** Whether its check fails. Only present in lists, and if it is true. */
  failing?: boolean;
  /** Whether its PTR is written, or why not. Only present in lists and looks, and for a record with `reverse`. */
  reverseState?: ReverseState;
  /** The address that the service wrote this PTR for. Only present in lists and looks. */
  reverseOf?: string;
}

/** The names of the NS records of a zone. @param ownNameservers those of the service */
export function listNameservers(
  zone: Pick<ZoneRow, 'secondaryNameservers'>,
  ownNameservers: readonly string[],
): string[] {
  return [...new Set([...ownNameservers, ...zone.secondaryNameservers])];
}

export function zoneView(zone: ZoneRow, nameservers: string[]): ZoneView {
  return {
    id: zone.id,
    zoneName: zone.name,
    owner: zone.teamId === null ? 'personal' : `org:${zone.teamId}`,
    state: zone.state,
    nameservers: listNameservers(zone, nameservers),
    ds: zone.ds.map((rdata) => readDs(zone.name, rdata)),
    defaultTtl: zone.defaultTtl,
    denial: zone.denial,
    serial: zone.serial,
    records: zone.recordCount,
    createdAt: zone.createdAt.toISOString(),
    updatedAt: zone.updatedAt.toISOString(),
    ...(zone.comment === null ? {} : { comment: zone.comment }),
  };
}

type Viewed = Pick<RecordRow, 'id' | 'name' | 'type' | 'content' | 'ttl' | 'priority' | 'comment' | 'health'>;

/** A record as answers show it. The zones of its PTR record are between its writer and the service. */
export function recordView(record: Viewed, zone: Pick<ZoneRow, 'defaultTtl'>): RecordView {
  const { reverseIn: _zones, ...shown } = recordedView(record, zone);
  return shown;
}

/** A record as the history keeps it. */
export function recordedView(
  record: Viewed,
  zone: Pick<ZoneRow, 'defaultTtl'>,
): RecordView & Pick<RecordHealth, 'reverseIn'> {
  return {
    id: record.id,
    name: record.name,
    type: record.type,
    content: record.content,
    ttl: record.ttl ?? zone.defaultTtl,
    priority: record.priority,
    ...(record.comment === null ? {} : { comment: record.comment }),
    ...record.health,
  };
}

// Rows as the API shows them: plain JSON values.
import { type DsRecord, dsRecords } from '../dns/dnssec.ts';
import type { RecordType } from '../dns/types/index.ts';
import type { RecordRow } from '../store/records.ts';
import type { ZoneRow, ZoneState } from '../store/zones.ts';

export interface ZoneView {
  id: string;
  zoneName: string;
  owner: string;
  state: ZoneState;
  nameservers: string[];
  ds: DsRecord[];
  defaultTtl: number;
  serial: number;
  createdAt: string;
  updatedAt: string;
}

export interface RecordView {
  id: string;
  name: string;
  type: RecordType;
  content: string;
  /** Seconds in force: the record's own or the zone's default. */
  ttl: number;
  priority: number | null;
}

export function zoneView(zone: ZoneRow, nameservers: string[]): ZoneView {
  return {
    id: zone.id,
    zoneName: zone.name,
    owner: zone.teamId === null ? 'personal' : `org:${zone.teamId}`,
    state: zone.state,
    nameservers,
    ds: dsRecords(zone.name, zone.cskPublic),
    defaultTtl: zone.defaultTtl,
    serial: zone.serial,
    createdAt: zone.createdAt.toISOString(),
    updatedAt: zone.updatedAt.toISOString(),
  };
}

export function recordView(
  record: Pick<RecordRow, 'id' | 'name' | 'type' | 'content' | 'ttl' | 'priority'>,
  zone: Pick<ZoneRow, 'defaultTtl'>,
): RecordView {
  return {
    id: record.id,
    name: record.name,
    type: record.type,
    content: record.content,
    ttl: record.ttl ?? zone.defaultTtl,
    priority: record.priority,
  };
}

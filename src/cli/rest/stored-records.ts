// The records of a zone as the service stores them, in the form that they are compared in.
import type { DnsRecord } from '#contract/record.ts';
import type { Zone } from '#contract/zone.ts';
import { type ParsedRecord, parseRecord, parseStoredRecord } from '#dns/record.ts';

/** @throws Error if this version does not know the form of a record */
export function parsedRecords(zone: Zone, records: readonly DnsRecord[]): ParsedRecord[] {
  return records.map(({ name, type, content, ttl, priority }) => {
    const verdict = parseStoredRecord({ name, type, content, ttl, priority }, zone.zoneName);
    if (verdict.ok) return verdict.value;
    throw new Error(
      `${name} ${type} at the service has another form than this version expects: ${verdict.problem.message}`,
    );
  });
}

/** @throws Error that names the wrong field of a record that is not stored yet */
export function parsedRecord(zone: Zone, record: Parameters<typeof parseRecord>[0]): ParsedRecord {
  const verdict = parseRecord(record, zone.zoneName);
  if (verdict.ok) return verdict.value;
  throw new Error(`${verdict.problem.field}: ${verdict.problem.message}`);
}

/**
 * The TTL to send for a record that keeps its TTL. The service lists the TTL in effect, so the default of the zone
 * counts as no TTL of its own.
 */
export function ownTtl(zone: Zone, ttl: number): { ttl?: number } {
  return ttl === zone.defaultTtl ? {} : { ttl };
}

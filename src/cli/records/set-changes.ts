// The changes that make the records of a name and type those of `zonestead records set`. Pure.
import type { RecordChange } from '#contract/batch.ts';
import type { DnsRecord, ListedRecord } from '#contract/record.ts';
import type { Zone } from '#contract/zone.ts';
import type { ParsedRecord } from '#dns/record.ts';
import { parsedRecords } from '../rest/stored-records.ts';
import { type HealthOptions, hasHealthOptions, healthBody, healthLine, sharedHealth } from './health.ts';

type Options = HealthOptions & { comment?: string };

/**
 * A stored record that has one of the values stays; the others get new values, so that they keep their ids, or are
 * deleted. A new record gets the check that the stored ones share. Each change depends on the record as it was read.
 */
export function changesOf(
  zone: Zone,
  stored: readonly ListedRecord[],
  wanted: readonly ParsedRecord[],
  options: Options,
): RecordChange[] {
  const { comment } = options;
  const wireOf = (parsed: ParsedRecord | undefined) => Buffer.from(parsed?.wire ?? []).toString('hex');
  const rows = new Map(parsedRecords(zone, stored).map((parsed, at) => [wireOf(parsed), stored[at] as ListedRecord]));
  const bodyOf = ({ name, type, content, ttl, priority }: ParsedRecord, before?: DnsRecord) => ({
    ...{ name, type, priority, content },
    ...(ttl === null ? {} : { ttl }),
    ...(comment === undefined ? {} : { comment }),
    ...healthBody(options, before),
  });
  const shared = sharedHealth(stored);
  const newOptions = hasHealthOptions(shared) ? { ...shared, ...options } : options;
  const updates: RecordChange[] = [];
  const others: ParsedRecord[] = [];
  for (const parsed of wanted) {
    const row = rows.get(wireOf(parsed));
    rows.delete(wireOf(parsed));
    if (row === undefined) others.push(parsed);
    else if (
      row.ttl !== (parsed.ttl ?? zone.defaultTtl) ||
      (comment !== undefined && comment !== (row.comment ?? '')) ||
      healthLine(row, row, healthBody(options, row)) !== null
    ) {
      const record = { ...bodyOf(parsed, row), content: row.content };
      updates.push({ action: 'update', id: row.id, ifMatch: row.etag, record });
    }
  }
  const free = [...rows.values()];
  const replaced = others.splice(0, free.length).map((parsed): RecordChange => {
    const row = free.shift();
    return { action: 'update', id: row?.id ?? '', ifMatch: row?.etag, record: bodyOf(parsed, row) };
  });
  const deletions = free.map(({ id, etag: ifMatch }): RecordChange => ({ action: 'delete', id, ifMatch }));
  const creations = others.map(
    (parsed): RecordChange => ({ action: 'create', record: { ...bodyOf(parsed), ...healthBody(newOptions) } }),
  );
  return [...deletions, ...updates, ...replaced, ...creations];
}

/** A line for each record whose check, tier or answer at failure changes. */
export function healthLines(stored: readonly ListedRecord[], changes: readonly RecordChange[]): string[] {
  const storedById = new Map(stored.map((record) => [record.id, record]));
  return changes.flatMap((change) => {
    if (change.action === 'delete') return [];
    const before = change.action === 'update' ? storedById.get(change.id) : undefined;
    return healthLine(change.record, before ?? {}, change.record) ?? [];
  });
}

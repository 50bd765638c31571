// `zonestead records …`: the record operations of the REST API. A zone is given by its name or its id.
import { isAbsent } from '#client/errors.ts';
import { type RecordFilter, readRecords } from '#client/lists.ts';
import * as recordApi from '#contract/operations/records.ts';
import type { DnsRecord, ListedRecord } from '#contract/record.ts';
import type { Zone } from '#contract/zone.ts';
import { confirm } from '../confirm.ts';
import { differencesOf } from '../difference.ts';
import type { DryRunOption, ForceOption, YesOption } from '../options.ts';
import { show } from '../output.ts';
import { confirmOwned } from '../rest/owned.ts';
import { showPreview } from '../rest/preview.ts';
import { type Session, zoneOf } from '../rest/session.ts';
import { ownTtl, parsedRecord, parsedRecords } from '../rest/stored-records.ts';
import { table } from '../table.ts';

type RecordType = DnsRecord['type'];

interface RecordOptions extends DryRunOption {
  /** False: the default of the zone. */
  ttl?: number | false;
  priority?: number;
  comment?: string;
}

export async function listRecords(
  session: Session,
  zone: string,
  filter: { name?: string; type?: string; etags?: boolean },
): Promise<void> {
  const { client, signal, print } = session;
  const { id } = await zoneOf(session, zone);
  const type = filter.type === undefined ? undefined : typeOf(filter.type);
  const { name, etags = false } = filter;
  const records = await readRecords(client, id, { name, type, etags, owners: true }, { signal });
  const hasOwners = records.some(({ owners = [] }) => owners.length > 0);
  const more = [...(etags ? ['ETAG'] : []), ...(hasOwners ? ['OWNERS'] : [])];
  const rows = records.map((record) => rowOf(record, hasOwners));
  await show(session, { records }, () =>
    table(['NAME', 'TYPE', 'TTL', 'PRIORITY', 'ID', ...more, 'CONTENT'], rows, print),
  );
}

export async function createRecord(
  session: Session,
  nameOrId: string,
  { name, type, content }: { name: string; type: string; content: string },
  { ttl, priority, comment, dryRun }: RecordOptions,
): Promise<void> {
  const { client, signal } = session;
  const zone = await zoneOf(session, nameOrId);
  const body = {
    ...{ name, type: typeOf(type), ...splitPriority(typeOf(type), content) },
    ...(typeof ttl === 'number' ? { ttl } : {}),
    ...(priority === undefined ? {} : { priority }),
    ...(comment === undefined ? {} : { comment }),
  };
  if (dryRun) {
    const stored = parsedRecords(zone, await readRecords(client, zone.id, { name, type: body.type }, { signal }));
    const created = parsedRecord(zone, { ...body, ttl: body.ttl ?? zone.defaultTtl, priority: body.priority ?? null });
    return showPreview(session, differencesOf(stored, [...stored, created], zone.defaultTtl));
  }
  const created = await client.call(recordApi.createRecord, { params: { id: zone.id }, body }, { signal });
  await tell(session, created, 'created');
}

/** @throws Error without any change */
export async function updateRecord(
  session: Session,
  nameOrId: string,
  recordId: string,
  changes: RecordOptions & ForceOption & { content: string | undefined; ifMatch?: string },
): Promise<void> {
  const { content, ttl, priority, comment, dryRun } = changes;
  if ([content, ttl, priority, comment].every((each) => each === undefined)) {
    throw new Error('nothing to change; give a content, --ttl, --no-ttl, --priority or --comment');
  }
  const { client, signal } = session;
  const zone = await zoneOf(session, nameOrId);
  const { record: before, etag } = await recordOf(session, zone, recordId);
  const newTtl = ttl === undefined ? ownTtl(zone, before.ttl) : ttl === false ? {} : { ttl };
  const body = {
    ...{ name: before.name, type: before.type, priority: before.priority },
    ...splitPriority(before.type, content ?? before.content),
    ...(priority === undefined ? {} : { priority }),
    ...newTtl,
    ...(comment === undefined ? {} : { comment }),
  };
  if (dryRun) {
    const after = { ...before, ...body, ttl: newTtl.ttl ?? zone.defaultTtl };
    const [old, wanted] = [parsedRecords(zone, [before]), [parsedRecord(zone, after)]];
    return showPreview(session, differencesOf(old, wanted, zone.defaultTtl), [before]);
  }
  await confirmOwned([before], changes, signal);
  // The values that stay are those that were read, so the record must still have them.
  const ifMatch = changes.ifMatch ?? etag;
  const input = { params: { id: zone.id, recordId }, body };
  await tell(session, await client.call(recordApi.replaceRecord, input, { signal, ifMatch }), 'updated');
}

/**
 * Deletes one record by its id, or the records of a name and type.
 * @throws Error if there is none, and unless the deletion of several is confirmed
 */
export async function deleteRecords(
  session: Session,
  nameOrId: string,
  { name, type, content }: { name: string; type: string | undefined; content: string | undefined },
  options: YesOption & ForceOption & DryRunOption & { ifMatch?: string },
): Promise<void> {
  const { client, signal, print } = session;
  const zone = await zoneOf(session, nameOrId);
  const records: ListedRecord[] =
    type === undefined
      ? [(await recordOf(session, zone, name)).record]
      : await found(session, zone, { name, type: typeOf(type), content });
  if (options.dryRun)
    return showPreview(session, differencesOf(parsedRecords(zone, records), [], zone.defaultTtl), records);
  await confirmOwned(records, options, signal);
  const [only] = records;
  if (records.length === 1 && only !== undefined) {
    const params = { id: zone.id, recordId: only.id };
    await client.call(recordApi.deleteRecord, { params }, { signal, ifMatch: options.ifMatch });
  } else {
    if (options.ifMatch !== undefined) throw new Error(`--if-match is for one record, and ${records.length} match`);
    const what = `${name} ${type}`;
    await confirm(`this deletes ${records.length} records of ${what} in ${zone.zoneName}`, options, signal);
    const changes = records.map(({ id, etag: ifMatch }) => ({ action: 'delete' as const, id, ifMatch }));
    await client.call(recordApi.applyBatch, { params: { id: zone.id }, body: { changes } }, { signal });
  }
  await show(session, { deleted: records.map(({ id }) => id) }, () => {
    for (const record of records) print(`${lineOf(record)} is deleted (${record.id})`);
  });
}

async function found({ client, signal }: Session, zone: Zone, filter: RecordFilter): Promise<ListedRecord[]> {
  const records = await readRecords(client, zone.id, { ...filter, etags: true, owners: true }, { signal });
  if (records.length > 0) return records;
  throw new Error(`no record matches in ${zone.zoneName}; "zonestead records list ${zone.zoneName}" lists its records`);
}

/** The record with its ETag. @throws Error if there is none */
async function recordOf(
  { client, signal }: Session,
  zone: Zone,
  recordId: string,
): Promise<{ record: DnsRecord; etag: string | undefined }> {
  let etag: string | undefined;
  const onEtag = (given: string | null) => {
    etag = given ?? undefined;
  };
  try {
    const record = await client.call(recordApi.getRecord, { params: { id: zone.id, recordId } }, { signal, onEtag });
    return { record, etag };
  } catch (error) {
    if (!isAbsent(error) || error.code !== 'not_found') throw error;
  }
  const hint = recordId.startsWith('rec_') ? '' : ', or give a name and a type';
  throw new Error(`no record ${recordId} in this zone; "zonestead records list" lists the ids${hint}`);
}

async function tell(session: Session, record: DnsRecord, what: string): Promise<void> {
  await show(session, record, () => session.print(`${lineOf(record)} is ${what} (${record.id})`));
}

function lineOf({ name, ttl, type, content }: DnsRecord): string {
  return `${name} ${ttl} ${type} ${content}`;
}

/** A comment follows its content in the way of a zone file. */
function rowOf(record: ListedRecord, hasOwners: boolean): string[] {
  const { name, type, ttl, priority, id, content, comment, etag, owners = [] } = record;
  const text = comment === undefined ? content : `${content} ; ${comment}`;
  const tag = etag === undefined ? [] : [etag];
  const own = hasOwners ? [owners.join(',') || '-'] : [];
  return [name, type, String(ttl), priority === null ? '-' : String(priority), id, ...tag, ...own, text];
}

/** The value of an MX record has its priority first, as in a zone file, or alone in an option. */
export function splitPriority(type: string, value: string): { content: string; priority?: number } {
  const [, preference, host] = type === 'MX' ? (/^(\d{1,5})[ \t]+(\S+)$/.exec(value) ?? []) : [];
  return host === undefined ? { content: value } : { content: host, priority: Number(preference) };
}

/** The service checks the type. */
export function typeOf(text: string): RecordType {
  return text.toUpperCase() as RecordType;
}

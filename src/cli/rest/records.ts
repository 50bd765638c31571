// `zonestead records …`: the record operations of the REST API. A zone is given by its name or its id, a record by its id.
import type { DnsRecord } from '#client/client.ts';
import { show } from '../output.ts';
import { table } from '../table.ts';
import { type Session, zoneOf } from './session.ts';

type RecordType = DnsRecord['type'];

interface RecordOptions {
  ttl?: number;
  priority?: number;
  comment?: string;
}

export async function listRecords(
  session: Session,
  zone: string,
  filter: { name?: string; type?: string },
): Promise<void> {
  const { client, signal, print } = session;
  const { id } = await zoneOf(session, zone);
  const type = filter.type === undefined ? undefined : typeOf(filter.type);
  const records = await client.records.list(id, { name: filter.name, type }, { signal });
  await show(session, { records }, () =>
    table(['NAME', 'TYPE', 'TTL', 'PRIORITY', 'ID', 'CONTENT'], records.map(rowOf), print),
  );
}

export async function createRecord(
  session: Session,
  zone: string,
  [name, type, content]: [string, string, string],
  options: RecordOptions,
): Promise<void> {
  const { client, signal } = session;
  const { id } = await zoneOf(session, zone);
  const record = await client.records.create(id, { name, type: typeOf(type), content, ...options }, { signal });
  await tell(session, record, 'created');
}

/** Replaces the content. As in the API, ttl and priority get their defaults unless they are given, and the comment stays. */
export async function updateRecord(
  session: Session,
  zone: string,
  recordId: string,
  content: string,
  options: RecordOptions,
): Promise<void> {
  const { client, signal } = session;
  const { id } = await zoneOf(session, zone);
  const { name, type } = await recordOf(session, id, recordId);
  const record = await client.records.update(id, recordId, { name, type, content, ...options }, { signal });
  await tell(session, record, 'updated');
}

export async function deleteRecord(session: Session, zone: string, recordId: string): Promise<void> {
  const { client, signal, print } = session;
  const { id } = await zoneOf(session, zone);
  await client.records.delete(id, recordId, { signal });
  await show(session, { deleted: recordId }, () => print(`${recordId} is deleted`));
}

async function recordOf({ client, signal }: Session, zoneId: string, recordId: string): Promise<DnsRecord> {
  const record = (await client.records.list(zoneId, {}, { signal })).find((each) => each.id === recordId);
  if (record) return record;
  throw new Error(`no record ${recordId} in this zone; "zonestead records list" lists the ids`);
}

async function tell(session: Session, record: DnsRecord, what: string): Promise<void> {
  await show(session, record, () =>
    session.print(`${record.name} ${record.ttl} ${record.type} ${record.content} is ${what} (${record.id})`),
  );
}

/** A comment follows its content in the way of a zone file. */
function rowOf(record: DnsRecord): string[] {
  const { name, type, ttl, priority, id, content, comment } = record;
  const text = comment === undefined ? content : `${content} ; ${comment}`;
  return [name, type, String(ttl), priority === null ? '-' : String(priority), id, text];
}

/** The service checks the type. */
function typeOf(text: string): RecordType {
  return text.toUpperCase() as RecordType;
}

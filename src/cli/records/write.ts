// `zonestead records create` and `update`
import { isAbsent } from '#client/errors.ts';
import { fetchRecords } from '#client/lists.ts';
import { writeHealth, writeReverse } from '#contract/check-text.ts';
import * as recordApi from '#contract/operations/records.ts';
import type { DnsRecord } from '#contract/record.ts';
import type { Zone } from '#contract/zone.ts';
import { listDifferences } from '../difference.ts';
import { DRY_RUN_OPTION, FORCE_OPTION, type ForceOption, quotingHint } from '../options.ts';
import { show } from '../output.ts';
import { describeRestCommand, ZONE } from '../rest/command.ts';
import { confirmOwned } from '../rest/owned.ts';
import { showPreview } from '../rest/preview.ts';
import { type Session, zoneOf } from '../rest/session.ts';
import { ownTtl, parsedRecord, parsedRecords } from '../rest/stored-records.ts';
import { HEALTH, hasHealthOptions, healthBody, healthLine } from './health.ts';
import {
  COMMENT,
  CONTENT,
  IF_MATCH,
  NAME,
  NO_TTL,
  PRIORITY,
  splitPriority,
  TTL,
  TYPE,
  typeOf,
  type WriteOptions,
} from './options.ts';

const RECORD_ID = { usage: '<recordId>', describe: 'id of the record, as "records list" prints it' } as const;

type UpdateOptions = WriteOptions & ForceOption & { ifMatch?: string };

export const create = describeRestCommand({
  name: 'create',
  describe: 'create a record',
  arguments: [ZONE, NAME, TYPE, { usage: '<content>', describe: CONTENT }],
  options: [
    {
      flags: TTL,
      describe: 'TTL in seconds, or as 5m, 1h or 1d (default: the default TTL of the zone)',
      value: 'seconds',
    },
    PRIORITY,
    { flags: COMMENT, describe: 'a comment, which is not in DNS' },
    ...HEALTH,
    DRY_RUN_OPTION,
  ],
  waits: true,
  hint: quotingHint(),
  examples: [
    'zonestead records create shop.example www A 192.0.2.1 --ttl 5m',
    "zonestead records create shop.example @ MX '10 mail.example.net'",
  ],
  run: (session, [zone = '', name = '', type = '', content = ''], options: WriteOptions) =>
    createRecord(session, zone, { name, type, content }, options),
});

export const update = describeRestCommand({
  name: 'update',
  describe: 'change a record; values without an option or argument stay as they are',
  arguments: [ZONE, RECORD_ID, { usage: '[content]', describe: `new ${CONTENT}` }],
  options: [
    { flags: TTL, describe: 'new TTL in seconds, or as 5m, 1h or 1d', value: 'seconds' },
    NO_TTL,
    PRIORITY,
    { flags: COMMENT, describe: 'new comment; "" removes it' },
    ...HEALTH,
    IF_MATCH,
    FORCE_OPTION,
    DRY_RUN_OPTION,
  ],
  waits: true,
  examples: ['zonestead records update shop.example rec_4d1f0a4c8b62e7d03a95 192.0.2.2'],
  run: (session, [zone = '', recordId = '', content], options: UpdateOptions) =>
    updateRecord(session, zone, recordId, { ...options, content }),
});

async function createRecord(
  session: Session,
  nameOrId: string,
  { name, type, content }: { name: string; type: string; content: string },
  { ttl, priority, comment, dryRun, ...options }: WriteOptions,
): Promise<void> {
  const { client, signal } = session;
  const zone = await zoneOf(session, nameOrId);
  const body = {
    ...{ name, type: typeOf(type), ...splitPriority(typeOf(type), content) },
    ...(typeof ttl === 'number' ? { ttl } : {}),
    ...(priority === undefined ? {} : { priority }),
    ...(comment === undefined ? {} : { comment }),
    ...healthBody(options),
  };
  if (dryRun) {
    const stored = parsedRecords(zone, await fetchRecords(client, zone.id, { name, type: body.type }, { signal }));
    const created = parsedRecord(zone, { ...body, ttl: body.ttl ?? zone.defaultTtl, priority: body.priority ?? null });
    const line = healthLine(body, {}, healthBody(options));
    const differences = listDifferences(stored, [...stored, created], zone.defaultTtl);
    return showPreview(session, differences, [], line === null ? [] : [line]);
  }
  const created = await client.call(recordApi.createRecord, { params: { id: zone.id }, body }, { signal });
  await tell(session, created, 'created');
  await session.served?.(zone.id);
}

/** @throws Error without any change */
export async function updateRecord(
  session: Session,
  nameOrId: string,
  recordId: string,
  changes: UpdateOptions & { content: string | undefined },
): Promise<void> {
  const { content, ttl, priority, comment, dryRun } = changes;
  if ([content, ttl, priority, comment].every((each) => each === undefined) && !hasHealthOptions(changes)) {
    throw new Error(
      'nothing to change; give a content, --ttl, --no-ttl, --priority, --comment, --check, --tier, --when-all-fail, --weight, --reverse or --no-reverse',
    );
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
    ...healthBody(changes, before),
  };
  if (dryRun) {
    const line = healthLine(body, before, healthBody(changes, before));
    const after = { ...before, ...body, ttl: newTtl.ttl ?? zone.defaultTtl };
    const [old, wanted] = [parsedRecords(zone, [before]), [parsedRecord(zone, after)]];
    return showPreview(session, listDifferences(old, wanted, zone.defaultTtl), [before], line === null ? [] : [line]);
  }
  await confirmOwned([before], changes, signal);
  // The values that stay are those that were read, so the record must still have them.
  const ifMatch = changes.ifMatch ?? etag;
  const input = { params: { id: zone.id, recordId }, body };
  await tell(session, await client.call(recordApi.replaceRecord, input, { signal, ifMatch }), 'updated');
  await session.served?.(zone.id);
}

/** The record with its ETag. @throws Error if there is none */
export async function recordOf(
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
  await show(session, record, () => session.print(`${formatRecord(record)} is ${what} (${record.id})`));
}

export function formatRecord({ name, ttl, type, content, ...parts }: DnsRecord): string {
  const text = [writeHealth(parts), writeReverse(parts)].filter(Boolean).join(', ');
  return `${name} ${ttl} ${type} ${content}${text === '' ? '' : ` (${text})`}`;
}

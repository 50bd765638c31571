// `zonestead records list`
import { fetchRecords } from '#client/lists.ts';
import { writeHealth, writeReverse } from '#contract/check-text.ts';
import type { ListedRecord } from '#contract/record.ts';
import { show } from '../output.ts';
import { describeRestCommand, ZONE } from '../rest/command.ts';
import { type Session, zoneOf } from '../rest/session.ts';
import { table } from '../table.ts';
import { typeOf } from './options.ts';

interface Filter {
  name?: string;
  type?: string;
  etags?: boolean;
}

export const list = describeRestCommand({
  name: 'list',
  describe: 'list the records of a zone, with their comments after ";"',
  arguments: [ZONE],
  options: [
    { flags: '--name <name>', describe: 'list only records of this name' },
    { flags: '--type <type>', describe: 'list only records of this type' },
    { flags: '--etags', describe: 'print the ETag of each record, for --if-match' },
  ],
  examples: ['zonestead records list shop.example', 'zonestead records list shop.example --type MX -o json'],
  run: (session, [zone = ''], filter: Filter) => listRecords(session, zone, filter),
});

async function listRecords(session: Session, zone: string, filter: Filter): Promise<void> {
  const { client, signal, print } = session;
  const { id } = await zoneOf(session, zone);
  const type = filter.type === undefined ? undefined : typeOf(filter.type);
  const { name, etags = false } = filter;
  const records = await fetchRecords(client, id, { name, type, etags, owners: true }, { signal });
  const hasOwners = records.some(({ owners = [] }) => owners.length > 0);
  const hasHealth = records.some((record) => writeHealth(record) !== '');
  const hasReverse = records.some((record) => writeReverse(record) !== '');
  const more = [
    ...(etags ? ['ETAG'] : []),
    ...(hasOwners ? ['OWNERS'] : []),
    ...(hasHealth ? ['CHECK'] : []),
    ...(hasReverse ? ['REVERSE'] : []),
  ];
  const rows = records.map((record) => rowOf(record, { hasOwners, hasHealth, hasReverse }));
  await show(session, { records }, () =>
    table(['NAME', 'TYPE', 'TTL', 'PRIORITY', 'ID', ...more, 'CONTENT'], rows, print),
  );
}

/** A comment follows its content in the way of a zone file. */
function rowOf(record: ListedRecord, shown: Record<'hasOwners' | 'hasHealth' | 'hasReverse', boolean>): string[] {
  const { name, type, ttl, priority, id, content, comment, etag, owners = [] } = record;
  const text = comment === undefined ? content : `${content} ; ${comment}`;
  const tag = etag === undefined ? [] : [etag];
  const own = shown.hasOwners ? [owners.join(',') || '-'] : [];
  const health = shown.hasHealth ? [writeHealth(record) || '-'] : [];
  const reverse = shown.hasReverse ? [writeReverse(record) || '-'] : [];
  const extras = [...tag, ...own, ...health, ...reverse];
  return [name, type, String(ttl), priority === null ? '-' : String(priority), id, ...extras, text];
}

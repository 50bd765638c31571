// `zonestead records set`: makes the records of a name and type exactly the given values, in one transaction.
import { fetchRecords } from '#client/lists.ts';
import { applyBatch } from '#contract/operations/records.ts';
import type { DnsRecord } from '#contract/record.ts';
import type { Zone } from '#contract/zone.ts';
import type { ParsedRecord } from '#dns/record.ts';
import { confirm } from '../confirm.ts';
import { deletedIn, listDifferences } from '../difference.ts';
import { DRY_RUN_OPTION, FORCE_OPTION, type ForceOption, quotingHint, YES_OPTION, type YesOption } from '../options.ts';
import { show } from '../output.ts';
import { describeRestCommand, ZONE } from '../rest/command.ts';
import { confirmOwned } from '../rest/owned.ts';
import { printDifferences, showPreview } from '../rest/preview.ts';
import { type Session, zoneOf } from '../rest/session.ts';
import { ownTtl, parsedRecord, parsedRecords } from '../rest/stored-records.ts';
import { HEALTH, type HealthOptions } from './health.ts';
import { COMMENT, NAME, NO_TTL, splitPriority, TTL, TYPE, typeOf, type WriteOptions } from './options.ts';
import { changesOf, healthLines } from './set-changes.ts';

type SetOptions = Pick<WriteOptions, 'ttl' | 'comment' | 'dryRun'> & HealthOptions & YesOption & ForceOption;

export const set = describeRestCommand({
  name: 'set',
  describe: 'make the records of a name and type exactly these values',
  arguments: [
    ZONE,
    NAME,
    TYPE,
    { usage: '<values...>', describe: 'contents in zone-file syntax; for MX, with the priority first' },
  ],
  options: [
    {
      flags: TTL,
      describe: 'TTL of all values, in seconds or as 5m, 1h or 1d (default: the TTL that the records share)',
      value: 'seconds',
    },
    NO_TTL,
    { flags: COMMENT, describe: 'comment of all values; "" removes it (default: records keep their comments)' },
    ...HEALTH,
    YES_OPTION,
    FORCE_OPTION,
    DRY_RUN_OPTION,
  ],
  waits: true,
  hint: quotingHint(),
  examples: [
    'zonestead records set shop.example www A 192.0.2.1 192.0.2.2 --ttl 1h',
    'zonestead records set shop.example www A 192.0.2.1 192.0.2.2 --check web',
    "zonestead records set shop.example @ MX '10 mail.example.net' '20 backup.example.net'",
    "zonestead records set shop.example @ TXT 'v=spf1 mx -all' --dry-run",
  ],
  run: (session, [zone = '', name = '', type = '', ...values], options: SetOptions) =>
    setRecords(session, zone, { name, type, values }, options),
});

/** @throws Error if a value is wrong, and unless the deletion of several records is confirmed */
export async function setRecords(
  session: Session,
  nameOrId: string,
  { name, type, values }: { name: string; type: string; values: readonly string[] },
  options: SetOptions,
): Promise<void> {
  const { client, signal, print } = session;
  const zone = await zoneOf(session, nameOrId);
  const stored = await fetchRecords(
    client,
    zone.id,
    { name, type: typeOf(type), etags: true, owners: true },
    { signal },
  );
  const ttl = ttlOf(zone, stored, options.ttl);
  const wanted = parsedValues(zone, { name, type: typeOf(type), ttl }, values);
  const differences = listDifferences(parsedRecords(zone, stored), wanted, zone.defaultTtl);
  const changes = changesOf(zone, stored, wanted, options);
  const health = healthLines(stored, changes);
  const ids = new Set(changes.flatMap((change) => (change.action === 'create' ? [] : [change.id])));
  const touched = stored.filter(({ id }) => ids.has(id));
  if (options.dryRun) return showPreview(session, differences, touched, health);
  await confirmOwned(touched, options, signal);
  const deleted = deletedIn(differences);
  if (deleted > 1)
    await confirm(`this deletes ${deleted} records of ${name} ${type} in ${zone.zoneName}`, options, signal);
  if (changes.length > 0) await client.call(applyBatch, { params: { id: zone.id }, body: { changes } }, { signal });
  await show(session, { differences }, () => {
    if (changes.length === 0) print(`${name} ${type} has these values already`);
    else printDifferences(differences, print);
    for (const line of health) print(line);
  });
  await session.served?.(zone.id);
}

/** The given TTL, or the one that all stored records share. Null: the default of the zone. */
function ttlOf(zone: Zone, stored: readonly DnsRecord[], given: number | false | undefined): number | null {
  if (given === false) return null;
  if (given !== undefined) return given;
  const [first, ...more] = stored;
  const isShared = first !== undefined && more.every(({ ttl }) => ttl === first.ttl);
  return isShared ? (ownTtl(zone, first.ttl).ttl ?? null) : null;
}

/** @throws Error with a hint, if the shell may have split one value */
function parsedValues(
  zone: Zone,
  record: { name: string; type: string; ttl: number | null },
  values: readonly string[],
): ParsedRecord[] {
  try {
    return values.map((value) => parsedValue(zone, record, value));
  } catch (error) {
    if (values.length === 1 || !(error instanceof Error)) throw error;
    throw new Error(`${error.message} ${quotingHint(values)}`);
  }
}

function parsedValue(
  zone: Zone,
  record: { name: string; type: string; ttl: number | null },
  value: string,
): ParsedRecord {
  return parsedRecord(zone, { ...record, ...splitPriority(record.type, value) });
}

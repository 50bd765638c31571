// The owners of records that a command is about to change. They may revert the change, so the command says so and asks.
import { writeFew } from '#base/few.ts';
import { ownerName } from '#base/owner-names.ts';
import type { DnsRecord } from '#contract/record.ts';
import { confirm } from '../confirm.ts';
import type { ForceOption } from '../options.ts';

/** The records that a sentence names. */
const MAX_SHOWN = 3;

/** A record that may have owners: the list of records has them on request. */
export type RecordWithOwners = Pick<DnsRecord, 'name' | 'type' | 'content' | 'owners'>;

/** `www A 192.0.2.1 (the DNSRecord default/www in the cluster prod)`, for each record that has owners. */
export function ownedLines(records: readonly RecordWithOwners[]): string[] {
  return records.flatMap(({ name, type, content, owners = [] }) =>
    owners.length === 0 ? [] : [`${name} ${type} ${content} (${owners.map(ownerName).join(', ')})`],
  );
}

/** The sentence of a dry run about a line of `ownedLines`. */
export function ownedNotice(line: string): string {
  return `has an owner, which may revert this: ${line}`;
}

/**
 * Asks if some of the records have owners.
 * @param verb the change, before the word "records". (Default: changes.)
 * @throws Error unless the change is confirmed
 */
export async function confirmOwned(
  records: readonly RecordWithOwners[],
  { force }: ForceOption,
  signal: AbortSignal,
  verb = 'changes',
): Promise<void> {
  const lines = ownedLines(records);
  if (lines.length === 0) return;
  const effect = `this ${verb} records that have owners, which may revert it: ${writeFew(lines, MAX_SHOWN)}`;
  await confirm(effect, { yes: force === true }, signal, '--force');
}

// Writes many changes of records of a zone in one transaction, in pieces that Postgres and the process can bear.
import type { ParsedRecord } from '#dns/record.ts';
import type { Tx } from '#store/database.ts';
import { insertValues, releaseValues, removeValues, updateValues, type ZoneWrite } from '#store/zone-values.ts';
import type { ServiceContext } from '../context.ts';
import { constraintRefusal, digestText, idsInSharedSets, newRecordId } from './row-writes.ts';

/** A record that is written; one without a comment, or without a check, keeps the stored one. */
type BulkRecord = ParsedRecord & { readonly id?: string };

export interface BulkEdits {
  /** The ids of the records that are deleted. */
  deletes: readonly string[];
  updates: readonly {
    id: string;
    record: BulkRecord;
    /** Whether only the TTL changes. The stored content keeps its spelling then. */
    isSameValue: boolean;
  }[];
  /** Records without an id get a new one. */
  creates: readonly BulkRecord[];
}

/**
 * Deletes first and inserts last, so that no intermediate state violates a constraint.
 * @throws Refusal conflict if a constraint rejects a change that the rules allowed
 */
export async function writeEdits(
  tx: Tx,
  context: Pick<ServiceContext, 'random'>,
  { deletes, updates, creates }: BulkEdits,
  to: ZoneWrite,
): Promise<void> {
  const changing = updates.filter(({ isSameValue }) => !isSameValue);
  const exchanging = idsInSharedSets(changing.map(({ id, record: { ordername, type } }) => ({ id, ordername, type })));
  try {
    await removeValues(tx, to, deletes);
    if (exchanging.length > 0) await releaseValues(tx, exchanging);
    await updateValues(tx, to, updatedRows(updates));
    await insertValues(tx, to, createdRows(context, creates));
  } catch (error) {
    throw constraintRefusal(error) ?? error;
  }
}

function* updatedRows(updates: BulkEdits['updates']) {
  for (const { id, record, isSameValue } of updates) {
    if (isSameValue) yield { id, ttl: record.ttl };
    else yield { id, ...storedForm(record) };
  }
}

function* createdRows(context: Pick<ServiceContext, 'random'>, creates: BulkEdits['creates']) {
  for (const record of creates) {
    const { id = newRecordId(context), name, ordername, type } = record;
    yield { id, name, ordername, type, ...storedForm(record) };
  }
}

/** An empty comment is none, and an empty health. */
function storedForm({ content, rdata, wire, ttl, priority, comment, health }: BulkRecord) {
  const form = { content, rdata, digest: digestText(wire), ttl, priority };
  return {
    ...form,
    ...(comment === undefined ? {} : { comment: comment ?? '' }),
    ...(health === undefined ? {} : { health: health ?? {} }),
  };
}

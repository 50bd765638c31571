// Writes the edits of many RRsets in one transaction, in pieces that Postgres and the process can bear.
import type { Tx } from '#store/database.ts';
import type { ZoneWrite } from '#store/zone-values.ts';
import type { Outcome } from '../change.ts';
import type { ServiceContext } from '../context.ts';
import { growthBetween } from '../records/growth.ts';
import type { Edit, WantedRecord } from '../records/rrsets.ts';
import { newRecordId } from '../records/write.ts';
import { writeValues } from '../records/write-values.ts';
import { digestText } from '../zonefile/diff.ts';
import type { PlannedRrset } from './plan.ts';

type Update = Extract<Edit, { kind: 'update' }>;
type Creation = Extract<Edit, { kind: 'create' }>;

/** @param restoredTo the time in the history of the change */
export function bulkOf(
  tx: Tx,
  context: Pick<ServiceContext, 'random'>,
  rrsets: readonly PlannedRrset[],
  restoredTo: Date,
): NonNullable<Outcome<unknown>['bulk']> {
  const growth = { records: 0, bytes: 0 };
  for (const { edits } of rrsets) {
    for (const edit of edits) {
      const { records, bytes } = growthOf(edit);
      growth.records += records;
      growth.bytes += bytes;
    }
  }
  const names = [...new Set(rrsets.map(({ past }) => past.name))];
  const mark = { restoredTo, undoes: null };
  return { growth, names, write: (to) => writeEdits(tx, context, rrsets, { ...to, mark }) };
}

function growthOf(edit: Edit) {
  const record = withComment(edit.record);
  if (edit.kind === 'update') return growthBetween(withComment(edit.before), record);
  return edit.kind === 'create' ? growthBetween(null, record) : growthBetween(record, null);
}

function withComment<T extends { comment?: string | null }>(record: T): T & { comment: string | null } {
  return { ...record, comment: record.comment ?? null };
}

/** @throws Refusal conflict if a constraint rejects the records */
async function writeEdits(
  tx: Tx,
  context: Pick<ServiceContext, 'random'>,
  rrsets: readonly PlannedRrset[],
  to: ZoneWrite,
): Promise<void> {
  const deletes: string[] = [];
  const updates: Update[] = [];
  const creations: Creation[] = [];
  const exchanging: string[] = [];
  for (const { edits } of rrsets) {
    const changed = edits.filter((edit) => edit.kind === 'update');
    updates.push(...changed);
    // Two records of one set could exchange their values.
    if (changed.length > 1) exchanging.push(...changed.map(({ id }) => id));
    for (const edit of edits) {
      if (edit.kind === 'delete') deletes.push(edit.id);
      if (edit.kind === 'create') creations.push(edit);
    }
  }
  await writeValues(tx, to, {
    deletes,
    updates: updatedRows(updates),
    exchanging,
    creates: createdRows(context, creations),
  });
}

function* updatedRows(updates: readonly Update[]) {
  for (const { id, record } of updates) yield { id, ...storedForm(record) };
}

function* createdRows(context: Pick<ServiceContext, 'random'>, creations: readonly Creation[]) {
  for (const { record } of creations) {
    const { id = newRecordId(context), name, ordername, type } = record;
    yield { id, name, ordername, type, ...storedForm(record) };
  }
}

function storedForm({ content, rdata, wire, ttl, priority, comment }: WantedRecord) {
  return { content, rdata, digest: digestText(wire), ttl, priority, comment: comment ?? '' };
}

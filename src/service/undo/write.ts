// The write of a restore, as a part of the change of a zone.
import type { ParsedRecord } from '#dns/record.ts';
import type { Tx } from '#store/database.ts';
import { type BulkEdits, writeEdits } from '../change/bulk.ts';
import { growthBetween } from '../change/growth.ts';
import type { BulkChange } from '../change/locked.ts';
import type { ServiceContext } from '../context.ts';
import type { RecordEdit } from '../records/rrsets.ts';
import type { PlannedRrset } from './plan.ts';

/** @param restoredTo the time in the history of the change */
export function planUndoBulk(
  tx: Tx,
  context: Pick<ServiceContext, 'random'>,
  rrsets: readonly PlannedRrset[],
  restoredTo: Date,
): BulkChange {
  const growth = { records: 0, bytes: 0 };
  const edits = {
    deletes: [] as string[],
    updates: [] as BulkEdits['updates'][number][],
    creates: [] as RecordEdit['record'][],
  };
  for (const edit of rrsets.flatMap((rrset) => rrset.edits)) {
    const { records, bytes } = measureGrowth(edit);
    growth.records += records;
    growth.bytes += bytes;
    const record = withComment(edit.record);
    if (edit.kind === 'delete') edits.deletes.push(edit.id);
    else if (edit.kind === 'update') edits.updates.push({ id: edit.id, record, isSameValue: false });
    else edits.creates.push(record);
  }
  const names = [...new Set(rrsets.map(({ past }) => past.name))];
  const mark = { restoredTo, undoes: null };
  return { growth, names, write: (to) => writeEdits(tx, context, edits, { ...to, mark }) };
}

function measureGrowth(edit: RecordEdit) {
  if (edit.kind === 'update') return growthBetween(withComment(edit.before), withComment(edit.record));
  const record = withComment(edit.record);
  return edit.kind === 'create' ? growthBetween(null, record) : growthBetween(record, null);
}

/** A restore puts back the comment and the check as well: a record without them loses those of today. */
function withComment<T extends Pick<ParsedRecord, 'comment' | 'health'>>(record: T) {
  return { ...record, comment: record.comment ?? null, health: record.health ?? null };
}

// The requested changes of records and their results. A single POST, PUT or DELETE is a batch of one change.
import { type ParsedRecord, parseRecord, type RecordInput } from '#dns/record.ts';
import type { Verdict } from '#dns/verdict.ts';
import type { Once } from '../change/once.ts';
import type { TagCondition } from '../conditions/match.ts';
import { Refusal, type RefusalData } from '../refusal.ts';
import type { RecordView } from '../zones/view.ts';

/** `requestId` is the request id in the history; absent: the caller's. */
type Common = { requestId?: string | undefined };

export type BatchChange = Common &
  // The Idempotency-Key of one creation works like that of a single POST.
  (
    | { action: 'create'; record: RecordInput; once?: Once }
    | { action: 'update'; id: string; record: RecordInput; condition?: TagCondition | null }
    | { action: 'delete'; id: string; condition?: TagCondition | null }
  );

/** One request to change the records of a zone. */
export interface Batch {
  /** Whether all changes are made or none. Otherwise each change succeeds or fails alone. */
  atomic: boolean;
  /** A change that could not be read is a Refusal. */
  changes: readonly (BatchChange | Refusal)[];
}

/** The result of one change, as plain JSON, because it is stored for repeated requests. */
export type BatchChangeResult =
  | { ok: true; action: BatchChange['action']; record: RecordView | null }
  | { ok: false; refusal: RefusalData };

type Parsed<C> = C extends { record: RecordInput } ? Omit<C, 'record'> & { record: Verdict<ParsedRecord> } : C;

/** A change with its parsed record. Errors of the record are reported after the checks of rights and existence. */
export type ReadChange = Parsed<BatchChange> | Refusal;

/** @param zoneName canonical */
export function readChange(change: BatchChange | Refusal, zoneName: string): ReadChange {
  if (change instanceof Refusal || change.action === 'delete') return change;
  return { ...change, record: parseRecord(change.record, zoneName) };
}

/** The records that the changes would write, without those that could not be parsed. */
export function listWrittenRecords(changes: readonly ReadChange[]): ParsedRecord[] {
  return changes.flatMap((change) =>
    change instanceof Refusal || change.action === 'delete' || !change.record.ok ? [] : [change.record.value],
  );
}

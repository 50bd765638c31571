// Undo: puts back the RRsets that some selected changes wrote, as one change of the zone. A plan is made without the
// zone's lock and holds only while the zone stays as it was read; otherwise it is made again.
import { inOneStep } from '#dns/steps.ts';
import type { Tx } from '#store/database.ts';
import {
  prunedUntil,
  type RecordedStep,
  type SelectedChange,
  type Selection,
  selectedChanges,
  stepsSince,
} from '#store/undo.ts';
import { inOneSnapshot, type ZoneRow } from '#store/zones.ts';
import { mustWriteRecord, mustWriteRecords } from '../accounts/actor.ts';
import { storedAnswer } from '../change/once.ts';
import { busy } from '../change/queue.ts';
import type { WriteBudget } from '../change/write-budget.ts';
import { mustMatchRecords } from '../conditions/condition.ts';
import { recordsTag } from '../conditions/tags.ts';
import type { Caller, ServiceContext } from '../context.ts';
import { holderOf } from '../permits.ts';
import { editRrsets, tryRrsets } from '../records/edit-rrsets.ts';
import type { RrsetEdit, RrsetResult } from '../records/rrsets.ts';
import { Refusal, refusal } from '../refusal.ts';
import { seeZone } from '../zones/zones.ts';
import { buildUndoAnswer, type Conflict, refuseConflicts, type UndoResult } from './answer.ts';
import { isUnchanged, type Planner, PlanSize, planAll, type ZonePlan } from './load.ts';
import { planRrset } from './plan.ts';
import { rewind } from './rewind.ts';

export type { Selection } from '#store/undo.ts';

/** The most changes that are undone one by one. */
const MAX_UNDONE = 1_000;
/** How often a plan is made because the zone changed meanwhile. */
const ATTEMPTS = 4;

export interface UndoOptions {
  /** Whether the answer is a preview and nothing is written. */
  dryRun: boolean;
  /** Counts the RRsets that change in the write window; null: no limit. */
  budget: WriteBudget | null;
  /** Cancels the planning. */
  signal?: AbortSignal;
}

/**
 * Puts back the RRsets that the changes wrote, all or nothing. A preview lists the conflicts.
 * @throws Refusal no_zone, forbidden, not_found (no such change), precondition_failed, bad_request, conflict,
 * rate_limited, busy
 */
export async function undoChanges(
  context: ServiceContext,
  caller: Caller,
  zoneId: string,
  selection: Selection,
  { dryRun, budget, signal }: UndoOptions,
): Promise<UndoResult> {
  const { actor } = caller;
  await seeZone(context, actor, zoneId, 'no_zone');
  mustWriteRecords(actor, zoneId);
  // A repeated request gets its answer: a new plan would find that the changes are undone already.
  const answerRow = dryRun ? null : await storedAnswer(context.db, caller);
  if (answerRow !== null) {
    const answer = doneAnswer(answerRow.answer as RrsetResult<UndoResult>);
    for (const place of answer.differences) mustWriteRecord(actor, zoneId, place);
    return answer;
  }
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const plan = await planUndo(context, caller, zoneId, selection, signal);
    const outdatedRefusal = busy();
    const edit = buildEdit(plan, outdatedRefusal);
    try {
      if (dryRun) return await preview(context, caller, zoneId, plan, edit);
      if (plan.conflicts.length > 0) throw refuseConflicts(plan.conflicts);
      const result = await editRrsets(context, caller, zoneId, edit, budget);
      return doneAnswer(result);
    } catch (error) {
      if (error === outdatedRefusal) continue;
      const conflict = conflictIn(error, plan);
      throw conflict === null ? error : refuseConflicts([conflict]);
    }
  }
  throw busy();
}

function doneAnswer({ answer, serials }: RrsetResult<UndoResult>): UndoResult {
  return { ...answer, serial: serials.after };
}

async function preview(
  context: ServiceContext,
  caller: Caller,
  zoneId: string,
  plan: ZonePlan,
  edit: RrsetEdit<UndoResult>,
): Promise<UndoResult> {
  const conflicts = [...plan.conflicts];
  try {
    await tryRrsets(context, caller, zoneId, edit);
  } catch (error) {
    const conflict = conflictIn(error, plan);
    if (conflict === null) throw error;
    conflicts.push(conflict);
  }
  const differences = plan.rrsets.map(({ difference }) => difference);
  const answer = buildUndoAnswer({ differences, conflicts }, true, plan.zone.serial);
  return { ...answer, etag: recordsTag(plan.zone), changes: plan.rrsets.length };
}

/** @throws Refusal; the reason of the signal */
async function planUndo(
  context: ServiceContext,
  caller: Caller,
  zoneId: string,
  selection: Selection,
  signal?: AbortSignal,
): Promise<ZonePlan> {
  const { actor } = caller;
  const release = await context.imports.take(holderOf(actor), signal);
  try {
    return await inOneSnapshot(context.db, async (tx) => {
      const zone = await seeZone({ ...context, db: tx }, actor, zoneId, 'no_zone');
      mustMatchRecords(caller, zone);
      await mustHaveHistory(tx, zone, selection);
      const changeRows = await selectedChanges(tx, zoneId, selection, MAX_UNDONE + 1);
      const changes = pickRecordChanges(selection, changeRows);
      for (const place of changes) mustWriteRecord(actor, zoneId, place);
      const steps = await stepsSince(tx, zone, changes[0]?.id ?? 0, listPlaces(changes));
      if (steps === null) throw refusal('undo-too-old');
      signal?.throwIfAborted();
      const rewound = rewind(steps, new Set(changes.map(({ id }) => id)));
      const later = rewound.flatMap((each) => ('later' in each ? [laterConflict(each.later)] : []));
      const pasts = rewound.flatMap((each) => ('later' in each ? [] : [each]));
      const planner: Planner = (...of) => ({ planned: planRrset(...of), left: null });
      const plan = await planAll(tx, zone, pasts, planner, new PlanSize(), signal);
      return { ...plan, conflicts: [...later, ...plan.conflicts] };
    });
  } finally {
    release();
  }
}

/** @throws Refusal bad_request if changes since that time are deleted from the history */
async function mustHaveHistory(tx: Tx, zone: ZoneRow, selection: Selection): Promise<void> {
  if (!('since' in selection)) return;
  const prunedTime = await prunedUntil(tx, zone);
  if (prunedTime === null || selection.since > prunedTime) return;
  throw refusal('undo-beyond-history', { at: selection.since.toISOString(), from: prunedTime.toISOString() });
}

type RecordChange = SelectedChange & { name: string; type: NonNullable<SelectedChange['type']> };

/** The changes of records among the selected ones. @throws Refusal not_found, bad_request */
function pickRecordChanges(selection: Selection, changeRows: readonly SelectedChange[]): RecordChange[] {
  const records = changeRows.flatMap((each) =>
    each.name === null || each.type === null ? [] : [each as RecordChange],
  );
  if ('changes' in selection) {
    const ids = new Set(changeRows.map(({ id }) => id));
    const missingId = selection.changes.find((id) => !ids.has(id));
    if (missingId !== undefined) throw refusal('no-change', { id: missingId });
    const other = changeRows.find(({ name }) => name === null);
    if (other !== undefined) throw refusal('undo-of-zone', { id: other.id, action: other.action });
  }
  if (records.length === 0) throw refusal('undo-nothing');
  if (changeRows.length > MAX_UNDONE) throw refusal('undo-too-many', { limit: MAX_UNDONE });
  return records;
}

function listPlaces(changes: readonly RecordChange[]): RecordChange[] {
  return [...new Map(changes.map((each) => [`${each.name} ${each.type}`, each])).values()];
}

function laterConflict({ id, name, type, keyId, owner }: RecordedStep): Conflict {
  const author = owner === null ? `the key ${keyId}` : owner;
  const message = `the later change ${id} by ${author} wrote the same records; undo it as well, or first.`;
  return { change: id, name, type, message };
}

function buildEdit(plan: ZonePlan, outdatedRefusal: Refusal): RrsetEdit<UndoResult> {
  const rrsets = plan.rrsets.map(({ past: { name, type, undoes }, wanted }) => ({
    name,
    type,
    records: wanted,
    ...(undoes === null ? {} : { undoes }),
  }));
  const differences = plan.rrsets.map(({ difference }) => difference);
  const answer = buildUndoAnswer({ differences, conflicts: [] }, false, 0);
  return {
    names: [...new Set(rrsets.map(({ name }) => name))],
    candidates: plan.rrsets.flatMap(({ wanted }) => wanted),
    touches: rrsets,
    plan: ({ zone, isChanged }) =>
      inOneStep(() => (!isChanged && isUnchanged(plan.zone, zone) ? { rrsets, answer } : outdatedRefusal)),
    refused: (refused, { name, type }) => {
      if (refused.code !== 'conflict' && refused.code !== 'bad_request') return refused;
      return refusal('undo-against-rule', { name, type, problem: refused.sentence }, { records: refused.records });
    },
  };
}

/** The conflict that a rule about records found; null: another error. */
function conflictIn(error: unknown, { rrsets }: { rrsets: ZonePlan['rrsets']; zone: ZoneRow }): Conflict | null {
  if (!(error instanceof Refusal) || error.rule !== 'undo-against-rule') return null;
  const { name, type, problem } = error.parameters;
  const past = rrsets.find((each) => each.past.name === name && each.past.type === type)?.past;
  return past === undefined
    ? null
    : { change: past.change, name: past.name, type: past.type, message: String(problem) };
}

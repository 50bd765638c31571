// Restore: gives a zone the records that it had at a time, as one change. All records become as they were together, so
// the rules that held between them then hold again. Only two things can contradict them: the records of owners, which
// stay as they are, and zones that were created below this one since then. The plan is made without the zone's lock and
// holds only while the zone stays as it was read; otherwise it is made again.
import { fqdn, listSuffixes } from '#dns/names/name.ts';
import type { Tx } from '#store/database.ts';
import { findBeginning, firstChangeAfter, type PastRecord, prunedUntil, recordsBefore } from '#store/undo.ts';
import { inOneSnapshot, type ZoneRow } from '#store/zones.ts';
import { mustWriteRecords, readableOnly } from '../accounts/actor.ts';
import { changeLocked } from '../change/locked.ts';
import { storedAnswer } from '../change/once.ts';
import { busy } from '../change/queue.ts';
import { mustMatchRecords } from '../conditions/condition.ts';
import { recordsTag } from '../conditions/tags.ts';
import type { Caller, ServiceContext } from '../context.ts';
import { holderOf } from '../permits.ts';
import { prepareAliases } from '../records/alias-target.ts';
import { refusal } from '../refusal.ts';
import { readChildren } from '../zones/children.ts';
import { seeZone } from '../zones/zones.ts';
import { buildUndoAnswer, type Conflict, refuseConflicts, type UndoResult } from './answer.ts';
import { planAround } from './around.ts';
import { isUnchanged, PlanSize, planAll, type ZonePlan } from './load.ts';
import { conflictsWithOwned } from './next-to-owned.ts';
import type { PastRrset } from './rewind.ts';
import { planUndoBulk } from './write.ts';

export interface RestoreOptions {
  /** Whether the answer is a preview and nothing is written. */
  dryRun: boolean;
  /** Counts the request as so many record writes in total. */
  count: (changes: number) => Promise<void>;
  /** Cancels the planning. */
  signal?: AbortSignal;
}

/** How often a plan is made because the zone changed meanwhile. */
const ATTEMPTS = 4;
/** The number of ALIAS records whose targets are resolved before the restore. The worker resolves the others. */
const ALIASES = 64;

/**
 * Gives the zone the records that it had at a time, all or nothing. A preview lists the conflicts.
 * @throws Refusal no_zone, forbidden, precondition_failed, bad_request (the time), conflict, rate_limited, busy
 */
export async function restoreRecords(
  context: ServiceContext,
  caller: Caller,
  zoneId: string,
  at: Date,
  options: RestoreOptions,
): Promise<UndoResult> {
  const { dryRun, count, signal } = options;
  const seenZone = await seeZone(context, caller.actor, zoneId, 'no_zone');
  mustWriteRecords(caller.actor, seenZone.id);
  if (readableOnly(caller.actor) !== null) throw refusal('restores-a-part');
  const answerRow = dryRun ? null : await storedAnswer(context.db, caller);
  if (answerRow !== null) return answerRow.answer as UndoResult;
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const plan = await planRestore(context, caller, zoneId, at, options);
    const { rrsets, conflicts, zone } = plan;
    const changes = rrsets.reduce((sum, { edits }) => sum + edits.length, 0);
    if (dryRun) return { ...answerFor(plan, true, zone.serial), etag: recordsTag(zone), changes };
    if (conflicts.length > 0) throw refuseConflicts(conflicts);
    await count(changes);
    signal?.throwIfAborted();
    const answer = await write(context, caller, plan, at);
    if (answer !== null) return answer;
  }
  throw busy();
}

function answerFor({ rrsets, conflicts, left }: ZonePlan, dryRun: boolean, serial: number): UndoResult {
  const differences = rrsets.map(({ difference }) => difference);
  return buildUndoAnswer({ differences, conflicts, owned: left.flatMap(({ owned }) => owned) }, dryRun, serial);
}

interface RestorePlan extends ZonePlan {
  /** The names of the zones below this one, which no record may belong to. */
  children: readonly string[];
}

async function planRestore(
  context: ServiceContext,
  caller: Caller,
  zoneId: string,
  at: Date,
  { count, signal }: RestoreOptions,
): Promise<RestorePlan> {
  const { actor } = caller;
  await count(1);
  const release = await context.imports.take(holderOf(actor), signal);
  try {
    return await inOneSnapshot(context.db, async (tx) => {
      const zone = await seeZone({ ...context, db: tx }, actor, zoneId, 'no_zone');
      mustMatchRecords(caller, zone);
      await mustHaveHistory(tx, zone, at, context.now());
      const size = new PlanSize();
      const from = await firstChangeAfter(tx, zoneId, at);
      const pasts = from === null ? [] : await pastRrsets(recordsBefore(tx, zone, from), size, signal);
      const plan = await planAll(tx, zone, pasts, planAround, size, signal);
      const against = await conflictsWithOwned(tx, plan, size, signal);
      const children = (await readChildren(tx, zone)).map(({ name }) => name);
      return withoutForeign({ ...plan, conflicts: [...plan.conflicts, ...against], children });
    });
  } finally {
    release();
  }
}

/** @throws Refusal bad_request if the history does not have the records of that time */
async function mustHaveHistory(tx: Tx, zone: ZoneRow, at: Date, now: Date): Promise<void> {
  const givenTime = at.toISOString();
  if (at > now) throw refusal('restore-in-future', { at: givenTime, now: now.toISOString() });
  // The history may have an earlier time than the zone, because a change has the time at which its transaction began.
  const createdTime = (await findBeginning(tx, zone.id)) ?? zone.createdAt;
  if (at < createdTime) throw refusal('restore-before-zone', { at: givenTime, created: createdTime.toISOString() });
  const prunedTime = await prunedUntil(tx, zone);
  if (prunedTime !== null && at <= prunedTime)
    throw refusal('restore-beyond-history', { at: givenTime, from: prunedTime.toISOString() });
}

/** Groups the records by name and type. */
async function pastRrsets(
  pages: AsyncIterable<readonly PastRecord[]>,
  size: PlanSize,
  signal?: AbortSignal,
): Promise<PastRrset[]> {
  const places = new Map<string, PastRrset>();
  for await (const page of pages) {
    signal?.throwIfAborted();
    for (const { recordId, name, type, change, owners, value } of page) {
      size.add(value?.content.length ?? 0);
      const key = `${name} ${type}`;
      const past = places.get(key) ?? { name, type, values: new Map(), change: 0, undoes: null, owners: new Map() };
      places.set(key, past);
      past.values.set(recordId, value);
      past.change = Math.max(past.change, change);
      past.owners.set(recordId, new Set(owners));
    }
  }
  return [...places.values()];
}

/** Names that a zone below this one has taken since then are conflicts. */
function withoutForeign(plan: RestorePlan): RestorePlan {
  const { zone, children, rrsets } = plan;
  const takenNames = new Set(children);
  const foreign: Conflict[] = [];
  const rest = rrsets.filter(({ past: { name, type, change }, difference: { after } }) => {
    if (after.length === 0) return true;
    const full = fqdn(name, zone.name);
    const child =
      listSuffixes(full).find((suffix) => takenNames.has(suffix)) ??
      (type === 'DNAME' ? children.find((each) => each.endsWith(`.${full}`)) : undefined);
    if (child === undefined) return true;
    foreign.push({ change, name, type, message: `the zone ${child}, which this service hosts, has this name now.` });
    return false;
  });
  return { ...plan, rrsets: rest, conflicts: [...plan.conflicts, ...foreign] };
}

/** Null: the zone changed since it was read. */
async function write(
  context: ServiceContext,
  caller: Caller,
  plan: RestorePlan,
  restoredTo: Date,
): Promise<UndoResult | null> {
  const { zone: plannedZone, rrsets } = plan;
  const aliases = rrsets.flatMap(({ past, wanted }) => (past.type === 'ALIAS' ? wanted : [])).slice(0, ALIASES);
  await prepareAliases(context, caller.actor, plannedZone.id, aliases);
  const answer = answerFor(plan, false, plannedZone.serial);
  const outdatedError = new Error('the zone changed');
  try {
    return await changeLocked(context, caller, plannedZone.id, async (tx, zone) => {
      const children = (await readChildren(tx, zone)).map(({ name }) => name);
      if (!isUnchanged(plannedZone, zone) || children.join() !== plan.children.join()) throw outdatedError;
      if (rrsets.length === 0) return { answer: () => answer };
      const bulk = planUndoBulk(tx, context, rrsets, restoredTo);
      return { answer: ({ serial }) => ({ ...answer, serial }), bulk };
    });
  } catch (error) {
    if (error === outdatedError) return null;
    throw error;
  }
}

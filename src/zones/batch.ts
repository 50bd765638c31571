// Many record changes in one transaction: one lock, one serial, one history entry a change. All are judged in memory, in
// their order, each beside what the ones before it left; what remains is written in a few statements.
//
// Should a database constraint refuse what the rules let through, the whole is taken back to a savepoint and done again
// one by one, so that the one change at fault is found and the others are not lost.
import type { Neighbourhood } from '../dns/neighbourhood.ts';
import { type ParsedRecord, parseRecord, type RecordInput } from '../dns/record.ts';
import { judgeDelete, judgeWrite } from '../dns/rrset.ts';
import type { Tx } from '../store/database.ts';
import { type KeptAnswer, keepAnswers, keptAnswers } from '../store/idempotency.ts';
import { recordsByIds } from '../store/record-batches.ts';
import type { RecordRow } from '../store/records.ts';
import type { ZoneRow } from '../store/zones.ts';
import { mustWriteRecord, mustWriteRecords } from './actor.ts';
import { prepareAliases } from './alias-target.ts';
import { type Caller, changeZone, type Entry, type House, keyReused } from './change.ts';
import { mustKeepPlace, NO_RECORD } from './records.ts';
import { insist, Refusal } from './refusal.ts';
import { neighbourhoodOf } from './surroundings.ts';
import { type RecordView, recordView } from './view.ts';
import { constraintMessage, constraintOf, newRecordId, RecordWrites } from './write-records.ts';

/** The Idempotency-Key of one creation, as a POST of it alone would have it. */
export type Once = NonNullable<Caller['once']>;

/** What history calls its request. (Default: the caller's.) */
type Known = { requestId?: string | undefined };

export type RecordChange = Known &
  (
    | { action: 'create'; record: RecordInput; once?: Once; managedBy?: string | undefined }
    | { action: 'update'; id: string; record: RecordInput; managedBy?: string | undefined }
    | { action: 'delete'; id: string }
  );

export interface Batch {
  /** All or nothing; otherwise each change stands alone. */
  atomic: boolean;
  /** A Refusal in place of a change that could not even be read. */
  changes: (RecordChange | Refusal)[];
}

/** What became of one change, as plain JSON: it is kept for repeated requests. */
export type BatchResult =
  | { ok: true; action: RecordChange['action']; record: RecordView | null }
  | { ok: false; code: Refusal['code']; message: string };

/** @throws Refusal no_zone, busy; when atomic, that of the first change at fault, naming it as `changes.<index>` */
export async function applyBatch(house: House, caller: Caller, zoneId: string, batch: Batch): Promise<BatchResult[]> {
  const written = batch.changes.flatMap((change) =>
    change instanceof Refusal || change.action === 'delete' ? [] : [change.record],
  );
  await prepareAliases(house, caller.actor, zoneId, written);
  return changeZone(house, caller, zoneId, async (tx, zone) => {
    const done = await applyChanges(tx, house, caller, zone, batch);
    const results = done.map(
      ({ outcome }): BatchResult =>
        outcome instanceof Refusal ? { ok: false, code: outcome.code, message: outcome.message } : outcome,
    );
    return {
      answer: () => results,
      change: done.flatMap(({ entry }) => entry ?? []),
    };
  });
}

interface Done {
  outcome: Extract<BatchResult, { ok: true }> | Refusal;
  /** Null when nothing was changed. */
  entry: Entry | null;
  /** Set when the answer is to be kept. */
  once?: Once;
}

async function applyChanges(tx: Tx, house: House, caller: Caller, zone: ZoneRow, batch: Batch): Promise<Done[]> {
  try {
    return await tx.transaction(async (savepoint) => {
      const { done, writes } = await judgeChanges(savepoint, house, caller, zone, batch.changes);
      if (batch.atomic) refuseFirst(done);
      await writes.flush(savepoint, zone, house.now());
      await keepAnswers(savepoint, keptOf(done, caller, house.now()));
      return done;
    });
  } catch (error) {
    const constraint = constraintOf(error);
    if (constraint === null) throw error;
    if (batch.changes.length > 1) return oneByOne(tx, house, caller, zone, batch);
    const refusal = new Refusal('conflict', constraintMessage(constraint));
    if (batch.atomic) throw refusal;
    return [{ outcome: refusal, entry: null }];
  }
}

async function oneByOne(tx: Tx, house: House, caller: Caller, zone: ZoneRow, batch: Batch): Promise<Done[]> {
  const done: Done[] = [];
  for (const change of batch.changes) {
    done.push(...(await applyChanges(tx, house, caller, zone, { atomic: false, changes: [change] })));
    if (batch.atomic) refuseFirst(done);
  }
  return done;
}

/** @throws Refusal */
function refuseFirst(done: readonly Done[]): void {
  const index = done.findIndex(({ outcome }) => outcome instanceof Refusal);
  const outcome = done[index]?.outcome;
  if (!(outcome instanceof Refusal)) return;
  const { code, message } = outcome;
  // A message about a field begins with its name: `content: …`.
  const isAboutField = /^[a-zA-Z.]+(, [a-zA-Z.]+)*: /.test(message);
  throw new Refusal(code, `changes.${index}${isAboutField ? '.' : ': '}${message}`);
}

async function judgeChanges(tx: Tx, house: House, caller: Caller, zone: ZoneRow, changes: Batch['changes']) {
  const read = changes.map((change) => attempt(() => readChange(change, zone)));
  const ids = read.flatMap((change) => (change instanceof Refusal || change.action === 'create' ? [] : [change.id]));
  const stored = new Map((await recordsByIds(tx, zone.no, [...new Set(ids)])).map((row) => [row.id, row]));
  const written = read.flatMap((change) =>
    change instanceof Refusal || change.action === 'delete' ? [] : [change.record],
  );
  const hood = await neighbourhoodOf(tx, zone, written, [...stored.values()]);
  hood.expect(read.flatMap((change) => (change instanceof Refusal || change.action !== 'create' ? [] : change.record)));
  // The zone is locked: whoever used one of these keys for this zone before us is done with it.
  const tokens = read.flatMap((change) =>
    change instanceof Refusal || change.action !== 'create' || !change.once ? [] : [change.once.token],
  );
  const kept = await keptAnswers(tx, caller.actor.keyId, tokens);
  const writes = new RecordWrites();
  const judge: Judge = { house, caller, zone, hood, stored, current: new Map(stored), kept, writes };
  const done = read.map((change): Done => {
    if (change instanceof Refusal) return { outcome: change, entry: null };
    const judged = attempt(() => judgeChange(judge, change));
    if (judged instanceof Refusal) return { outcome: judged, entry: null };
    const { requestId } = change;
    return judged.entry && requestId !== undefined ? { ...judged, entry: { ...judged.entry, requestId } } : judged;
  });
  return { done, writes: judge.writes };
}

/** The answers as a POST would keep them. */
function keptOf(done: readonly Done[], caller: Caller, createdAt: Date) {
  return done.flatMap(({ once, outcome }) =>
    once === undefined || outcome instanceof Refusal
      ? []
      : [{ ...once, keyId: caller.actor.keyId, answer: outcome.record, createdAt }],
  );
}

type ReadChange = Known &
  (
    | { action: 'create'; record: ParsedRecord; once?: Once; managedBy?: string | undefined }
    | { action: 'update'; id: string; record: ParsedRecord; managedBy?: string | undefined }
    | { action: 'delete'; id: string }
  );

/** What a change says by itself. @throws Refusal */
function readChange(change: RecordChange | Refusal, zone: ZoneRow): ReadChange {
  if (change instanceof Refusal) throw change;
  return change.action === 'delete' ? change : { ...change, record: insist(parseRecord(change.record, zone.name)) };
}

interface Judge {
  house: House;
  caller: Caller;
  zone: ZoneRow;
  hood: Neighbourhood;
  /** The rows that are named by id, as they are in the database. */
  stored: ReadonlyMap<string, RecordRow>;
  /** The same rows as the changes so far left them. */
  current: Map<string, RecordRow>;
  /** Answers to Idempotency-Keys, those of this batch among them. */
  kept: Map<string, KeptAnswer>;
  writes: RecordWrites;
}

/** @throws Refusal */
function judgeChange(judge: Judge, change: ReadChange): Done {
  switch (change.action) {
    case 'create':
      return change.once ? createOnce(judge, change, change.once) : create(judge, change);
    case 'update':
      return update(judge, change);
    case 'delete':
      return remove(judge, change.id);
  }
}

type Written<A extends ReadChange['action']> = Extract<ReadChange, { action: A }>;

function createOnce(judge: Judge, change: Written<'create'>, once: Once): Done {
  const kept = judge.kept.get(once.token);
  if (kept === undefined) {
    const done = create(judge, change);
    if (!(done.outcome instanceof Refusal)) judge.kept.set(once.token, { ...once, answer: done.outcome.record });
    return { ...done, once };
  }
  if (Buffer.compare(kept.requestHash, once.requestHash) !== 0) throw keyReused();
  return { outcome: { ok: true, action: 'create', record: kept.answer as RecordView }, entry: null };
}

function create({ house, caller, zone, hood, writes }: Judge, { record, managedBy }: Written<'create'>): Done {
  mustWriteRecord(caller.actor, zone.id, record);
  insist(judgeWrite(record, hood.around(record, null)));
  const id = newRecordId(house);
  hood.put({ id, ...record });
  writes.insert(id, record, managedBy ?? caller.managedBy ?? null);
  const view = recordView({ id, ...record }, zone);
  return {
    outcome: { ok: true, action: 'create', record: view },
    entry: { action: 'record.create', before: null, after: view },
  };
}

function update({ caller, zone, hood, stored, current, writes }: Judge, change: Written<'update'>): Done {
  const { id, record } = change;
  // Who may not write at all must not learn which ids exist; a restricted key, not what others are.
  mustWriteRecords(caller.actor, zone.id);
  const row = current.get(id);
  if (!row) throw new Refusal('not_found', `id: ${NO_RECORD}`);
  mustWriteRecord(caller.actor, zone.id, row);
  mustWriteRecord(caller.actor, zone.id, record);
  mustKeepPlace(record, row);
  insist(judgeWrite(record, hood.around(record, id)));
  const [before, after] = [recordView(row, zone), recordView({ id, ...record }, zone)];
  const outcome = { ok: true, action: 'update', record: after } as const;
  const managedBy = change.managedBy ?? caller.managedBy ?? row.managedBy;
  const isSame = record.content === row.content && record.ttl === row.ttl && record.priority === row.priority;
  if (isSame && managedBy === row.managedBy) return { outcome, entry: null };
  hood.put({ id, ...record });
  current.set(id, { id, ...record, managedBy });
  writes.update(stored.get(id) as RecordRow, record, managedBy);
  // Whose it is, is no change of the zone.
  if (isSame) return { outcome, entry: null };
  return { outcome, entry: { action: 'record.update', before, after } };
}

function remove({ caller, zone, hood, current, writes }: Judge, id: string): Done {
  // Who may not write at all must not learn which ids exist.
  mustWriteRecords(caller.actor, zone.id);
  const row = current.get(id);
  if (!row) throw new Refusal('not_found', `id: ${NO_RECORD}`);
  mustWriteRecord(caller.actor, zone.id, row);
  insist(judgeDelete(row, hood.at(row.ordername, id)));
  hood.drop(row);
  current.delete(id);
  writes.delete(id);
  return {
    outcome: { ok: true, action: 'delete', record: null },
    entry: { action: 'record.delete', before: recordView(row, zone), after: null },
  };
}

/** @returns a Refusal that was thrown; anything else goes on its way */
function attempt<T>(work: () => T): T | Refusal {
  try {
    return work();
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
}

// Imports a zone file, which replaces the records of a zone. The import is planned without the zone's lock and then
// written in one transaction, with one serial and one history entry per record.
//
// Planning a file takes seconds. So the size of the file counts as writes before the service reads anything, the
// request waits for one of the few slots of the process, and it ends if the client closes the connection. After the
// planning, the number of changes counts if it is larger.
import { orderName } from '#dns/names/name.ts';
import { DEFAULT_TTL, type ParsedRecord } from '#dns/record.ts';
import { zoneCheckSteps } from '#dns/rules/zone-check.ts';
import { finishInTurns } from '#dns/steps.ts';
import { type LineProblem, MAX_PROBLEMS, type ZoneFile, zoneFileSteps } from '#dns/zonefile/read.ts';
import { firstOwners } from '#store/owner-pages.ts';
import { readContents, zoneValues } from '#store/zone-values.ts';
import { inOneSnapshot, type ZoneRow } from '#store/zones.ts';
import { type Actor, mustWriteAllRecords } from '../accounts/actor.ts';
import { changeLocked, writeChange } from '../change/locked.ts';
import { busy } from '../change/queue.ts';
import { mustMatchRecords } from '../conditions/condition.ts';
import type { Caller, ServiceContext } from '../context.ts';
import { holderOf } from '../permits.ts';
import { prepareAliases } from '../records/alias-target.ts';
import { type Refusal, refusal } from '../refusal.ts';
import { readChildren } from '../zones/children.ts';
import type { FirstRecords } from '../zones/create.ts';
import { seeZone } from '../zones/zones.ts';
import { planImportBulk } from './apply.ts';
import { diffZone, sizeOf, type ZoneDiff } from './diff.ts';

export interface ZoneFileImportResult {
  /** The number of records after the import. */
  records: number;
  created: number;
  updated: number;
  deleted: number;
  unchanged: number;
  /** The number of lines with records that the service creates itself, or that an earlier line has. */
  ignored: number;
  /** The first owners of the records that were updated or deleted, and how many owners these have. */
  owned: { owners: readonly string[]; count: number };
}

export interface ZoneFilePreview {
  /** The serial of the zone that the file was compared with. */
  serial: number;
  /** The number of records in the file. */
  records: number;
  ignored: number;
  /** The errors, ordered by line. If there are any, `diff` is null. */
  problems: LineProblem[];
  diff: ZoneDiff | null;
  /** The contents, shortened, of the first records that are deleted or updated, by id. */
  contents: ReadonlyMap<string, { content: string; priority: number | null }>;
}

export interface ImportRequest {
  /** Counts the request as `changes` record writes in total, including those that an earlier call counted. */
  count: (changes: number) => Promise<void>;
  /** Cancels the planning. */
  signal?: AbortSignal;
  /** Changes a TTL of the file, in seconds, before its range is checked. Absent: the TTL stays. */
  reviseTtl?: (seconds: number) => number;
}

/** The number of wrong lines that a refusal lists. */
const LINES_SHOWN = 20;
/** The number of stored records whose contents a preview shows, and the number of characters of each. */
const RECORDS_SHOWN = 100;
const CHARACTERS_SHOWN = 400;
/** The number of characters of a file that count as one write. */
const PER_WRITE = 256 * 1024;
/** The number of ALIAS records whose targets are resolved before the import. The worker resolves the others. */
const ALIASES = 64;

/**
 * Plans an import without writing anything.
 * @throws Refusal no_zone, forbidden, rate_limited, busy; the reason of the signal
 */
export async function previewZoneFile(
  context: ServiceContext,
  actor: Actor,
  zoneId: string,
  text: string,
  request: ImportRequest,
): Promise<ZoneFilePreview> {
  return planned(context, actor, zoneId, text, request, async ({ zone, file, problems, wanted, diff }) => ({
    serial: zone.serial,
    records: wanted.length,
    ignored: ignoredIn(file),
    problems,
    diff,
    contents: await readContents(context.db, diff === null ? [] : firstIds(diff), CHARACTERS_SHOWN),
  }));
}

function firstIds({ deletes, updates }: ZoneDiff): string[] {
  const rows = [...deletes.slice(0, RECORDS_SHOWN), ...updates.slice(0, RECORDS_SHOWN).map(({ stored }) => stored)];
  return rows.map(({ id }) => id);
}

/**
 * Replaces the records of the zone with the records of the file.
 * @param serial the serial that the zone must have. Absent: any.
 * @param request.agree throws to refuse the changes before they are written. Absent: all changes are accepted.
 * @throws Refusal no_zone, forbidden, bad_request (naming the lines), rate_limited, busy, conflict (another serial),
 * precondition_failed
 */
export async function importZoneFile(
  context: ServiceContext,
  caller: Caller,
  zoneId: string,
  text: string,
  request: ImportRequest & { agree?: (diff: ZoneDiff) => void },
  serial?: number,
): Promise<ZoneFileImportResult> {
  return planned(context, caller.actor, zoneId, text, request, async (plan) => {
    if (serial !== undefined && serial !== plan.zone.serial) throw anotherSerial();
    mustMatchRecords(caller, plan.zone);
    if (plan.diff === null) throw refuseLines(plan.problems);
    request.agree?.(plan.diff);
    await request.count(sizeOf(plan.diff));
    return write(context, caller, plan, plan.diff, request.signal, serial);
  });
}

/**
 * Plans the records of a zone that does not exist yet, from a zone file.
 * @param name canonical
 * @param use creates the zone with the function that it gets; the slot is released after that
 * @throws Refusal forbidden, bad_request (naming the lines), rate_limited, busy; the reason of the signal
 */
export async function withFirstRecords<T>(
  context: ServiceContext,
  caller: Caller,
  name: string,
  text: string,
  { count, signal, reviseTtl }: ImportRequest,
  use: (records: FirstRecords) => Promise<T>,
): Promise<T> {
  const zone = { id: '', name, tree: orderName(name), defaultTtl: DEFAULT_TTL };
  mustWriteAllRecords(caller.actor, zone.id);
  await count(writesFor(text));
  const release = await context.imports.take(holderOf(caller.actor), signal);
  try {
    const conditions = { zone, children: await readChildren(context.db, zone) };
    const { problems, wanted } = await readFile({ ...conditions, reviseTtl }, text, signal);
    if (problems.length > 0) throw refuseLines(problems);
    await count(wanted.length);
    signal?.throwIfAborted();
    return await use(async (tx, createdZone) => {
      // Another zone was created below this one.
      if (!haveSameConditions(conditions, { zone: createdZone, children: await readChildren(tx, createdZone) }))
        throw busy();
      if (wanted.length === 0) return;
      const bulk = await planImportBulk(tx, context, createdZone, {
        creates: wanted,
        updates: [],
        deletes: [],
        unchanged: 0,
      });
      await writeChange(tx, context, caller, createdZone, { answer: () => null, bulk });
    });
  } finally {
    release();
  }
}

interface Plan {
  zone: ZoneRow;
  children: readonly ZoneRow[];
  file: Omit<ZoneFile, 'records'>;
  problems: LineProblem[];
  wanted: ParsedRecord[];
  diff: ZoneDiff | null;
}

/** Plans an import without the zone's lock, and passes the plan to `use`. The slot is released after that. */
async function planned<T>(
  context: ServiceContext,
  actor: Actor,
  zoneId: string,
  text: string,
  { count, signal }: ImportRequest,
  use: (plan: Plan) => Promise<T>,
): Promise<T> {
  const seenZone = await seeZone(context, actor, zoneId, 'no_zone');
  mustWriteAllRecords(actor, seenZone.id);
  await count(writesFor(text));
  const release = await context.imports.take(holderOf(actor), signal);
  try {
    return await use(await planImport(context, actor, seenZone, text, signal));
  } finally {
    release();
  }
}

function ignoredIn({ ignoredLines, repeated }: Plan['file']): number {
  return ignoredLines.length + repeated.length;
}

/** The writes that a file counts as before it is read. */
function writesFor(text: string): number {
  return 1 + Math.floor(text.length / PER_WRITE);
}

async function planImport(
  context: ServiceContext,
  actor: Actor,
  seenZone: ZoneRow,
  text: string,
  signal?: AbortSignal,
): Promise<Plan> {
  // The file is checked before the records are loaded, so that a wrong file costs the database little.
  const { children, defaultTtl } = {
    children: await readChildren(context.db, seenZone),
    defaultTtl: seenZone.defaultTtl,
  };
  const { file, problems, wanted } = await readFile({ zone: seenZone, children }, text, signal);
  if (problems.length > 0) return { zone: seenZone, children, file, problems, wanted, diff: null };
  const before = await inOneSnapshot(context.db, async (tx) => ({
    zone: await seeZone({ ...context, db: tx }, actor, seenZone.id, 'no_zone'),
    values: await zoneValues(tx, seenZone.no, signal),
  }));
  const diff = await finishInTurns(diffZone(before.values, wanted), signal);
  return { zone: { ...before.zone, defaultTtl }, children, file, problems, wanted, diff };
}

interface FileConditions {
  zone: Pick<ZoneRow, 'name' | 'defaultTtl'>;
  children: readonly ZoneRow[];
  reviseTtl?: ImportRequest['reviseTtl'] | undefined;
}

/** Reads a file as the records of a zone, and checks them. */
async function readFile(
  { zone: { name, defaultTtl }, children, reviseTtl }: FileConditions,
  text: string,
  signal?: AbortSignal,
): Promise<Pick<Plan, 'file' | 'problems' | 'wanted'>> {
  const names = new Set(children.map((child) => child.name));
  const { records, ...file } = await finishInTurns(
    zoneFileSteps(text, { zone: name, defaultTtl, children: names, ...(reviseTtl && { reviseTtl }) }),
    signal,
  );
  // The rules across records are only checked if all lines are right, because a record may depend on one in a wrong
  // line.
  const problems =
    file.problems.length > 0 ? file.problems : await finishInTurns(zoneCheckSteps(records, name, children), signal);
  return { file, problems, wanted: records.map(({ record }) => record) };
}

/** Writes the plan under the zone's lock. Only data that may have changed since the planning is read again. */
async function write(
  context: ServiceContext,
  caller: Caller,
  plan: Plan,
  plannedDiff: ZoneDiff,
  signal?: AbortSignal,
  serial?: number,
): Promise<ZoneFileImportResult> {
  const { zone: before, wanted, file } = plan;
  await prepareAliases(context, caller.actor, before.id, someAliases(plannedDiff));
  signal?.throwIfAborted();
  return changeLocked(context, caller, before.id, async (tx, zone) => {
    signal?.throwIfAborted();
    // Every change of a zone changes its serial.
    if (serial !== undefined && serial !== zone.serial) throw anotherSerial();
    mustMatchRecords(caller, zone);
    const diff =
      zone.serial === before.serial
        ? plannedDiff
        : await finishInTurns(diffZone(await zoneValues(tx, zone.no), wanted), signal);
    const isSame = haveSameConditions(plan, { zone, children: await readChildren(tx, zone) });
    // Another change came first: nothing is written, and a retry counts the changes and checks the file again.
    if (sizeOf(diff) > Math.max(1, sizeOf(plannedDiff)) || !isSame) throw busy();
    const answer: ZoneFileImportResult = {
      records: wanted.length,
      created: diff.creates.length,
      updated: diff.updates.length,
      deleted: diff.deletes.length,
      unchanged: diff.unchanged,
      ignored: ignoredIn(file),
      owned: await firstOwners(tx, ownedIds(diff)),
    };
    if (sizeOf(diff) === 0) return { answer: () => answer };
    return { answer: () => answer, bulk: await planImportBulk(tx, context, zone, diff) };
  });
}

function ownedIds({ deletes, updates }: ZoneDiff): string[] {
  const rows = [...deletes, ...updates.map(({ stored }) => stored)];
  return rows.filter(({ managedBy }) => managedBy !== null).map(({ id }) => id);
}

function anotherSerial(): Refusal {
  return refusal('zone-file-outdated');
}

function someAliases({ creates, updates }: ZoneDiff): ParsedRecord[] {
  const aliases: ParsedRecord[] = [];
  for (const record of creates) {
    if (record.type === 'ALIAS') aliases.push(record);
    if (aliases.length === ALIASES) return aliases;
  }
  for (const { record } of updates) {
    if (record.type === 'ALIAS') aliases.push(record);
    if (aliases.length === ALIASES) return aliases;
  }
  return aliases;
}

type Conditions = { zone: Pick<ZoneRow, 'defaultTtl'>; children: readonly Pick<ZoneRow, 'name'>[] };

/** Whether the conditions for reading a file are still the same: the default TTL and the child zones. */
function haveSameConditions(a: Conditions, b: Conditions): boolean {
  const names = ({ children }: Conditions) => children.map(({ name }) => name).join();
  return a.zone.defaultTtl === b.zone.defaultTtl && names(a) === names(b);
}

function refuseLines(problems: readonly LineProblem[]): Refusal {
  const shownLines = problems
    .slice(0, LINES_SHOWN)
    .map(({ line, message }) => `Line ${line}: ${message}${message.endsWith('.') ? '' : '.'}`);
  const more = problems.length - shownLines.length;
  const rest = `${problems.length < MAX_PROBLEMS ? '' : 'at least '}${more}`;
  return refusal('zone-file-refused', { problems: `${shownLines.join(' ')}${more > 0 ? ` And ${rest} more.` : ''}` });
}

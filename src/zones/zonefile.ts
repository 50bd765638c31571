// A zone as one text: written out, or replaced as a whole. The replacement is judged as the zone that it will be, and
// written like a batch: one transaction, one serial, one history entry a record.
import { finishInTurns } from '../dns/steps.ts';
import { zoneCheckSteps } from '../dns/zone-check.ts';
import { type LineProblem, MAX_PROBLEMS, type ZoneFile, zoneFileSteps } from '../dns/zonefile-read.ts';
import { writeZoneFile } from '../dns/zonefile-write.ts';
import type { Tx } from '../store/database.ts';
import { allRecords } from '../store/record-batches.ts';
import { inOneSnapshot, soaContent, type ZoneRow, zonesBelow } from '../store/zones.ts';
import { type Actor, mustReadWholeZone, mustWriteAllRecords } from './actor.ts';
import { prepareAliases } from './alias-target.ts';
import { type Caller, changeZone, type Entry, type House } from './change.ts';
import { busy } from './queue.ts';
import { Refusal } from './refusal.ts';
import { recordView } from './view.ts';
import { constraintMessage, constraintOf, newRecordId, RecordWrites } from './write-records.ts';
import { diffZone, sizeOf, type ZoneDiff } from './zonefile-diff.ts';
import { seeZone } from './zones.ts';

export interface ZoneFileImport {
  /** Records that the zone has now. */
  records: number;
  created: number;
  updated: number;
  deleted: number;
  unchanged: number;
  /** Lines about records that the service makes itself. */
  ignored: number;
}

/** How many wrong lines a refusal tells. */
const LINES_SHOWN = 20;
const CHILDREN = 10_000;

/** @throws Refusal no_zone, forbidden */
export async function exportZoneFile(
  house: House,
  actor: Actor,
  zoneId: string,
): Promise<{ zone: string; text: string }> {
  const { id } = await seeZone(house, actor, zoneId, 'no_zone');
  mustReadWholeZone(actor, id);
  return inOneSnapshot(house.db, async (tx) => {
    const zone = await seeZone({ ...house, db: tx }, actor, id, 'no_zone');
    const [records, children, soa] = await Promise.all([
      allRecords(tx, zone.no),
      childrenOf(tx, zone),
      soaContent(tx, zone.serial),
    ]);
    const { name, defaultTtl } = zone;
    const { nameservers } = house;
    return { zone: name, text: writeZoneFile({ zone: name, defaultTtl, soa, nameservers, children, records }) };
  });
}

export interface ZoneFilePreview {
  /** Of the zone that the file was compared with. */
  serial: number;
  /** Records of the file. */
  records: number;
  ignored: number;
  /** By line; with any of them there is no difference to be told. */
  problems: LineProblem[];
  diff: ZoneDiff | null;
}

/** What an import of the file would do now; nothing is written nor counted. @throws Refusal no_zone, forbidden */
export async function previewZoneFile(
  house: House,
  actor: Actor,
  zoneId: string,
  text: string,
): Promise<ZoneFilePreview> {
  const { before, file, problems, planned } = await planImport(house, actor, zoneId, text);
  return {
    serial: before.zone.serial,
    records: file.records.length,
    ignored: file.ignored,
    problems,
    diff: planned,
  };
}

/** Read, judged and compared outside of the zone's lock. */
async function planImport(house: House, actor: Actor, zoneId: string, text: string) {
  const seen = await seeZone(house, actor, zoneId, 'no_zone');
  mustWriteAllRecords(actor, seen.id);
  const before = await inOneSnapshot(house.db, async (tx) => ({
    zone: await seeZone({ ...house, db: tx }, actor, zoneId, 'no_zone'),
    records: await allRecords(tx, seen.no),
    children: await childrenOf(tx, seen),
  }));
  const { file, problems } = await readFile(text, before.zone, before.children);
  const wanted = file.records.map(({ record }) => record);
  const planned = problems.length > 0 ? null : await finishInTurns(diffZone(before.records, wanted));
  return { before, file, problems, wanted, planned };
}

/**
 * Makes the zone hold exactly the records of the file.
 * @param serial refused when the zone has another one by now. (Default: whatever it has.)
 * @param count counts the changes as writes, before anything is written; what is refused counts as well
 * @throws Refusal no_zone, forbidden, bad_request (naming the lines), rate_limited, busy, conflict (another serial)
 */
export async function importZoneFile(
  house: House,
  caller: Caller,
  zoneId: string,
  text: string,
  count: (changes: number) => Promise<void>,
  serial?: number,
): Promise<ZoneFileImport> {
  // Under the zone's lock only what may have changed is looked at again.
  const { before, file, problems, wanted, planned } = await planImport(house, caller.actor, zoneId, text);
  if (serial !== undefined && serial !== before.zone.serial) throw anotherSerial();
  const counted = Math.max(1, planned === null ? 0 : sizeOf(planned));
  await count(counted);
  if (planned === null) throw refuseLines(problems);

  await prepareAliases(house, caller.actor, zoneId, [
    ...planned.creates,
    ...planned.updates.map(({ record }) => record),
  ]);
  return changeZone(house, caller, zoneId, async (tx, zone) => {
    // Every change of a zone gives it another serial.
    if (serial !== undefined && serial !== zone.serial) throw anotherSerial();
    const diff =
      zone.serial === before.zone.serial
        ? planned
        : await finishInTurns(diffZone(await allRecords(tx, zone.no), wanted));
    const sameGround = isSameGround(before, { zone, children: await childrenOf(tx, zone) });
    // Somebody else was faster: nothing is written, and the same request counts and judges anew.
    if (sizeOf(diff) > counted || !sameGround) throw busy();
    const entries = await applyDiff(tx, house, zone, diff);
    const answer = {
      records: wanted.length,
      created: diff.creates.length,
      updated: diff.updates.length,
      deleted: diff.deletes.length,
      unchanged: diff.unchanged,
      ignored: file.ignored,
    };
    return { answer: () => answer, change: entries };
  });
}

function anotherSerial(): Refusal {
  return new Refusal(
    'conflict',
    'The zone was changed meanwhile, so nothing was imported. Look at the difference again.',
  );
}

type Ground = { zone: Pick<ZoneRow, 'defaultTtl'>; children: readonly Pick<ZoneRow, 'name'>[] };

/** What the file was read against, beside the records. */
function isSameGround(a: Ground, b: Ground): boolean {
  const names = ({ children }: Ground) => children.map(({ name }) => name).join();
  return a.zone.defaultTtl === b.zone.defaultTtl && names(a) === names(b);
}

/** The zones right below that are hosted here, without those below them. */
async function childrenOf(tx: Tx, zone: ZoneRow): Promise<ZoneRow[]> {
  const below = await zonesBelow(tx, zone.tree, CHILDREN);
  // In tree order a zone comes right before all that is below it.
  const children: ZoneRow[] = [];
  for (const row of below) {
    const last = children.at(-1);
    if (last === undefined || !row.tree.startsWith(`${last.tree} `)) children.push(row);
  }
  return children;
}

/** In turns: a hundred thousand lines take seconds, in which others are to be answered. */
async function readFile(
  text: string,
  zone: ZoneRow,
  children: readonly ZoneRow[],
): Promise<{ file: ZoneFile; problems: LineProblem[] }> {
  const context = { zone: zone.name, defaultTtl: zone.defaultTtl, children: new Set(children.map(({ name }) => name)) };
  const file = await finishInTurns(zoneFileSteps(text, context));
  // Lines that could not be read may be just what the others need: then those are not judged.
  if (file.problems.length > 0) return { file, problems: file.problems };
  return { file, problems: await finishInTurns(zoneCheckSteps(file.records, zone.name, children)) };
}

function refuseLines(problems: readonly LineProblem[]): Refusal {
  const shown = problems
    .slice(0, LINES_SHOWN)
    .map(({ line, message }) => `Line ${line}: ${message.replace(/\.?$/, '.')}`);
  const more = problems.length - shown.length;
  const rest = `${problems.length < MAX_PROBLEMS ? '' : 'at least '}${more}`;
  return new Refusal(
    'bad_request',
    `The zone file is not accepted, and nothing was changed. ${shown.join(' ')}${more > 0 ? ` And ${rest} more.` : ''}`,
  );
}

/** @throws Refusal conflict when a constraint stands where a rule should have */
async function applyDiff(tx: Tx, house: House, zone: ZoneRow, diff: ZoneDiff): Promise<Entry[]> {
  const writes = new RecordWrites();
  const entries: Entry[] = [];
  for (const row of diff.deletes) {
    writes.delete(row.id);
    entries.push({ action: 'record.delete', before: recordView(row, zone), after: null });
  }
  for (const { stored, record } of diff.updates) {
    writes.update(stored, record);
    const after = recordView({ id: stored.id, ...record }, zone);
    entries.push({ action: 'record.update', before: recordView(stored, zone), after });
  }
  for (const record of diff.creates) {
    const id = newRecordId(house);
    writes.insert(id, record);
    entries.push({ action: 'record.create', before: null, after: recordView({ id, ...record }, zone) });
  }
  try {
    await writes.flush(tx, zone, house.now());
  } catch (error) {
    const constraint = constraintOf(error);
    throw constraint === null ? error : new Refusal('conflict', constraintMessage(constraint));
  }
  return entries;
}

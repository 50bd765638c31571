// Reads the records that undo and restore plan with, all of one moment, and plans them.
import { finishInTurns, type Steps } from '#dns/steps.ts';
import type { Tx } from '#store/database.ts';
import { ownedRecordsAt, type PresentRecord } from '#store/undo.ts';
import type { ZoneRow } from '#store/zones.ts';
import { refusal } from '../refusal.ts';
import type { Conflict } from './answer.ts';
import type { LeftRrset } from './around.ts';
import { type Planned, type PlannedRrset, type PlanningZone, placeOf } from './plan.ts';
import type { PastRrset } from './rewind.ts';

/** The plan for a zone as it was at one moment. */
export interface ZonePlan {
  zone: ZoneRow;
  rrsets: PlannedRrset[];
  conflicts: Conflict[];
  /** Records of owners that stay as they are. */
  left: LeftRrset[];
}

/** Plans one RRset with its records as they are. */
export type Planner = (
  zone: PlanningZone,
  past: PastRrset,
  rows: readonly PresentRecord[],
) => { planned: Planned; left: LeftRrset | null };

/** The characters of contents that one plan may hold. */
const MAX_CHARACTERS = 64 * 1024 * 1024;
/** RRsets that are planned in one step. */
const STEP = 20;

/** Limits the memory of a plan. @throws Refusal bad_request */
export class PlanSize {
  #characters = 0;

  add(characters: number): void {
    this.#characters += characters;
    if (this.#characters > MAX_CHARACTERS) throw refusal('restore-too-large', { mebibytes: MAX_CHARACTERS / 2 ** 20 });
  }
}

/** Plans the RRsets with the records that are there now. @throws Refusal; the reason of the signal */
export async function planAll(
  tx: Tx,
  zone: ZoneRow,
  pasts: readonly PastRrset[],
  planner: Planner,
  size: PlanSize,
  signal?: AbortSignal,
): Promise<ZonePlan> {
  const rows = new Map<string, PresentRecord[]>();
  for await (const page of ownedRecordsAt(tx, zone.no, pasts.map(placeOf))) {
    signal?.throwIfAborted();
    for (const row of page) {
      size.add(row.content.length);
      const key = `${row.name} ${row.type}`;
      const knownRows = rows.get(key);
      if (knownRows === undefined) rows.set(key, [row]);
      else knownRows.push(row);
    }
  }
  return finishInTurns(planSteps(zone, pasts, planner, rows), signal);
}

function* planSteps(
  zone: ZoneRow,
  pasts: readonly PastRrset[],
  planner: Planner,
  rows: ReadonlyMap<string, PresentRecord[]>,
): Steps<ZonePlan> {
  const plan: ZonePlan = { zone, rrsets: [], conflicts: [], left: [] };
  for (const [index, past] of pasts.entries()) {
    if (index % STEP === 0) yield;
    const { planned, left } = planner(zone, past, rows.get(`${past.name} ${past.type}`) ?? []);
    if (left !== null) plan.left.push(left);
    if (planned === null) continue;
    if ('conflict' in planned) plan.conflicts.push(planned.conflict);
    else plan.rrsets.push(planned);
  }
  return plan;
}

/** Whether nothing changed in the zone since it was read: neither its answers nor its owners and comments. */
export function isUnchanged(
  readVersion: Pick<ZoneRow, 'serial' | 'ownersVersion'>,
  now: Pick<ZoneRow, 'serial' | 'ownersVersion'>,
): boolean {
  return readVersion.serial === now.serial && readVersion.ownersVersion === now.ownersVersion;
}

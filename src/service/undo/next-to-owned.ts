// Whether the records of a restore and the records of owners, which stay as they are, may exist together. They did not
// exist at the same time, so the rules about records never compared them: a CNAME comes back, and an owner has an
// address at its name by now. Only the records at the names of both are compared, and those that their aliases lead to.

import { ownerName } from '#base/owner-names.ts';
import { orderName } from '#dns/names/name.ts';
import { MAX_LINKS } from '#dns/rules/chain.ts';
import { listAncestorNames, NearbyRecords } from '#dns/rules/nearby-records.ts';
import { judgeWrite, type Neighbour } from '#dns/rules/rrset.ts';
import { finishInTurns, type Steps } from '#dns/steps.ts';
import type { Tx } from '#store/database.ts';
import { recordsAt } from '#store/records.ts';
import { neighbour } from '../change/load.ts';
import type { WantedRecord } from '../records/rrsets.ts';
import type { Conflict } from './answer.ts';
import type { LeftRrset } from './around.ts';
import type { PlanSize, ZonePlan } from './load.ts';

/** Names that are read at once. */
const NAMES = 1_000;
/** Records that are judged in one step. */
const STEP = 100;

/** @throws Refusal bad_request (too large); the reason of the signal */
export async function conflictsWithOwned(
  tx: Tx,
  plan: ZonePlan,
  size: PlanSize,
  signal?: AbortSignal,
): Promise<Conflict[]> {
  const { zone, rrsets, left } = plan;
  if (rrsets.length === 0 || left.length === 0) return [];
  const recordsByName = new Map<string, Neighbour[]>();
  let missingNames = [...new Set([...rrsets.map(({ past }) => past), ...left].map(({ name }) => orderName(name)))];
  for (let round = 0; round <= MAX_LINKS && missingNames.length > 0; round += 1) {
    for (let from = 0; from < missingNames.length; from += NAMES) {
      signal?.throwIfAborted();
      const names = missingNames.slice(from, from + NAMES);
      for (const name of names) recordsByName.set(name, []);
      for (const row of await recordsAt(tx, zone.no, names)) {
        size.add(row.content.length);
        recordsByName.get(row.ordername)?.push(neighbour(row));
      }
    }
    if (round === 0) putBack(recordsByName, rrsets);
    missingNames = listLinks(recordsByName, zone.name);
  }
  return finishInTurns(judgeSteps(plan, recordsByName), signal);
}

/** Replaces the records of the RRsets with those that they get. */
function putBack(recordsByName: Map<string, Neighbour[]>, rrsets: ZonePlan['rrsets']): void {
  for (const { past, wanted } of rrsets) {
    const name = orderName(past.name);
    const others = (recordsByName.get(name) ?? []).filter(({ type }) => type !== past.type);
    recordsByName.set(name, [...others, ...wanted.map(neighbourOf)]);
  }
}

function neighbourOf(record: WantedRecord): Neighbour {
  // Every record of a restore has the id that it had.
  return { ...record, id: record.id ?? record.rdata };
}

/** The names in the zone that aliases lead to and that are not known yet, as ordernames. */
function listLinks(recordsByName: ReadonlyMap<string, readonly Neighbour[]>, zone: string): string[] {
  const targets = new Set<string>();
  for (const { type, target } of [...recordsByName.values()].flat()) {
    if ((type !== 'CNAME' && type !== 'ALIAS') || target === null) continue;
    const name = NearbyRecords.ordernameIn(zone, target);
    if (name !== null && !recordsByName.has(name)) targets.add(name);
  }
  return [...targets];
}

function* judgeSteps(
  { zone, rrsets, left }: ZonePlan,
  recordsByName: ReadonlyMap<string, Neighbour[]>,
): Steps<Conflict[]> {
  const nearby = new NearbyRecords(zone.name);
  nearby.addNames(recordsByName.keys(), [...recordsByName.values()].flat());
  const owners = new Map(left.flatMap(({ held }) => [...held].map(([id, [owner = '']]) => [id, owner] as const)));
  const conflicts: Conflict[] = [];
  const namedIds = new Set<string>();
  for (const [index, place] of [...rrsets.map(({ past }) => past), ...left].entries()) {
    if (index % STEP === 0) yield;
    const conflictText = firstConflict(nearby, place, owners, namedIds);
    if (conflictText !== null)
      conflicts.push({ change: place.change, name: place.name, type: place.type, message: conflictText });
  }
  return conflicts;
}

/**
 * The reason why the records of one name and type cannot exist next to the others; null: they can.
 * @param owners the owners of the records that stay, by id
 * @param namedIds the records that an earlier conflict names, of which the other side is not a conflict of its own
 */
function firstConflict(
  nearby: NearbyRecords,
  { name, type }: Pick<LeftRrset, 'name' | 'type'>,
  owners: ReadonlyMap<string, string>,
  namedIds: Set<string>,
): string | null {
  for (const record of nearby.at(orderName(name)).allOf(type)) {
    if (namedIds.has(record.id)) continue;
    const judgedRecord = { ...record, rdata: record.content, ttl: null };
    const verdict = judgeWrite(judgedRecord, nearby.surroundingsOf(judgedRecord, record.id));
    if (verdict.ok) continue;
    const { problem } = verdict;
    const others = 'records' in problem ? problem.records : [];
    for (const id of others) namedIds.add(id);
    const above = listAncestorNames(name).flatMap((each) => CUTS.flatMap((cut) => [...nearby.at(each).allOf(cut)]));
    const id = [...others, record.id, ...above.map((each) => each.id)].find((each) => owners.has(each));
    if (id === undefined) return problem.message;
    const which = id === record.id ? 'this record' : 'the other record';
    return `${problem.message} The owner of ${which} is ${ownerName(owners.get(id) ?? '')}.`;
  }
  return null;
}

const CUTS = ['NS', 'DNAME'] as const;

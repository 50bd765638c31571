// The operation for protocols whose changes depend on the RRsets that exist (the PowerDNS API, RFC 2136). rrsets.ts
// judges.

import { changeNewZone, changeZone, tryChange } from '../change/change.ts';
import { countWrites, type WriteBudget } from '../change/write-budget.ts';
import type { Caller, ServiceContext } from '../context.ts';
import { writesBeforeJudging } from '../limits.ts';
import type { FirstRecords } from '../zones/create.ts';
import { mustTouch, type RrsetEdit, type RrsetResult, rrsetWork } from './rrsets.ts';

/**
 * Reads the RRsets at some names, lets a pure function decide, and writes its decision, all as one change of the zone:
 * all or nothing, with one serial. It has the rights, rules, limits and history of single records.
 *
 *     const edit = {
 *       names: ['www'],
 *       touches: [{ name: 'www', type: 'A' }],
 *       candidates: [record],                       // from parseRecord
 *       plan: ({ at }) => inOneStep(() => {
 *         const [a] = at('www').filter(({ type }) => type === 'A');
 *         if (a === undefined) return { rrsets: [], answer: 'absent' };          // nothing is written
 *         return { rrsets: [{ ...a, records: [...a.records, record] }], answer: 'added' };
 *       }),
 *     };
 *     const { answer, serials } = await editRrsets(context, caller, zoneId, edit, budget);
 *
 * The plan sees everything at its names, also what a restricted key may not read: do not tell the caller about it
 * without `mayWriteRecord`. The changed RRsets are checked here. `caller.once` makes a repeated request return the
 * first answer.
 *
 * The caller has checked that the key sees the zone. The rights and the writes of a large request are judged before its
 * turn.
 * @param budget counts the RRsets that change (a refused request counts once) in the write window, each once for every
 * 100 of its records; null: they were counted before, or are not limited
 * @throws Refusal no_zone, unauthorized, forbidden, bad_request, conflict, rate_limited, busy; the refusal of the plan
 */
export async function editRrsets<T>(
  context: ServiceContext,
  caller: Caller,
  zoneId: string,
  edit: RrsetEdit<T>,
  budget: WriteBudget | null,
): Promise<RrsetResult<T>> {
  await countWrites(budget, writesBeforeJudging(edit.candidates.length));
  mustTouch(caller.actor, zoneId, edit.touches);
  return changeZone(context, caller, zoneId, rrsetWork(edit), budget);
}

/**
 * Judges the same without writing anything: neither the write limits nor the quota are checked.
 * @throws as editRrsets
 */
export function tryRrsets(context: ServiceContext, caller: Caller, zoneId: string, edit: RrsetEdit): Promise<void> {
  return tryChange(context, caller, zoneId, rrsetWork(edit));
}

/**
 * The same for a zone that is about to be created: zone and records are written in one transaction. The RRsets must be
 * counted before.
 */
export function firstRrsets(context: ServiceContext, caller: Caller, edit: RrsetEdit): FirstRecords {
  return (tx, zone) => changeNewZone(tx, context, caller, zone, rrsetWork(edit));
}

// The operation for protocols whose changes depend on the RRsets that exist (the PowerDNS API, RFC 2136). rrsets.ts judges.
import type { Caller, ServiceContext } from '../context.ts';
import { placesBefore } from '../limits.ts';
import type { FirstRecords } from '../zones/create.ts';
import { judgeOnly, writeFirst } from './group.ts';
import { type Places, takeBefore } from './places.ts';
import { mustTouch, type RrsetResult, type RrsetWork } from './rrsets.ts';
import { join } from './writer.ts';

/**
 * Reads the RRsets at some names, lets a pure function decide, and writes its decision, all as one change of the zone: all or
 * nothing, with one serial. It has the rights, rules, limits and history of single records.
 *
 *     const work = {
 *       names: ['www'],
 *       touches: [{ name: 'www', type: 'A' }],
 *       candidates: [record],                       // from parseRecord
 *       plan: ({ at }) => inOneStep(() => {
 *         const [a] = at('www').filter(({ type }) => type === 'A');
 *         if (a === undefined) return { rrsets: [], answer: 'absent' };          // nothing is written
 *         return { rrsets: [{ ...a, records: [...a.records, record] }], answer: 'added' };
 *       }),
 *     };
 *     const { answer, serials } = await editRrsets(context, caller, zoneId, work, places);
 *
 * The plan sees everything at its names, also what a restricted key may not read: do not tell the caller about it without
 * `mayWriteRecord`. The changed RRsets are checked here. `caller.once` makes a repeated request return the first answer.
 *
 * The caller has checked that the key sees the zone. Rights and the places of a large request come before its turn.
 * @param places counts the RRsets that change (a refused request counts once) in the write window, each once for every 100 of its
 * records; null: they were counted before, or are not limited
 * @throws Refusal no_zone, unauthorized, forbidden, bad_request, conflict, rate_limited, busy; the refusal of the plan
 */
export async function editRrsets<T>(
  context: ServiceContext,
  caller: Caller,
  zoneId: string,
  work: RrsetWork<T>,
  places: Places | null,
): Promise<RrsetResult<T>> {
  const { names, candidates, touches } = work;
  const before = placesBefore(candidates.length);
  if (places !== null && before > places.taken) await takeBefore(places, before);
  mustTouch(caller.actor, zoneId, touches);
  const [result] = (await join(context, { caller, work, isSingle: true, places }, zoneId, {
    inputs: candidates,
    size: names.length + candidates.length,
    bytes: candidates.reduce((sum, { content }) => sum + content.length, 0),
  })) as [RrsetResult<T>];
  return result;
}

/** Judges the same without writing anything: neither the write limits nor the quota are checked. @throws as editRrsets */
export async function tryRrsets(
  context: ServiceContext,
  caller: Caller,
  zoneId: string,
  work: RrsetWork,
): Promise<void> {
  await judgeOnly(context, zoneId, { caller: { ...caller, once: null }, work, isSingle: true, places: null });
}

/**
 * The same for a zone that is about to be created: zone and records are written in one transaction. The RRsets must be counted before.
 */
export function firstRrsets(context: ServiceContext, caller: Caller, work: RrsetWork): FirstRecords {
  const request = { caller: { ...caller, once: null }, work, isSingle: true, places: null };
  return (tx, zone) => writeFirst(tx, context, zone, request);
}

// Decides how the contents of a zone change. Pure.
import { plainName } from '#dns/names/plain.ts';
import { isLater } from '#dns/serial.ts';
import { hasSameRecords, type ServedSet } from '#dns/served.ts';
import type { ZoneSoa } from '../engine.ts';

export interface SetPlan {
  /** RRsets to take out: those that are gone, and those that have another value or TTL now. */
  remove: Pick<ServedSet, 'name' | 'type'>[];
  add: ServedSet[];
}

/** The difference that makes the RRsets of some names `wantedSets`. Their weights are not a part of the contents. */
export function planSets(currentSets: readonly ServedSet[], wantedSets: readonly ServedSet[]): SetPlan {
  const before = new Map(currentSets.map((set) => [keyOf(set), set]));
  const plan: SetPlan = { remove: [], add: [] };
  for (const set of wantedSets) {
    const key = keyOf(set);
    const old = before.get(key);
    before.delete(key);
    if (old !== undefined && hasSameRecords(old, set)) continue;
    if (old !== undefined) plan.remove.push(old);
    plan.add.push(set);
  }
  plan.remove.push(...before.values());
  return plan;
}

/**
 * The DNAME sets that need a commit after this one. Knot refuses a DNAME with names below it (RFC 6672 section 2.4),
 * and counts the names that this commit removes, because their NSEC records are there until it signs.
 */
export function laterDnames({ remove, add }: SetPlan): ServedSet[] {
  const dnames = add.filter(({ type }) => type === 'DNAME');
  return dnames.filter((dname) => remove.some(({ name }) => isBelow(name, dname.name)));
}

/** Whether a name is strictly below another; both are relative to the zone. */
function isBelow(name: string, above: string): boolean {
  return above === '@' ? name !== '@' : name.endsWith(`.${above}`);
}

/**
 * The serial of a commit, by serial number arithmetic (RFC 1982): the api's if that is later than the one that is
 * served, otherwise the next one.
 * @param currentSerial null: the zone has no contents
 */
export function nextServedSerial(currentSerial: number | null, api: number): number {
  if (currentSerial === null || isLater(api, currentSerial)) return api;
  return (currentSerial + 1) % 2 ** 32;
}

export function isEqualSoa(a: ZoneSoa, b: ZoneSoa): boolean {
  return (
    plainName(a.mname) === plainName(b.mname) &&
    plainName(a.rname) === plainName(b.rname) &&
    (['refresh', 'retry', 'expire', 'minimum', 'ttl'] as const).every((field) => a[field] === b[field])
  );
}

function keyOf({ name, type }: Pick<ServedSet, 'name' | 'type'>): string {
  return `${type} ${name}`;
}

// The part of a node in zone transfers: decisions without input and output.

import type { TransferPlan } from '#contract/feed.ts';
import { isOfSlot } from '#dns/secondaries/serial.ts';
import type { SourceRole } from '../knot/secondaries.ts';
import type { KnownZone } from './state.ts';

/** The facts that the node remembers over a restart. Secrets are not among them: knotd has them. */
export interface RememberedPart {
  readonly slot: number | null;
  readonly role: TransferPlan['role'];
  readonly generation: number;
  /** The last generation in which this node was the source and every secondary that answered had its serials. */
  readonly confirmed: number | null;
}

export const NO_PART: RememberedPart = { slot: null, role: 'none', generation: 0, confirmed: null };

export function readPart(text: string | null): RememberedPart {
  if (text === null) return NO_PART;
  try {
    return { ...NO_PART, ...(JSON.parse(text) as Partial<RememberedPart>) };
  } catch {
    return NO_PART;
  }
}

/** Null: no part in transfers. */
export function judgeRole({ role, generation, confirmed }: RememberedPart): SourceRole | null {
  if (role === 'none') return null;
  if (role === 'standby') return 'standby';
  return confirmed === generation ? 'source' : 'new-source';
}

/** The zones that any of these secondaries has, with contents. */
export function memberRows(plan: Pick<TransferPlan, 'secondaries'>, rows: ReadonlyMap<string, KnownZone>): KnownZone[] {
  const readRows = (name: string) => {
    const row = rows.get(name);
    return row !== undefined && row.engineSerial !== null ? [row] : [];
  };
  if (plan.secondaries.some(({ zones }) => zones === 'all')) return [...rows.keys()].flatMap(readRows);
  const listedNames = new Set(plan.secondaries.flatMap(({ zones }) => (zones === 'all' ? [] : zones)));
  return [...listedNames].flatMap(readRows);
}

/** The serials of the zones of one secondary. */
export function serialsFor(
  { zones }: TransferPlan['secondaries'][number],
  rows: ReadonlyMap<string, KnownZone>,
): Map<string, number> {
  const names = zones === 'all' ? rows.keys() : zones;
  const serials = new Map<string, number>();
  for (const name of names) {
    const serial = rows.get(name)?.engineSerial;
    if (serial !== undefined && serial !== null) serials.set(name, serial);
  }
  return serials;
}

/**
 * The zones that need a serial of this node before secondaries may transfer them: none of another slot, and for a new
 * source, one that it made in this generation.
 * @param stampedNames the zones that got a serial in this generation
 */
export function unstamped(
  members: readonly KnownZone[],
  slot: number,
  role: SourceRole,
  stampedNames: ReadonlySet<string>,
): KnownZone[] {
  return members.filter(
    ({ name, engineSerial }) =>
      (engineSerial !== null && !isOfSlot(engineSerial, slot)) || (role === 'new-source' && !stampedNames.has(name)),
  );
}

/**
 * A serial may be so many seconds ahead of the clock. Serials are Unix times, and many changes in a second make them
 * run ahead.
 */
const DAY_SECONDS = 86_400;

/**
 * Whether a later serial can have come from a node of this service. A jump over any other would let one secondary break
 * the others.
 */
export function isPlausible(serial: number, ownSerial: number, nowSeconds: number): boolean {
  const latest = Math.max(ownSerial, nowSeconds) + DAY_SECONDS;
  return serial <= latest;
}

// The creation status of a zone: what its owner has still to do before the world can use it. The rule is pure; what the
// world sees is asked through a function handed in, never inside a transaction.
import { parseRdata } from '../dns/types/index.ts';
import type { ZoneRow } from '../store/zones.ts';
import type { House } from './change.ts';
import { parentOf } from './parent.ts';

export type CreationStatus = 'done' | 'ds_required' | 'handshake_claim_required';

/** `secure`: one of our DS is at the parent. `insecure`: the name exists, none of ours is. `absent`: it does not exist. */
export type DelegationSeen = 'secure' | 'insecure' | 'absent' | 'unknown';

export interface Delegation {
  /** Single-label zones that need no claim: private names. */
  privateTlds: ReadonlySet<string>;
  /** Null: the delegation check is off. @param ds in wire form */
  look: ((zone: string, ds: readonly Uint8Array[]) => Promise<DelegationSeen>) | null;
}

/** No check, no private names. */
export const NO_DELEGATION: Delegation = { privateTlds: new Set(), look: null };

/**
 * DESIGN section 3, "create status".
 * @param hostedParent whether a zone above is hosted here: NS and DS are then in it already
 * @param seen null when the check is off
 */
export function creationStatus(
  zone: string,
  hostedParent: boolean,
  privateTlds: ReadonlySet<string>,
  seen: DelegationSeen | null,
): CreationStatus {
  if (hostedParent || privateTlds.has(zone)) return 'done';
  if (seen === 'secure') return 'done';
  // A single label that the root does not delegate can only be claimed; a delegated one is a domain like others. Without
  // a look it counts as not delegated: delegated ones are public suffixes, which nobody creates by accident.
  if (!zone.includes('.') && seen !== 'insecure') return 'handshake_claim_required';
  // No answer is no matching DS: the owner who cannot be told "done" looks again.
  return seen === null ? 'done' : 'ds_required';
}

/** The current status; takes as long as the look, when there is one. */
export async function readStatus(house: House, zone: ZoneRow): Promise<CreationStatus> {
  const { privateTlds, look } = house.delegation ?? NO_DELEGATION;
  const hosted = (await parentOf(house.db, zone.name)) !== null;
  const asked = look !== null && !hosted && !privateTlds.has(zone.name);
  return creationStatus(zone.name, hosted, privateTlds, asked ? await look(zone.name, zone.ds.map(wireOf)) : null);
}

function wireOf(ds: string): Uint8Array {
  const parsed = parseRdata('DS', ds, null);
  if (!parsed.ok) throw new Error(`a stored DS does not parse: ${parsed.problem.message}`);
  return parsed.value.wire;
}

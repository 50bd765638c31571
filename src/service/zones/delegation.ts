// The creation status of a zone: the step that its owner still has to take before resolvers can use the zone. The rule
// is pure. The caller passes a function that queries the parent zone, which never runs inside a transaction.
import type { DelegationSeen } from '#dns/dnssec/delegation.ts';
import { parseRdata } from '#dns/types/index.ts';
import type { ZoneRow } from '#store/zones.ts';
import type { Delegation, ServiceContext } from '../context.ts';
import { findParentZone } from './parent.ts';

export type CreationStatus = 'done' | 'ds_required' | 'handshake_claim_required';

/** The delegation check is off, and there are no private names. */
const NO_DELEGATION: Delegation = { privateTlds: new Set(), look: null };

/**
 * The creation status (contract Z6).
 * @param hostedParent whether this service hosts a zone above; that zone has NS and DS already
 * @param delegationState null when the check is off
 */
export function creationStatus(
  zone: string,
  hostedParent: boolean,
  privateTlds: ReadonlySet<string>,
  delegationState: DelegationSeen | null,
): CreationStatus {
  if (hostedParent || privateTlds.has(zone)) return 'done';
  if (delegationState === 'secure') return 'done';
  // A single label that the root does not delegate needs a claim; a delegated one is an ordinary domain. Without a
  // check, it counts as not delegated, because delegated single labels are public suffixes, which are never created by
  // accident.
  if (!zone.includes('.') && delegationState !== 'insecure') return 'handshake_claim_required';
  // No answer counts as no matching DS. The owner can query the status again.
  return delegationState === null ? 'done' : 'ds_required';
}

/** The delegation of a zone, and the step that its owner still has to take. */
export interface DelegationState {
  status: CreationStatus;
  /** Null: the parent was not asked, because it is here, or because there is none, or because the check is off. */
  seen: DelegationSeen | null;
  /** Whether this service hosts a zone above, which has NS and DS of this one. */
  isHosted: boolean;
}

/** It waits for the delegation check, if the check is on. */
export async function lookAtDelegation(context: ServiceContext, zone: ZoneRow): Promise<DelegationState> {
  const { privateTlds, look } = context.delegation ?? NO_DELEGATION;
  const isHosted = (await findParentZone(context.db, zone.name)) !== null;
  const isLookNeeded = look !== null && !isHosted && !privateTlds.has(zone.name);
  const seen = isLookNeeded ? await look(zone.name, zone.ds.map(parseStoredDs), ownerOf(zone)) : null;
  return { status: creationStatus(zone.name, isHosted, privateTlds, seen), seen, isHosted };
}

/** The current status. It waits for the delegation check, if the check is on. */
export async function judgeNewZone(context: ServiceContext, zone: ZoneRow): Promise<CreationStatus> {
  return (await lookAtDelegation(context, zone)).status;
}

function ownerOf({ teamId, userId }: ZoneRow): string {
  return teamId ?? userId ?? '';
}

function parseStoredDs(ds: string): Uint8Array {
  const parsed = parseRdata('DS', ds, null);
  if (!parsed.ok) throw new Error(`a stored DS does not parse: ${parsed.problem.message}`);
  return parsed.value.wire;
}

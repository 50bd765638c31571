// Looks up the DS records of a zone at its parent, through a resolver.
import { Limit } from '#base/limit.ts';
import type { DelegationSeen } from '#dns/dnssec/delegation.ts';
import { equalBytes } from '#dns/wire/octets.ts';
import { type Resolve, ResolveFailure } from './resolver.ts';

/**
 * Looks with a limit of 2.5 s and caches recent results. The result is `unknown` at once while an owner waits for 16
 * slow parents, or all owners together for 128.
 * @param ds in wire form
 * @param owner the zone's owner
 */
export type LookAtDelegation = (zone: string, ds: readonly Uint8Array[], owner: string) => Promise<DelegationSeen>;

const LIMIT_MS = 2_500;
/** A delegation that works rarely breaks; while it is missing, its owner asks often. */
const KEPT_MS: Readonly<Record<DelegationSeen, number>> = {
  secure: 60_000,
  insecure: 5_000,
  absent: 5_000,
  unknown: 2_000,
};
const MAX_KEPT = 10_000;

export function createDelegationLook(resolve: Resolve, now: () => number): LookAtDelegation {
  const limit = new Limit({ permits: 128, share: 16 });
  const lookCache = new Map<string, { seen: Promise<DelegationSeen>; until: number }>();
  return async (zone, ds, owner) => {
    const key = `${zone} ${ds.map((each) => Buffer.from(each).toString('hex')).join(' ')}`;
    const before = lookCache.get(key);
    if (before && before.until > now()) return before.seen;
    const leave = limit.tryTake(owner);
    if (leave === null) return 'unknown';
    const pendingLook = look(resolve, zone, ds).finally(leave);
    // All callers share a result that is still open.
    lookCache.delete(key);
    const entry = { seen: pendingLook, until: Number.POSITIVE_INFINITY };
    lookCache.set(key, entry);
    for (const oldest of lookCache.keys()) {
      if (lookCache.size <= MAX_KEPT) break;
      lookCache.delete(oldest);
    }
    try {
      entry.until = now() + KEPT_MS[await pendingLook];
    } catch (error) {
      lookCache.delete(key);
      throw error;
    }
    return pendingLook;
  };
}

async function look(resolve: Resolve, zone: string, ds: readonly Uint8Array[]): Promise<DelegationSeen> {
  const limit = AbortSignal.timeout(LIMIT_MS);
  try {
    const { exists, rdatas } = await resolve(zone, 'DS', limit);
    if (!exists) return 'absent';
    return rdatas.some((rdata) => ds.some((ownDs) => equalBytes(ownDs, rdata))) ? 'secure' : 'insecure';
  } catch (error) {
    if (error instanceof ResolveFailure || limit.aborted) return 'unknown';
    throw error;
  }
}

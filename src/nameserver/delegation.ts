// What the world sees of a zone at its parent: the DS records there, asked of a resolver. It must not know what follows
// from it.
import { equalBytes } from '../dns/wire.ts';
import { type Resolve, ResolveFailure } from './resolver.ts';

/** `secure`: one of our DS is there. `insecure`: the name exists, none of ours is. `absent`: NXDOMAIN. `unknown`: no answer. */
export type DelegationSeen = 'secure' | 'insecure' | 'absent' | 'unknown';

/** Looks with a limit of 2.5 s; a recent look is remembered. @param ds in wire form */
export type LookAtDelegation = (zone: string, ds: readonly Uint8Array[]) => Promise<DelegationSeen>;

const LIMIT_MS = 2_500;
/** What is done seldom comes undone; who waits for it asks often. */
const KEPT_MS: Readonly<Record<DelegationSeen, number>> = {
  secure: 60_000,
  insecure: 5_000,
  absent: 5_000,
  unknown: 2_000,
};
const MAX_KEPT = 10_000;

export function createDelegationLook(resolve: Resolve, now: () => number): LookAtDelegation {
  const kept = new Map<string, { seen: Promise<DelegationSeen>; until: number }>();
  return async (zone, ds) => {
    const key = `${zone} ${ds.map((each) => Buffer.from(each).toString('hex')).join(' ')}`;
    const before = kept.get(key);
    if (before && before.until > now()) return before.seen;
    const seen = look(resolve, zone, ds);
    // Until it is answered, all that ask share it.
    kept.delete(key);
    const entry = { seen, until: Number.POSITIVE_INFINITY };
    kept.set(key, entry);
    for (const oldest of kept.keys()) {
      if (kept.size <= MAX_KEPT) break;
      kept.delete(oldest);
    }
    try {
      entry.until = now() + KEPT_MS[await seen];
    } catch (error) {
      kept.delete(key);
      throw error;
    }
    return seen;
  };
}

async function look(resolve: Resolve, zone: string, ds: readonly Uint8Array[]): Promise<DelegationSeen> {
  const limit = AbortSignal.timeout(LIMIT_MS);
  try {
    const { exists, rdatas } = await resolve(zone, 'DS', limit);
    if (!exists) return 'absent';
    return rdatas.some((rdata) => ds.some((own) => equalBytes(own, rdata))) ? 'secure' : 'insecure';
  } catch (error) {
    if (error instanceof ResolveFailure || limit.aborted) return 'unknown';
    throw error;
  }
}

// What one resolution of an ALIAS target means for the stored answer, as data. Pure: it must not know the database, the
// resolver or the clock.
import type { AliasAnswer, Resolution } from '../store/alias-answers.ts';

/** What was found of one address family: texts as PowerDNS takes them, or why there is nothing to know. */
export type FamilyOutcome =
  | { readonly addresses: readonly string[]; readonly ttl: number }
  | { readonly problem: string };

/** Bounds of the target's TTL, in seconds: below, resolvers would be asked without end; above, a move would be seen late. */
export const MIN_ALIAS_TTL = 30;
export const MAX_ALIAS_TTL = 3_600;
/** An answer that could not be refreshed is given out for 30 s at a time (RFC 8767 section 4), so that its end is seen soon. */
const STALE_TTL = 30;
const FIRST_RETRY_MS = 5_000;
const LAST_RETRY_MS = 300_000;

export interface AliasPlan {
  resolution: Resolution;
  /** Whether other addresses are served from now on. */
  changed: boolean;
}

/**
 * The last good answer stays, family by family, when its refresh fails. A target that exists no more, or that has no
 * address of either family, counts as a failure too: its owner may be about to mend it, and an empty answer helps nobody.
 */
export function planAnswer(
  before: AliasAnswer & { failures: number },
  a: FamilyOutcome,
  aaaa: FamilyOutcome,
): AliasPlan {
  const problem = problemOf(a, aaaa);
  const keep = problem === NO_ADDRESSES;
  const ipv4 = keep || 'problem' in a ? before.ipv4 : [...a.addresses].sort();
  const ipv6 = keep || 'problem' in aaaa ? before.ipv6 : [...aaaa.addresses].sort();
  const changed = !isSame(ipv4, before.ipv4) || !isSame(ipv6, before.ipv6);
  if (problem !== null) {
    const failures = before.failures + 1;
    const nextMs = Math.min(LAST_RETRY_MS, FIRST_RETRY_MS * 2 ** Math.min(failures - 1, 10));
    return { resolution: { ipv4, ipv6, ttl: STALE_TTL, error: problem, failures, nextMs }, changed };
  }
  const ttl = Math.min(MAX_ALIAS_TTL, Math.max(MIN_ALIAS_TTL, Math.min(ttlOf(a), ttlOf(aaaa))));
  return { resolution: { ipv4, ipv6, ttl, error: null, failures: 0, nextMs: ttl * 1000 }, changed };
}

const NO_ADDRESSES = 'has no addresses';

function problemOf(a: FamilyOutcome, aaaa: FamilyOutcome): string | null {
  if ('problem' in a) return a.problem;
  if ('problem' in aaaa) return aaaa.problem;
  return a.addresses.length + aaaa.addresses.length === 0 ? NO_ADDRESSES : null;
}

function ttlOf(outcome: FamilyOutcome): number {
  return 'problem' in outcome || outcome.addresses.length === 0 ? Number.POSITIVE_INFINITY : outcome.ttl;
}

function isSame(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((text, index) => text === b[index]);
}

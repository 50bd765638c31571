// Decides what one resolution of an ALIAS target changes in the stored answer. Pure.
import type { AliasAnswer, Resolution } from '#store/alias-answers.ts';

/** The result for one address family: its addresses, or the reason why there are none. */
export type FamilyOutcome =
  | { readonly addresses: readonly string[]; readonly ttl: number }
  | { readonly problem: string };

/** Bounds of the target's TTL, in seconds. A lower one would burden the resolvers; a higher one would delay changes. */
const MIN_ALIAS_TTL = 30;
const MAX_ALIAS_TTL = 3_600;
/**
 * An answer that could not be refreshed is served for 30 s at a time (RFC 8767 section 4), so that a recovery shows
 * soon.
 */
const STALE_TTL = 30;
/** A target that was just created in a hosted zone is answered soon. */
const FIRST_RETRY_MS = 1_000;
const LAST_RETRY_MS = 300_000;

interface AliasPlan {
  resolution: Resolution;
  /** Whether the served addresses or their TTL change. */
  changed: boolean;
}

/**
 * The last good answer of each family stays if its refresh fails. A target that no longer exists, or that has no
 * address of either family, counts as a failure too: its owner may be about to fix it, and an empty answer helps no
 * client.
 */
export function planAnswer(
  before: AliasAnswer & { failures: number },
  a: FamilyOutcome,
  aaaa: FamilyOutcome,
): AliasPlan {
  const problem = findProblem(a, aaaa);
  const keep = problem === NO_ADDRESSES;
  const ipv4 = keep || 'problem' in a ? before.ipv4 : [...a.addresses].sort();
  const ipv6 = keep || 'problem' in aaaa ? before.ipv6 : [...aaaa.addresses].sort();
  const isMoved = !isSame(ipv4, before.ipv4) || !isSame(ipv6, before.ipv6);
  const isServed = ipv4.length + ipv6.length > 0;
  const changedWith = (ttl: number) => isMoved || (isServed && ttl !== before.ttl);
  if (problem !== null) {
    const failures = before.failures + 1;
    const nextMs = Math.min(LAST_RETRY_MS, FIRST_RETRY_MS * 2 ** Math.min(failures - 1, 10));
    const resolution = { ipv4, ipv6, ttl: STALE_TTL, error: problem, failures, nextMs };
    return { resolution, changed: changedWith(STALE_TTL) };
  }
  const answerTtl = Math.min(MAX_ALIAS_TTL, Math.max(MIN_ALIAS_TTL, Math.min(ttlOf(a), ttlOf(aaaa))));
  const ttl = isMoved || before.failures > 0 ? answerTtl : steadyTtl(before.ttl, answerTtl);
  const resolution = { ipv4, ipv6, ttl, error: null, failures: 0, nextMs: answerTtl * 1000 };
  return { resolution, changed: changedWith(ttl) };
}

/**
 * A resolver answers from its cache with the time that is left. The zones of the target would change with each such
 * answer, so a TTL that shrinks by less than half stays; the next resolution is due when the found one ends.
 */
function steadyTtl(before: number, newTtl: number): number {
  return newTtl < before && newTtl > before / 2 ? before : newTtl;
}

const NO_ADDRESSES = 'has no addresses';

function findProblem(a: FamilyOutcome, aaaa: FamilyOutcome): string | null {
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

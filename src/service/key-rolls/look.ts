// Decides what follows from a look at the servers. Pure.
import type { Proof } from '#dns/dnssec/key-sightings.ts';
import type { KeyLook, ZoneKeyRow } from '#store/zone-keys.ts';

/** The wait for the next look, in ms, by the age of the step: a parent may take days. */
const PAUSES = [
  { youngerMs: 60_000, pauseMs: 1_000 },
  { youngerMs: 3_600_000, pauseMs: 10_000 },
  { youngerMs: Number.POSITIVE_INFINITY, pauseMs: 60_000 },
] as const;

/**
 * @param isAsked whether the servers could be asked. If not, the word of a person counts.
 * @returns `step` if the next step of the roll can be taken
 */
export function nextLook(
  carrier: Pick<ZoneKeyRow, 'since' | 'shownSince' | 'holdS' | 'waitsFor'>,
  proof: Proof,
  { now, isAsked }: { now: Date; isAsked: boolean },
): KeyLook | 'step' {
  const pauseMs = PAUSES.find(({ youngerMs }) => now.getTime() - carrier.since.getTime() < youngerMs)?.pauseMs ?? 0;
  const lookAt = new Date(now.getTime() + pauseMs);
  if (!proof.isShown && (isAsked || carrier.shownSince === null))
    return { shownSince: null, holdS: proof.dsTtl, waitsFor: proof.waitsFor, lookAt };
  const shownSince = carrier.shownSince ?? now;
  const holdS = proof.isShown
    ? Math.max(proof.holdS, carrier.shownSince === null ? 0 : (carrier.holdS ?? 0))
    : (carrier.holdS ?? 0);
  const end = new Date(shownSince.getTime() + holdS * 1000);
  if (end <= now) return 'step';
  const waitsFor = proof.isShown
    ? `the caches of resolvers, which may keep earlier answers for ${holdS} s after all servers showed the step`
    : (carrier.waitsFor ?? '');
  return { shownSince, holdS, waitsFor, lookAt: end < lookAt ? end : lookAt };
}

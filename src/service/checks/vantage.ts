// Whether an address works, as the name servers see it that probe it. Pure.
//
//     fewer than three say something     the api decides by its own probes
//     more than half say "Unhealthy"     Unhealthy
//     more than half say "Healthy"       Healthy
//     otherwise                          the state stays
//
// Half counts all vantage points that probe, also those that are silent: one that is cut off does not change the
// majority, so silence alone changes no state. The api has no vote. In most installations the api is in
// the network of one of the name servers, whose view would count twice.
import type { AddressState } from '#base/check-form.ts';
import { LEAST_VANTAGES } from '#store/check-votes.ts';
import { LIVING_SECONDS } from '#store/nodes.ts';

/** The vote of a vantage point about an address. */
export interface VantageVote {
  /** Unknown: it took its vote back. */
  state: AddressState;
  /** Why, as a sentence. */
  reason: string | null;
  /** When the vantage point reported last, in ms: a vote counts without being repeated. */
  reportedAt: number;
}

export interface Decision {
  /** Null if there is no majority: the state does not change then. */
  state: 'Healthy' | 'Unhealthy' | null;
  /** The votes that count. */
  total: number;
  unhealthy: number;
  /** Why one of them says that the address does not work. */
  reason: string | null;
}

/** A vote counts for so many intervals after the last report, but no longer than a name server counts as living. */
const FRESH_INTERVALS = 3;

/** @param interval that of the check, in seconds. @returns in ms */
export function freshMs(interval: number): number {
  return Math.min(FRESH_INTERVALS * interval, LIVING_SECONDS) * 1_000;
}

/**
 * @param votes one for each vantage point that probes; null: it said nothing about the address
 * @param interval that of the check, in seconds
 * @returns null: the api decides
 */
export function decide(votes: readonly (VantageVote | null)[], interval: number, now: number): Decision | null {
  const fresh = votes.flatMap((vote) =>
    vote !== null && vote.state !== 'Unknown' && now < vote.reportedAt + freshMs(interval) ? [vote] : [],
  );
  if (fresh.length < LEAST_VANTAGES) return null;
  const failing = fresh.filter(({ state }) => state === 'Unhealthy');
  const half = votes.length / 2;
  const isHealthy = fresh.length - failing.length > half;
  const state = failing.length > half ? 'Unhealthy' : isHealthy ? 'Healthy' : null;
  return { state, total: fresh.length, unhealthy: failing.length, reason: failing[0]?.reason ?? null };
}

/**
 * So many failures in a row each vantage point needs. As more than half of them must agree, the failures of the check
 * are their sum; but one lost packet never counts, unless the check says that one failure is enough.
 * @param failures those of the check
 * @param vantages how many probe
 */
export function shareFailures(failures: number, vantages: number): number {
  const majority = Math.floor(vantages / 2) + 1;
  return Math.max(Math.min(failures, 2), Math.ceil(failures / majority));
}

/** `2 of 3 name servers cannot reach it: The connection is refused.` */
export function describeFailure({ total, unhealthy, reason }: Decision): string {
  return `${unhealthy} of ${total} name servers say that it fails${reason === null ? '.' : `: ${reason}`}`;
}

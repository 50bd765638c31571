// One challenge, as an ACME client presents it for a certificate: a TXT record at _acme-challenge appears at every
// address, and is removed. It asks no certificate authority, because its failures and limits would be measured too.

import { type ChangeParts, measureChange } from './change.ts';
import { CHALLENGE_LIMIT_MS } from './limits.ts';
import type { ChallengeResult } from './metrics.ts';
import type { Path } from './paths.ts';
import type { CanaryRecords } from './records.ts';
import type { WatchedValue } from './watch.ts';

export interface ChallengeOutcome {
  readonly result: ChallengeResult;
  /** From the request that presents it; null for one that failed. */
  readonly seconds: number | null;
  readonly latePaths: readonly Path[];
  readonly error: unknown;
}

/** @throws the signal's reason when it aborts; the lease of the record removes it then */
export async function measureChallenge(
  parts: ChangeParts,
  value: WatchedValue,
  records: Pick<CanaryRecords, 'presentChallenge' | 'removeChallenge'>,
  zoneId: string,
  signal: AbortSignal,
): Promise<ChallengeOutcome> {
  const beganAt = parts.clock.now();
  const present = (content: string, end: AbortSignal) => records.presentChallenge(zoneId, content, end);
  const { result, latePaths, error } = await measureChange(parts, value, present, CHALLENGE_LIMIT_MS, signal);
  const seconds = (parts.clock.now() - beganAt) / 1000;
  try {
    await records.removeChallenge(zoneId, signal);
    value.values.acknowledgeRemoval(parts.clock.now());
  } catch (removalError) {
    signal.throwIfAborted();
    value.values.acknowledgeRemoval(null);
    return { result: 'failed', seconds: null, latePaths, error: error ?? removalError };
  }
  if (result !== 'answered') return { result: 'failed', seconds: null, latePaths, error };
  return { result: 'issued', seconds, latePaths, error: null };
}

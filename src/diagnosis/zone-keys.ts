// The DNSSEC keys of a zone and its key roll in words, from the status of its DNSZone. Pure.
import { algorithmName, isSigningAlgorithm } from '#dns/dnssec/algorithms.ts';
import type { DNSZone } from '#resources/dnszone.ts';

/** The rows of a table: tag, algorithm, state, time of creation. */
export function listKeyRows({ status }: DNSZone): string[][] {
  return (status?.keys ?? []).map(({ keyTag, algorithm, state, createdTime }) => [
    String(keyTag),
    isSigningAlgorithm(algorithm) ? algorithmName(algorithm) : String(algorithm),
    state,
    createdTime,
  ]);
}

/** Lines about the roll that is under way. Empty: none is. */
export function describeKeyRoll({ status }: DNSZone): string[] {
  if (status?.keyRoll === undefined) return [];
  const { keyTag, step, since, waitsFor, nextStepTime } = status.keyRoll;
  const line = `key ${keyTag} is ${step} since ${since}, and the roll waits for ${waitsFor}`;
  return nextStepTime === undefined ? [line] : [line, `next step at ${nextStepTime}`];
}

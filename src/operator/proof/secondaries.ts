// The part of secondaries in a proof: which name servers count, and which secondaries do not have the data. Pure.
import type { ZoneSecondary } from '#client/client.ts';
import { ownNameservers, secondaryNamed, secondaryProblem } from '#client/zone-secondaries.ts';
import type { DNSZone } from '#resources/dnszone.ts';

export type ReadyWhen = DNSZone['spec']['readyWhen'];

/** The problem of a proof with nothing to ask: every name server is a secondary that does not count. */
export const NO_PROOF =
  'with readyWhen OwnNodes, no name server of the zone is left to ask, because every one belongs to a secondary, and no node that holds all zones reports to the api';

/** A sentence about a zone without a name server that counts: the reports of nodes decided alone. */
export const ONLY_SECONDARIES =
  'All name servers of the zone are secondaries, which spec.readyWhen of the DNSZone does not wait for.';

/** The names of the name servers that count. Empty: they all belong to secondaries that are not waited for. */
export function countedNames(
  nameservers: readonly string[],
  readyWhen: ReadyWhen,
  secondaries: readonly Pick<ZoneSecondary, 'nameservers'>[],
): readonly string[] {
  return readyWhen === 'OwnNodes' ? ownNameservers(nameservers, secondaries) : nameservers;
}

/**
 * The problems of the secondaries whose names have a wrong answer. The answers over DNS decide: a report of the source can be a
 * moment older, and hidden secondaries do not count.
 * @param wrong the names of name servers with a problem
 */
export function secondariesLate(wrong: readonly string[], secondaries: readonly ZoneSecondary[], now: Date): string[] {
  const late = new Set(wrong.flatMap((name) => secondaryNamed(name, secondaries) ?? []));
  return [...late].flatMap((secondary) => secondaryProblem(secondary, now) ?? []);
}

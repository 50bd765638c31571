// The part of secondaries in a proof: which name servers count, and which secondaries do not have the data. Pure.
import type { ZoneSecondary } from '#client/client.ts';
import { ownNameservers, secondaryNamed, secondaryProblem } from '#client/zone-secondaries.ts';
import { isLater } from '#dns/serial.ts';
import type { ServerVerdict } from '#nameserver/probe/probe.ts';
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

/**
 * The secondaries with their answers over DNS in place of a report that is older than the last change: such a report, which has no
 * time since when, says nothing about the change.
 * @param serial the serial of the last change
 */
export function secondariesSeen(
  secondaries: readonly ZoneSecondary[],
  servers: readonly ServerVerdict[],
  serial: number,
): readonly ZoneSecondary[] {
  return secondaries.map((secondary) => {
    if (secondary.state !== 'behind' || secondary.since !== undefined) return secondary;
    const own = servers.filter(({ server }) => secondaryNamed(server.name, [secondary]) !== undefined);
    const hasIt = own.length > 0 && own.every((seen) => seen.serial !== null && !isLater(serial, seen.serial));
    if (!hasIt) return secondary;
    const { name, nameservers, listedBy, chosen } = secondary;
    return { name, nameservers, listedBy, chosen, state: 'current' };
  });
}

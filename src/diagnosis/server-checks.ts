// The checks of the name servers of a zone, from their answers to this command or from those that the operator saw
// last. Both give the same words. Pure.
import { formatHostPort } from '#base/address.ts';
import type { ResolvedServers, ServerVerdict } from '#nameserver/probe/probe.ts';
import type { DNSZone } from '#resources/dnszone.ts';
import { type Finding, fail, ok } from './finding.ts';

export const PORT_QUESTION = 'Is knotd running there, and are UDP and TCP port 53 open?';

/** @param verdicts the answers of the servers that have an address */
export function judgeServers(
  zoneName: string,
  unresolved: ResolvedServers['unresolved'],
  verdicts: readonly ServerVerdict[],
): Finding[] {
  if (verdicts.length === 0 && unresolved.length === 0) {
    return [
      fail(
        'name-server',
        `${zoneName} has no name servers`,
        'Is the operator running? It has not created the zone yet',
      ),
    ];
  }
  return [...unresolved.map(judgeUnresolved), ...verdicts.map(judgeVerdict)];
}

function judgeUnresolved({ name, problem }: ResolvedServers['unresolved'][number]): Finding {
  return fail(
    'name-server',
    `Name server ${name} ${problem}`,
    'Give the name an address in DNS, or set its address in ZONESTEAD_NAMESERVER_ADDRESSES for the operator and for this command',
  );
}

function judgeVerdict({ server, node, serial, problem }: ServerVerdict): Finding {
  const { name, address, port } = server;
  const place = formatHostPort(address, port);
  return judgeServer({ name, place, node, serial, problem });
}

/** Judges the name servers as the operator saw them last. */
export function judgeSeenServers({ status }: DNSZone): Finding[] {
  return (status?.servers ?? []).map(({ name, address, node = null, serial = null, problem = null }) =>
    judgeServer({ name, place: address, node, serial, problem }),
  );
}

interface SeenServer {
  readonly name: string;
  readonly place: string;
  readonly node: string | null;
  readonly serial: number | null;
  readonly problem: string | null;
}

function judgeServer({ name, place, node, serial, problem }: SeenServer): Finding {
  const title = `Name server ${name} (${place}${node === null ? '' : `, node ${node}`})`;
  if (problem === null) return ok('name-server', `${title} serves the zone with serial ${serial}`);
  return fail('name-server', `${title} ${problem}`, PORT_QUESTION);
}

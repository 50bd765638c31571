// The part of a DNSZone's status that says which address serves which serial, and which node has the zone. Serials change with
// each commit and differ between nodes, so they are written only together with something else that changed.
import type { Zone } from '#client/client.ts';
import { nodeProblems } from '#client/zone-nodes.ts';
import type { ServerVerdict } from '#nameserver/probe/probe.ts';
import type { DNSZone, ZoneStatus } from '#resources/dnszone.ts';
import type { Proof } from '../proof/propagation.ts';

/** The longest lists of the status. */
const MOST = 64;
const LONGEST_TEXT = 512;

type Serving = Pick<ZoneStatus, 'servers' | 'nodes' | 'nodesCurrent'>;

/** The fields for the status, with the earlier values if nothing of interest changed. */
export function servingOf({ status }: DNSZone, zone: Zone, proof: Pick<Proof, 'servers' | 'answer'>): Serving {
  const servers = proof.servers.slice(0, MOST).map(serverOf);
  const { nodes } = proof.answer;
  const counted = (nodes ?? []).filter(({ starting }) => !starting);
  const current = counted.filter((node) => node.current).length;
  const next: Serving = {
    servers,
    // An api that does not tell leaves the earlier values: they are not known to be wrong.
    nodes: nodes === null ? status?.nodes : nodes.slice(0, MOST).map(nodeOf),
    nodesCurrent: nodes === null ? status?.nodesCurrent : `${current}/${counted.length}`,
  };
  const isSame = status?.serial === zone.serial && withoutSerials(next) === withoutSerials(status);
  return isSame ? { servers: status.servers, nodes: status.nodes, nodesCurrent: status.nodesCurrent } : next;
}

function serverOf({ server, serial, node, problem }: ServerVerdict): NonNullable<Serving['servers']>[number] {
  return {
    name: server.name,
    address: server.address,
    ...(node === null ? {} : { node }),
    ...(serial === null ? {} : { serial }),
    ...(problem === null ? {} : { problem: problem.slice(0, LONGEST_TEXT) }),
  };
}

function nodeOf(node: NonNullable<Proof['answer']['nodes']>[number]): NonNullable<Serving['nodes']>[number] {
  const [problem] = nodeProblems([node]);
  const state = node.starting ? 'Starting' : node.current ? 'Current' : 'Behind';
  return { name: node.node, state, ...(problem === undefined ? {} : { problem: problem.slice(0, LONGEST_TEXT) }) };
}

function withoutSerials(serving: Serving | undefined): string {
  const servers = serving?.servers?.map(({ name, address, node, problem }) => [
    name,
    address,
    node,
    // "has serial 5, older than 7" changes with each commit.
    problem?.replaceAll(/\d+/g, '#'),
  ]);
  return JSON.stringify([
    servers,
    serving?.nodes?.map(({ name, state, problem }) => [name, state, problem]),
    serving?.nodesCurrent,
  ]);
}

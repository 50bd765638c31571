// The part of a DNSZone's status that says which address serves which serial, and which node and which secondary has
// the zone. Serials change with each commit and differ between nodes, so they are written only together with something
// else that changed.
import { nodeProblems } from '#client/zone-nodes.ts';
import { secondariesSeen, secondaryProblem, secondarySerial } from '#client/zone-secondaries.ts';
import type { ZoneSecondary } from '#contract/secondary.ts';
import type { Zone } from '#contract/zone.ts';
import type { ServerVerdict } from '#nameserver/probe/probe.ts';
import type { DNSZone, ZoneStatus } from '#resources/dnszone.ts';
import type { Proof } from '../proof/propagation.ts';

/** The longest lists of the status. */
const MAX = 64;
const LONGEST_TEXT = 512;

const FIELDS = ['servers', 'nodes', 'nodesCurrent', 'secondaries', 'secondariesCurrent'] as const;
type Serving = Pick<ZoneStatus, (typeof FIELDS)[number]>;

const STATES = { current: 'Current', behind: 'Behind', silent: 'Silent', unknown: 'Unknown' } as const;

/** The fields for the status, with the earlier values if nothing of interest changed. */
export function summarizeServing(
  { status }: DNSZone,
  zone: Zone,
  proof: Pick<Proof, 'servers' | 'answer'>,
  now: Date,
): Serving {
  const servers = proof.servers.slice(0, MAX).map(toServerStatus);
  const { nodes } = proof.answer;
  const secondaries = seenBy(proof, zone);
  const next: Serving = {
    servers,
    // An api that does not tell leaves the earlier values: they are not known to be wrong.
    ...(nodes === null
      ? pickFields(status)
      : { ...summarizeNodes(nodes), ...summarizeSecondaries(secondaries, proof.servers, now) }),
  };
  const isSame = status?.serial === zone.serial && withoutSerials(next) === withoutSerials(status);
  return isSame ? { ...pickFields(status), servers: status.servers } : { ...next, servers };
}

/** The secondaries as the proof has seen them. */
export function seenBy({ servers, answer }: Pick<Proof, 'servers' | 'answer'>, zone: Zone): readonly ZoneSecondary[] {
  return secondariesSeen(answer.secondaries, servers.map(serialOf), zone.serial);
}

function serialOf({ server, serial }: ServerVerdict): { name: string; serial: number | null } {
  return { name: server.name, serial };
}

function pickFields(status: ZoneStatus | undefined): Serving {
  return Object.fromEntries(FIELDS.map((field) => [field, status?.[field]]));
}

function summarizeNodes(nodes: NonNullable<Proof['answer']['nodes']>): Pick<Serving, 'nodes' | 'nodesCurrent'> {
  const countedNodes = nodes.filter(({ starting }) => !starting);
  const current = countedNodes.filter((node) => node.current).length;
  return { nodes: nodes.slice(0, MAX).map(toNodeStatus), nodesCurrent: `${current}/${countedNodes.length}` };
}

/** A zone without secondaries has neither field. */
function summarizeSecondaries(
  secondaries: readonly ZoneSecondary[],
  servers: readonly ServerVerdict[],
  now: Date,
): Pick<Serving, 'secondaries' | 'secondariesCurrent'> {
  if (secondaries.length === 0) return { secondaries: undefined, secondariesCurrent: undefined };
  const current = secondaries.filter(({ state }) => state === 'current').length;
  return {
    secondaries: secondaries.slice(0, MAX).map((each) => toSecondaryStatus(each, servers, now)),
    secondariesCurrent: `${current}/${secondaries.length}`,
  };
}

function toSecondaryStatus(
  secondary: ZoneSecondary,
  servers: readonly ServerVerdict[],
  now: Date,
): NonNullable<Serving['secondaries']>[number] {
  const { name, nameservers, state } = secondary;
  const serial = secondarySerial(secondary, servers.map(serialOf));
  const problem = secondaryProblem(secondary, now);
  return {
    name,
    ...(nameservers.length === 0 ? {} : { nameservers }),
    state: STATES[state],
    ...(serial === null ? {} : { serial }),
    ...(problem === null ? {} : { problem: problem.slice(0, LONGEST_TEXT) }),
  };
}

function toServerStatus({ server, serial, node, problem }: ServerVerdict): NonNullable<Serving['servers']>[number] {
  return {
    name: server.name,
    address: server.address,
    ...(node === null ? {} : { node }),
    ...(serial === null ? {} : { serial }),
    ...(problem === null ? {} : { problem: problem.slice(0, LONGEST_TEXT) }),
  };
}

function toNodeStatus(node: NonNullable<Proof['answer']['nodes']>[number]): NonNullable<Serving['nodes']>[number] {
  const [problem] = nodeProblems([node]);
  const state = node.starting ? 'Starting' : node.current ? 'Current' : 'Behind';
  return {
    name: node.node,
    state,
    ...(problem === undefined ? {} : { problem: problem.slice(0, LONGEST_TEXT) }),
    ...(node.evenly ? { evenly: true } : {}),
  };
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
    serving?.nodes?.map(({ name, state, problem, evenly }) => [name, state, problem, evenly]),
    serving?.nodesCurrent,
    serving?.secondaries?.map(({ serial: _serial, ...rest }) => rest),
    serving?.secondariesCurrent,
  ]);
}

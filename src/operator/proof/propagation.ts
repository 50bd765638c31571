// Proves a write: queries the name servers of a zone and compares the answers with the written data, and asks the api
// whether every living node has applied it, both at the same time. With `readyWhen: OwnNodes` the api answers first,
// because it knows which name servers are secondaries. The text about missing data stays the same as long as the
// situation does.
import type { Clock } from '#base/clock.ts';
import { createNodeQuestions, type NodesAnswer, type NodesClient } from '#client/node-questions.ts';
import { isAnyCounted, NO_NODE_REPORTS, nodeProblems, whole } from '#client/zone-nodes.ts';
import { ownNameservers, secondariesLate } from '#client/zone-secondaries.ts';
import type { ZoneSecondary } from '#contract/secondary.ts';
import type { Zone } from '#contract/zone.ts';
import type { AddressResolver, ProbeEndpoint, ServerVerdict } from '#nameserver/probe/probe.ts';
import type { LeftOut, PlannedAbsence, Reach } from '#nameserver/probe/reach.ts';
import {
  createProbeRounds,
  type ExpectedRecord,
  type ProofScope,
  type RoundsResult,
} from '#nameserver/probe/rounds.ts';
import type { DNSZone } from '#resources/dnszone.ts';
import { PlannedAbsences } from './planned.ts';

export type ReadyWhen = DNSZone['spec']['readyWhen'];

export interface Proof {
  /**
   * Null if the name servers that count serve the data and every living node has applied it, otherwise a description.
   */
  readonly problem: string | null;
  /**
   * Sentences to add to the success: no node reports, so that DNS decided alone, or addresses are omitted. Null if
   * there is nothing to add.
   */
  readonly note: string | null;
  /** The addresses without which the proof continued, because they answer nothing or are cordoned. */
  readonly leftOut: readonly LeftOut[];
  /** The names of the name servers that count. Empty: they all belong to secondaries that are not waited for. */
  readonly nameservers: readonly string[];
  readonly servers: readonly ServerVerdict[];
  readonly answer: NodesAnswer;
}

interface ProvenZone {
  /** The namespace of the object whose data are proven. */
  readonly namespace: string;
  readonly nameservers: readonly string[];
  readonly readyWhen: ReadyWhen;
}

export interface Propagation {
  /**
   * Whether the name servers serve the zone with this serial or a later one.
   * @param patienceSeconds a node that is behind for less time is not a problem
   */
  zoneServed(
    zone: Pick<Zone, 'id' | 'zoneName' | 'serial'> & ProvenZone,
    patienceSeconds: number,
    client: NodesClient,
    signal: AbortSignal,
  ): Promise<Proof>;
  /** Whether the name servers serve the values over UDP and over TCP. */
  recordServed(
    zone: { readonly zoneId: string } & ProvenZone,
    expected: ExpectedRecord,
    client: NodesClient,
    signal: AbortSignal,
  ): Promise<Pick<Proof, 'problem' | 'note' | 'nameservers' | 'leftOut'>>;
  /** The addresses that answer nothing for long, for all zones. */
  readonly reach: Pick<Reach, 'unreachable' | 'answered' | 'restore'>;
  /** The name servers that an administrator has cordoned, as the api said last. */
  cordons(): readonly PlannedAbsence[];
}

interface PropagationOptions {
  /** The addresses of name servers whose names do not resolve here. */
  readonly overrides: ReadonlyMap<string, ProbeEndpoint>;
  readonly clock: Clock;
  /** The time that people read. */
  readonly date: () => Date;
  readonly scope: ProofScope;
  /** (Default: the resolver of the system.) */
  readonly resolver?: AddressResolver;
}

/** The problem of a proof with nothing to ask: every name server is a secondary that does not count. */
export const NO_PROOF =
  'with readyWhen OwnNodes, no name server of the zone is left to ask, because every one belongs to a secondary, and no node that holds all zones reports to the api';

/** A sentence about a zone without a name server that counts: the reports of nodes decided alone. */
export const ONLY_SECONDARIES =
  'All name servers of the zone are secondaries, which spec.readyWhen of the DNSZone does not wait for.';

/** A sentence about the addresses that a proof does not include; null without any. */
export function leftOutNote(leftOut: readonly LeftOut[]): string | null {
  if (leftOut.length === 0) return null;
  const parts = leftOut.map(({ server, since, cordon }) => {
    const place = `${server.name} (${server.address})`;
    if (cordon === undefined) return `${place}, which has answered no query since ${whole(since.toISOString())}`;
    const reason = cordon.reason === undefined ? '' : ` (${cordon.reason})`;
    return `${place}, which the administrator of the DNS service has cordoned until ${whole(cordon.until.toISOString())}${reason}`;
  });
  return `The proof omits ${parts.join(', and ')}.`;
}

const LEFT_OUT = /(?<name>\S+) \((?<address>\S+)\), which has answered no query since (?<since>\S+Z)/g;

/** The addresses in such a sentence. */
export function readLeftOut(text: string): { name: string; address: string; since: Date }[] {
  return [...text.matchAll(LEFT_OUT)].flatMap(({ groups: { name = '', address = '', since = '' } = {} }) => {
    const time = Date.parse(since);
    return Number.isNaN(time) ? [] : [{ name, address, since: new Date(time) }];
  });
}

export function createPropagation(options: PropagationOptions): Propagation {
  const { clock, date } = options;
  const questions = createNodeQuestions(clock);
  const planned = new PlannedAbsences(date);
  const rounds = createProbeRounds({ ...options, cordonOf: (server) => planned.of(server) });

  async function prove(
    { zoneId, namespace, nameservers, readyWhen }: { zoneId: string } & ProvenZone,
    patienceSeconds: number,
    client: NodesClient,
    signal: AbortSignal,
    ask: (names: readonly string[], nodes: Promise<NodesAnswer>) => Promise<RoundsResult>,
  ): Promise<Proof> {
    const pendingNodes = questions.ask(client, zoneId, namespace, signal).then((nodesAnswer) => {
      planned.update(nodesAnswer);
      return nodesAnswer;
    });
    const secondaries = readyWhen === 'OwnNodes' ? (await pendingNodes).secondaries : [];
    const names = countedNames(nameservers, readyWhen, secondaries);
    const [{ servers, problems, wrong, leftOut }, answer] = await Promise.all([ask(names, pendingNodes), pendingNodes]);
    const late =
      answer.nodes === null
        ? [answer.problem].filter(isText)
        : nodeProblems(planned.withoutCordoned(answer.nodes), patienceSeconds);
    const isAlone = answer.nodes !== null && !isAnyCounted(answer.nodes);
    const all = [
      ...problems,
      ...secondariesLate(wrong, answer.secondaries, date()),
      ...late,
      ...(names.length === 0 && isAlone ? [NO_PROOF] : []),
    ];
    const problem =
      all.length === 0
        ? null
        : `Not every name server serves the current data yet, and the operator keeps checking: ${all.join('; ')}.`;
    const notes = [isAlone ? NO_NODE_REPORTS : null, leftOutNote(leftOut)].filter(isText);
    const note = notes.length === 0 ? null : notes.join(' ');
    return { problem, note, leftOut, nameservers: names, servers, answer };
  }

  return {
    reach: rounds.reach,
    cordons: () => planned.list(),
    zoneServed: ({ id, zoneName, serial, ...zone }, patienceSeconds, client, signal) =>
      prove({ ...zone, zoneId: id }, patienceSeconds, client, signal, (names, nodes) =>
        rounds.zone({ zone: zoneName, minSerial: serial }, names, nodes, signal),
      ),
    recordServed: (zone, expectedRecord, client, signal) =>
      prove(zone, 0, client, signal, (names, nodes) => rounds.record(expectedRecord, names, nodes, signal)),
  };
}

/** The names of the name servers that count. Empty: they all belong to secondaries that are not waited for. */
export function countedNames(
  nameservers: readonly string[],
  readyWhen: ReadyWhen,
  secondaries: readonly Pick<ZoneSecondary, 'nameservers'>[],
): readonly string[] {
  return readyWhen === 'OwnNodes' ? ownNameservers(nameservers, secondaries) : nameservers;
}

function isText(text: string | null): text is string {
  return text !== null;
}

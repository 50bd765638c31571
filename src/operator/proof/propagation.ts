// Proves a write: queries the name servers of a zone and compares the answers with the written data, and asks the api whether
// every living node has applied it, both at the same time. With `readyWhen: OwnNodes` the api answers first, because it knows which
// name servers are secondaries. The text about missing data stays the same as long as the situation does.
import { Resolver } from 'node:dns/promises';
import type { Clock } from '#base/clock.ts';
import { sleep } from '#base/wait.ts';
import type { Zone } from '#client/client.ts';
import { createNodeQuestions, type NodesAnswer, type NodesClient } from '#client/node-questions.ts';
import { isAnyCounted, NO_NODE_REPORTS, nodeProblems } from '#client/zone-nodes.ts';
import {
  type AddressResolver,
  aliasServed,
  type Endpoint,
  type ExpectedRrset,
  type NameServer,
  resolveServers,
  rrsetServed,
  type ServerVerdict,
  zoneServed,
} from '#nameserver/probe/probe.ts';
import { countedNames, NO_PROOF, type ReadyWhen, secondariesLate } from './secondaries.ts';

/** The RRset that name servers must serve for a DNSRecord. For an ALIAS these are addresses with any TTL. */
export type ExpectedRecord = Omit<ExpectedRrset, 'type'> & { readonly type: ExpectedRrset['type'] | 'ALIAS' };

export interface Proof {
  /** Null if the name servers that count serve the data and every living node has applied it, otherwise a description. */
  readonly problem: string | null;
  /** A sentence to add to the success: no node reports, so that DNS decided alone. Null if there is nothing to add. */
  readonly note: string | null;
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
   * @param patienceSeconds a node that is behind for less time is no problem
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
  ): Promise<Pick<Proof, 'problem' | 'note' | 'nameservers'>>;
}

const ATTEMPT_MS = 1_000;
const ATTEMPTS = 2;
const RESOLVE_MS = 2_000;
/**
 * The least number of attempts. Right after a write, a server serves the old answer for some milliseconds, so another attempt
 * avoids a status write. There is no other attempt for a silent server, which would cost a worker two seconds.
 */
const MIN_PROBES = 4;
const PROBE_INTERVAL_MS = 40;
/** The pause grows up to so many intervals while the nodes have not answered. */
const MOST_LONGER = 8;
/** How long a success over TCP counts, in ms: TCP depends on the server and its firewall, not on each record. */
const TCP_SEEN_MS = 10_000;

interface Asked {
  servers: ServerVerdict[];
  problems: string[];
  /** The names of those that have a problem. */
  wrong: string[];
}

type Ask = (servers: readonly NameServer[]) => Promise<ServerVerdict[]>;

/**
 * @param overrides the addresses of name servers whose names do not resolve here
 * @param date the time that people read
 * @param resolver (Default: the resolver of the system.)
 */
export function createPropagation(
  overrides: ReadonlyMap<string, Endpoint>,
  clock: Clock,
  date: () => Date,
  resolver: AddressResolver = new Resolver({ timeout: RESOLVE_MS, tries: 1 }),
): Propagation {
  const tcpSeen = new Map<string, number>();
  const questions = createNodeQuestions(clock);

  /** Queries the servers until they are right, and at least until the nodes have it: a query right after that tells the result. */
  async function probeAll(
    nameservers: readonly string[],
    nodes: Promise<NodesAnswer>,
    signal: AbortSignal,
    ask: Ask,
  ): Promise<Asked> {
    let isAnswered = false;
    const answered = nodes.then(() => {
      isAnswered = true;
    });
    answered.catch(() => undefined);
    const { servers, unresolved } = await resolveServers(nameservers, { overrides, resolver, signal });
    const unknown = unresolved.map(({ name, problem }) => `${name} ${problem}`);
    const nameless = unresolved.map(({ name }) => name);
    for (let probe = 1; ; probe += 1) {
      const since = clock.now();
      const wasAnswered = isAnswered;
      const verdicts = await ask(servers);
      const problems = verdicts.flatMap(({ server, problem }) =>
        problem === null ? [] : [`${server.name} (${server.address}) ${problem}`],
      );
      const isSilent = clock.now() - since >= ATTEMPT_MS;
      const isLast = probe >= MIN_PROBES && wasAnswered;
      if (problems.length === 0 || isSilent || isLast)
        return {
          servers: verdicts,
          problems: [...unknown, ...problems],
          wrong: [...nameless, ...verdicts.filter(({ ok }) => !ok).map(({ server }) => server.name)],
        };
      // Many records wait together for a node that is behind, and must not keep the name servers busy.
      const longer = isAnswered ? 1 : Math.min(2 ** (probe - 1), MOST_LONGER);
      const pause = sleep(clock, PROBE_INTERVAL_MS * longer, signal);
      await (isAnswered ? pause : Promise.race([pause, answered]));
    }
  }

  async function prove(
    { zoneId, namespace, nameservers, readyWhen }: { zoneId: string } & ProvenZone,
    patienceSeconds: number,
    client: NodesClient,
    signal: AbortSignal,
    ask: Ask,
  ): Promise<Proof> {
    const asked = questions.ask(client, zoneId, namespace, signal);
    const secondaries = readyWhen === 'OwnNodes' ? (await asked).secondaries : [];
    const names = countedNames(nameservers, readyWhen, secondaries);
    const [{ servers, problems, wrong }, answer] = await Promise.all([probeAll(names, asked, signal, ask), asked]);
    const late = answer.nodes === null ? [answer.problem].filter(isText) : nodeProblems(answer.nodes, patienceSeconds);
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
    return { problem, note: isAlone ? NO_NODE_REPORTS : null, nameservers: names, servers, answer };
  }

  const options = (signal: AbortSignal) => ({ timeoutMs: ATTEMPT_MS, attempts: ATTEMPTS, signal });
  return {
    zoneServed: ({ id, zoneName, serial, ...zone }, patienceSeconds, client, signal) =>
      prove({ ...zone, zoneId: id }, patienceSeconds, client, signal, (servers) =>
        zoneServed({ zone: zoneName, minSerial: serial }, servers, options(signal)),
      ),
    recordServed: (zone, expected, client, signal) =>
      prove(zone, 0, client, signal, async (servers) => {
        const { type } = expected;
        if (type === 'ALIAS') return aliasServed(expected.name, servers, { ...options(signal), verifyTcp: true });
        const verifyTcp = servers.some(
          ({ address, port }) => !(clock.now() < (tcpSeen.get(`${address} ${port}`) ?? 0)),
        );
        const verdicts = await rrsetServed({ ...expected, type }, servers, { ...options(signal), verifyTcp });
        for (const { server, ok } of verdicts)
          if (ok && verifyTcp) tcpSeen.set(`${server.address} ${server.port}`, clock.now() + TCP_SEEN_MS);
        return verdicts;
      }),
  };
}

function isText(text: string | null): text is string {
  return text !== null;
}

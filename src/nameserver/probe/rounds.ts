// Queries the name servers of a zone in rounds until they answer correctly. The first round waits for the reports of
// the nodes, because earlier queries usually get the old answer and keep the name servers busy. An attempt without any
// answer ends the rounds. An address that is unreachable for long can be omitted (reach.ts).
import { Resolver } from 'node:dns/promises';
import type { Clock } from '#base/clock.ts';
import { sleep } from '#base/wait.ts';
import {
  type AddressResolver,
  aliasServed,
  type ExpectedRrset,
  type NameServer,
  type ProbeEndpoint,
  resolveServers,
  rrsetServed,
  type ServerVerdict,
  silentVerdict,
  zoneServed,
} from './probe.ts';
import { chooseCordoned, chooseLeftOut, type LeftOut, MIN_ADDRESSES, type PlannedAbsence, Reach } from './reach.ts';

/** The RRset that name servers must serve for a record. For an ALIAS these are addresses with any TTL. */
export type ExpectedRecord = Omit<ExpectedRrset, 'type'> & { readonly type: ExpectedRrset['type'] | 'ALIAS' };

/** The result of the last round. */
export interface RoundsResult {
  readonly servers: readonly ServerVerdict[];
  readonly problems: readonly string[];
  /** The names of those that have a problem. */
  readonly wrong: readonly string[];
  /** The addresses that the result does not include. */
  readonly leftOut: readonly LeftOut[];
}

/** `All`: every address must answer. `Reachable`: addresses that are unreachable for long are omitted. */
export type ProofScope = 'All' | 'Reachable';

interface RoundsOptions {
  /** The addresses of name servers whose names do not resolve here. */
  readonly overrides: ReadonlyMap<string, ProbeEndpoint>;
  readonly clock: Clock;
  /** The time that people read. */
  readonly date: () => Date;
  readonly scope: ProofScope;
  /** The cordon of a name server; null: it has none. It is asked in each round. Absent: none has one. */
  readonly cordonOf?: ((server: NameServer) => PlannedAbsence | null) | undefined;
  /** (Default: the resolver of the system.) */
  readonly resolver?: AddressResolver | undefined;
}

export interface ProbeRounds {
  /**
   * Whether the name servers serve the zone with this serial or a later one.
   * @param until the rounds continue at least until it settles: a query right after that tells the result
   * @throws the signal's reason when it aborts, as `record` does
   */
  zone(
    expected: Parameters<typeof zoneServed>[0],
    nameservers: readonly string[],
    until: Promise<unknown>,
    signal: AbortSignal,
  ): Promise<RoundsResult>;
  /** Whether the name servers serve the values over UDP and over TCP. */
  record(
    expected: ExpectedRecord,
    nameservers: readonly string[],
    until: Promise<unknown>,
    signal: AbortSignal,
  ): Promise<RoundsResult>;
  /** The addresses that answer nothing for long, whether they are omitted or not. */
  readonly reach: Pick<Reach, 'unreachable' | 'answered' | 'restore'>;
}

const ATTEMPT_MS = 1_000;
const ATTEMPTS = 2;
const RESOLVE_MS = 2_000;
/**
 * The minimum number of rounds. Right after a write, a server gives the old answer for some milliseconds: another round
 * often finds the new answer, and saves a status write. A server that did not answer gets no further round, because it
 * would keep a worker waiting for two seconds.
 */
const MIN_ROUNDS = 4;
const INTERVAL_MS = 40;
/**
 * The first round begins after this time also without the answer of the other party, which may take until its limit.
 */
const FIRST_MS = 600;
/** The pause grows up to so many intervals until the other party has answered. */
const MAX_LONGER = 8;
/** How long a success over TCP counts, in ms: TCP depends on the server and its firewall, not on each record. */
const TCP_SEEN_MS = 10_000;

export function createProbeRounds(options: RoundsOptions): ProbeRounds {
  const { overrides, clock, date, scope, cordonOf = () => null } = options;
  const resolver = options.resolver ?? new Resolver({ timeout: RESOLVE_MS, tries: 1 });
  const tcpSeen = new Map<string, number>();
  const reach = new Reach(clock, date);
  const context = { overrides, clock, date, scope, cordonOf, resolver, reach };

  return {
    reach,
    zone: (expectedZone, nameservers, until, signal) =>
      runRounds(context, nameservers, until, signal, (servers) =>
        zoneServed(expectedZone, servers, askOptions(signal)),
      ),
    record: (expectedRecord, nameservers, until, signal) =>
      runRounds(context, nameservers, until, signal, async (servers) => {
        const { type } = expectedRecord;
        if (type === 'ALIAS')
          return aliasServed(expectedRecord.name, servers, { ...askOptions(signal), verifyTcp: true });
        const verifyTcp = servers.some(
          ({ address, port }) => !(clock.now() < (tcpSeen.get(`${address} ${port}`) ?? 0)),
        );
        const verdicts = await rrsetServed({ ...expectedRecord, type }, servers, { ...askOptions(signal), verifyTcp });
        for (const { server, ok } of verdicts)
          if (ok && verifyTcp) tcpSeen.set(`${server.address} ${server.port}`, clock.now() + TCP_SEEN_MS);
        return verdicts;
      }),
  };
}

interface RoundsContext extends Pick<RoundsOptions, 'overrides' | 'clock' | 'date' | 'scope'> {
  cordonOf(server: NameServer): PlannedAbsence | null;
  readonly resolver: AddressResolver;
  readonly reach: Reach;
}

type Ask = (servers: readonly NameServer[]) => Promise<ServerVerdict[]>;

async function runRounds(
  context: RoundsContext,
  nameservers: readonly string[],
  until: Promise<unknown>,
  signal: AbortSignal,
  ask: Ask,
): Promise<RoundsResult> {
  const { overrides, clock, resolver } = context;
  let isSettled = false;
  const settlement = until.then(() => {
    isSettled = true;
  });
  settlement.catch(() => undefined);
  const { servers, unresolved } = await resolveServers(nameservers, { overrides, resolver, signal });
  const unresolvedTexts = unresolved.map(({ name, problem }) => `${name} ${problem}`);
  const nameless = unresolved.map(({ name }) => name);
  await Promise.race([settlement, sleep(clock, FIRST_MS, signal)]);
  for (let round = 1; ; round += 1) {
    const since = clock.now();
    const wasSettled = isSettled;
    const verdicts = await askReachable(context, servers, ask);
    const leftOut = chooseOmitted(context, verdicts);
    const leftServers = new Set(leftOut.map(({ server }) => server));
    const countedVerdicts = verdicts.filter(({ server }) => !leftServers.has(server));
    const problems = countedVerdicts.flatMap(({ server, problem }) =>
      problem === null ? [] : [`${server.name} (${server.address}) ${problem}`],
    );
    const isSilent = clock.now() - since >= ATTEMPT_MS;
    const isLast = round >= MIN_ROUNDS && wasSettled;
    if (problems.length === 0 || isSilent || isLast)
      return {
        servers: verdicts,
        problems: [...unresolvedTexts, ...problems],
        wrong: [...nameless, ...countedVerdicts.filter(({ ok }) => !ok).map(({ server }) => server.name)],
        leftOut,
      };
    // Many callers wait together for a node that is behind, and must not keep the name servers busy.
    const longer = isSettled ? 1 : Math.min(2 ** (round - 1), MAX_LONGER);
    const pause = sleep(clock, INTERVAL_MS * longer, signal);
    await (isSettled ? pause : Promise.race([pause, settlement]));
  }
}

/** The addresses that the result does not include: cordoned ones, and then unreachable ones. */
function chooseOmitted({ scope, reach, cordonOf, date }: RoundsContext, verdicts: readonly ServerVerdict[]): LeftOut[] {
  const cordoned = chooseCordoned(verdicts, cordonOf, date());
  if (scope !== 'Reachable') return cordoned;
  const cordonedServers = new Set(cordoned.map(({ server }) => server));
  const others = verdicts.filter(({ server }) => !cordonedServers.has(server));
  return [...cordoned, ...chooseLeftOut(others, (server) => reach.unreachableSince(server))];
}

/** Asks the servers, except for those that are known to be unreachable and need not be asked again yet. */
async function askReachable(
  { clock, scope, reach, cordonOf }: RoundsContext,
  servers: readonly NameServer[],
  ask: Ask,
): Promise<ServerVerdict[]> {
  const canLeaveOut = scope === 'Reachable' && servers.length >= MIN_ADDRESSES;
  // Each query without an answer would delay the proof by two seconds. If all are cordoned, all are asked.
  const uncordoned = servers.filter((server) => cordonOf(server) === null);
  const candidates = uncordoned.length > 0 ? uncordoned : servers;
  const askedServers = candidates.filter((server) => reach.mayAsk(server) || !canLeaveOut);
  const askedAt = clock.now();
  const verdicts = new Map((await ask(askedServers)).map((verdict) => [verdict.server, verdict]));
  for (const verdict of verdicts.values()) reach.note(verdict, askedAt);
  return servers.map((server) => verdicts.get(server) ?? silentVerdict(server));
}

function askOptions(signal: AbortSignal) {
  return { timeoutMs: ATTEMPT_MS, attempts: ATTEMPTS, signal };
}

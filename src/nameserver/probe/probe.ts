// The propagation probe: asks every name server of a zone itself, never a resolver, whether it serves the expected
// data.
import { ask, NoAnswer } from './ask.ts';
import { type ExpectedRrset, judgeAddresses, judgeRrset, judgeSoa } from './compare.ts';
import type { ProbeMessage, ProbeQuestion } from './message.ts';
import type { NameServer } from './servers.ts';

export { publicAddresses } from '#base/public-address.ts';
export { type AskOptions, ask, NoAnswer, type ProbeAnswer } from './ask.ts';
export type { ExpectedRrset } from './compare.ts';
export type { ProbeEndpoint } from './exchange.ts';
export type { ProbeQuestion, ResourceRecord } from './message.ts';
export { chooseResolvers } from './resolvers.ts';
export { hasRoute } from './route.ts';
export {
  type AddressResolver,
  type NameServer,
  parseOverrides,
  type ResolvedServers,
  resolveServers,
} from './servers.ts';
export type { WireType } from './types.ts';

interface ProbeOptions {
  /** The limit of one attempt, in ms. (Default: 1500.) */
  readonly timeoutMs?: number;
  /** Attempts over UDP. (Default: 3.) */
  readonly attempts?: number;
  /** Ask over TCP too after a right answer over UDP, because firewalls often block it. (Default: false.) */
  readonly verifyTcp?: boolean;
  readonly signal: AbortSignal;
}

export interface ServerVerdict {
  readonly server: NameServer;
  readonly ok: boolean;
  /** The serial of the zone's SOA; null if it was not asked for or not seen. */
  readonly serial: number | null;
  /** The node that answered, if it was asked for and tells its name (RFC 5001). */
  readonly node: string | null;
  /** The problem, as a text to follow the server's name: "does not answer over UDP". Null if the answer is right. */
  readonly problem: string | null;
  /** It answered nothing at all, not even wrongly. */
  readonly isSilent: boolean;
}

interface Judgement {
  readonly serial: number | null;
  readonly problem: string | null;
}

/** Whether each server serves the values, with authority. @throws the signal's reason when it aborts. */
export function rrsetServed(
  expectedRrset: ExpectedRrset,
  servers: readonly NameServer[],
  options: ProbeOptions,
): Promise<ServerVerdict[]> {
  const question: ProbeQuestion = { name: expectedRrset.name, type: expectedRrset.type };
  return askAll(question, servers, options, (answer) => ({ serial: null, problem: judgeRrset(expectedRrset, answer) }));
}

/** Whether each server serves an address of either family for a name with an ALIAS. @throws as {@link rrsetServed} */
export async function aliasServed(
  name: string,
  servers: readonly NameServer[],
  options: ProbeOptions,
): Promise<ServerVerdict[]> {
  const look = (type: 'A' | 'AAAA') =>
    askAll({ name, type }, servers, options, (answer) => ({
      serial: null,
      problem: judgeAddresses(name, type, answer),
    }));
  const [four, six] = await Promise.all([look('A'), look('AAAA')]);
  return four.map((verdict, index) => {
    const other = six[index] ?? verdict;
    return other.ok ? other : { ...verdict, isSilent: verdict.isSilent && other.isSilent };
  });
}

/**
 * Whether each server has the zone: SOA at the apex, with authority, at `minSerial` or later (RFC 1982) if it is given.
 * @throws the signal's reason when it aborts.
 */
export function zoneServed(
  expectedZone: { readonly zone: string; readonly minSerial?: number | undefined },
  servers: readonly NameServer[],
  options: ProbeOptions,
): Promise<ServerVerdict[]> {
  const { zone, minSerial } = expectedZone;
  return askAll({ name: zone, type: 'SOA', nsid: true }, servers, options, (answer) =>
    judgeSoa(zone, minSerial, answer),
  );
}

function askAll(
  question: ProbeQuestion,
  servers: readonly NameServer[],
  options: ProbeOptions,
  judge: (answer: ProbeMessage) => Judgement,
): Promise<ServerVerdict[]> {
  return Promise.all(servers.map((server) => askOne(server, question, options, judge)));
}

async function askOne(
  server: NameServer,
  question: ProbeQuestion,
  { verifyTcp = false, ...options }: ProbeOptions,
  judge: (answer: ProbeMessage) => Judgement,
): Promise<ServerVerdict> {
  try {
    const answer = await ask(server, question, options);
    let judgement = judge(answer);
    if (judgement.problem === null && verifyTcp && answer.transport === 'udp') {
      judgement = judge(await ask(server, question, { ...options, transport: 'tcp' }));
    }
    return { server, ok: judgement.problem === null, node: answer.nsid, isSilent: false, ...judgement };
  } catch (error) {
    if (!(error instanceof NoAnswer)) throw error;
    // A query over TCP follows an answer over UDP.
    return { ...silentVerdict(server), problem: error.message, isSilent: error.transport === 'udp' };
  }
}

/** The verdict on a server that answers nothing. */
export function silentVerdict(server: NameServer): ServerVerdict {
  return { server, ok: false, serial: null, node: null, problem: new NoAnswer('udp', null).message, isSilent: true };
}

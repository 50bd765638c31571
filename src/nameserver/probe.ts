// The propagation probe: asks every name server of a zone itself, never a resolver, whether it serves what it should. It
// must not know who asks nor why; everything with a socket is in probe/exchange.ts, every judgement in probe/compare.ts.
import { ask, NoAnswer } from './probe/ask.ts';
import { type ExpectedRrset, judgeAddresses, judgeRrset, judgeSoa } from './probe/compare.ts';
import type { Message, Question } from './probe/message.ts';
import type { NameServer } from './probe/servers.ts';

export { type Answer, type AskOptions, ask, NoAnswer } from './probe/ask.ts';
export { type ExpectedRrset, isSerialAtLeast } from './probe/compare.ts';
export type { Endpoint } from './probe/exchange.ts';
export type { Question, ResourceRecord } from './probe/message.ts';
export { resolversOf } from './probe/resolvers.ts';
export {
  type AddressResolver,
  type NameServer,
  parseOverrides,
  type ResolvedServers,
  resolveServers,
} from './probe/servers.ts';
export type { WireType } from './probe/types.ts';
export { readName } from './probe/wire-name.ts';

export interface ProbeOptions {
  /** The limit of one attempt, in ms. (Default: 1500.) */
  readonly timeoutMs?: number;
  /** Attempts over UDP. (Default: 3.) */
  readonly attempts?: number;
  /** Ask over TCP as well once UDP is right: firewalls love to forget it. (Default: false.) */
  readonly verifyTcp?: boolean;
  readonly signal: AbortSignal;
}

export interface ServerVerdict {
  readonly server: NameServer;
  readonly ok: boolean;
  /** Of the zone's SOA; null when it was not asked for or not seen. */
  readonly serial: number | null;
  /** What is wrong, to be read after the server's name: "does not answer over UDP". Null when all is right. */
  readonly problem: string | null;
}

interface Judgement {
  readonly serial: number | null;
  readonly problem: string | null;
}

/** Whether each server answers the values, with authority. @throws the signal's reason when it aborts. */
export function rrsetServed(
  expected: ExpectedRrset,
  servers: readonly NameServer[],
  options: ProbeOptions,
): Promise<ServerVerdict[]> {
  const question: Question = { name: expected.name, type: expected.type };
  return askAll(question, servers, options, (answer) => ({ serial: null, problem: judgeRrset(expected, answer) }));
}

/** Whether each server answers an address, of either family, for a name with an ALIAS. @throws as {@link rrsetServed} */
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
  return four.map((verdict, index) => (six[index]?.ok ? six[index] : verdict));
}

/**
 * Whether each server has the zone: SOA at the apex, with authority, at `minSerial` or later (RFC 1982) when given.
 * @throws the signal's reason when it aborts.
 */
export function zoneServed(
  expected: { readonly zone: string; readonly minSerial?: number | undefined },
  servers: readonly NameServer[],
  options: ProbeOptions,
): Promise<ServerVerdict[]> {
  const { zone, minSerial } = expected;
  return askAll({ name: zone, type: 'SOA' }, servers, options, (answer) => judgeSoa(zone, minSerial, answer));
}

function askAll(
  question: Question,
  servers: readonly NameServer[],
  options: ProbeOptions,
  judge: (answer: Message) => Judgement,
): Promise<ServerVerdict[]> {
  return Promise.all(servers.map((server) => askOne(server, question, options, judge)));
}

async function askOne(
  server: NameServer,
  question: Question,
  { verifyTcp = false, ...options }: ProbeOptions,
  judge: (answer: Message) => Judgement,
): Promise<ServerVerdict> {
  try {
    const answer = await ask(server, question, options);
    let judgement = judge(answer);
    if (judgement.problem === null && verifyTcp && answer.transport === 'udp') {
      judgement = judge(await ask(server, question, { ...options, transport: 'tcp' }));
    }
    return { server, ok: judgement.problem === null, ...judgement };
  } catch (error) {
    if (!(error instanceof NoAnswer)) throw error;
    return { server, ok: false, serial: null, problem: error.message };
  }
}

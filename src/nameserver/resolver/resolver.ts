// Asks a recursive resolver for the addresses of a name, and for the records of a child at its parent zone. The answers
// are used as the resolver gives them; to have them validated, configure a resolver that validates.
import { plainName } from '#dns/names/plain.ts';
import { numberOfType, TYPE_NUMBERS } from '#dns/types/numbers.ts';
import { readName } from '#dns/wire/name.ts';
import { NXDOMAIN, rcodeName } from '#dns/wire/rcodes.ts';
import { ask, NoAnswer, type ProbeEndpoint, type ResourceRecord, type WireType } from '../probe/probe.ts';

/** No resolver answered, or all of them failed. The message stays the same while the state does. */
export class ResolveFailure extends Error {
  override readonly name = 'ResolveFailure';
}

export interface ResolvedAddresses {
  /** False: the name does not exist (NXDOMAIN). */
  readonly exists: boolean;
  /** RDATA in canonical wire form; empty if there is no record of the type. */
  readonly rdatas: readonly Uint8Array[];
  /** Seconds: the shortest TTL of the answer and its CNAMEs; without meaning if there is no record. */
  readonly ttl: number;
  /** The name at the end of the CNAMEs, of which `exists` tells (RFC 6604); lower case, without final dot. */
  readonly end: string;
}

/**
 * Whether an authoritative answer for a name is trusted. A server that follows the public delegation never has
 * authority for other people's zones; a name server in the list of resolvers has, for every zone that was created
 * there.
 * @param name lower case, without final dot
 */
export type IsTrustedName = (name: string, signal: AbortSignal) => Promise<boolean>;

/**
 * @param isTrusted Absent: every answer is trusted.
 * @throws {ResolveFailure}; the signal's reason when it aborts.
 */
export type Resolve = (
  name: string,
  type: WireType,
  signal: AbortSignal,
  isTrusted?: IsTrustedName,
) => Promise<ResolvedAddresses>;

interface ResolverOptions {
  /** Asked in this order: the next one if one does not answer, or answers REFUSED, SERVFAIL or NOTIMP. */
  readonly servers: readonly ProbeEndpoint[];
  /** The limit of one attempt, in ms; each server gets two over UDP. (Default: 700.) */
  readonly timeoutMs?: number;
}

/** Resolvers give up after about as many links themselves. */
const MAX_LINKS = 16;

export function createResolver({ servers, timeoutMs = 700 }: ResolverOptions): Resolve {
  const resolve = async (
    name: string,
    type: WireType,
    signal: AbortSignal,
    isTrusted: IsTrustedName | undefined,
    links: number,
  ): Promise<ResolvedAddresses> => {
    let problem = 'there is no resolver';
    for (const server of servers) {
      try {
        const answer = await ask(server, { name, type, recursive: true }, { timeoutMs, attempts: 2, signal });
        if (answer.aa && isTrusted && !(await isTrusted(plainName(name), signal))) {
          problem = NOT_TRUSTED;
          continue;
        }
        if (answer.rcode === 0 || answer.rcode === NXDOMAIN) {
          // An authoritative answer may lead through several zones. Each must be trusted, so follow one link at a time.
          const directAnswer = readAnswer(name, type, answer.answers, answer.aa && isTrusted ? 1 : undefined);
          const exists = answer.rcode === 0;
          // A server of the zone itself (a private one in the list) stops at the end of its zone; a resolver never
          // does.
          if (!answer.aa || directAnswer.rdatas.length > 0 || directAnswer.end === plainName(name) || links === 0)
            return { ...directAnswer, exists };
          const rest = await resolve(directAnswer.end, type, signal, isTrusted, links - 1);
          return { ...rest, ttl: Math.min(directAnswer.ttl, rest.ttl) };
        }
        problem = `the resolver answers ${rcodeName(answer.rcode)}`;
      } catch (error) {
        if (!(error instanceof NoAnswer)) throw error;
        problem = `the resolver ${error.message}`;
      }
    }
    throw new ResolveFailure(problem);
  };
  return (name, type, signal, isTrusted) => resolve(name, type, signal, isTrusted, MAX_LINKS);
}

const NOT_TRUSTED =
  'is in a zone of another team of this service, and no resolver that follows the public delegation answers for it';

/**
 * Reads the part of an answer that belongs to `name`. CNAMEs are followed to the `end`, because a resolver returns the
 * whole chain.
 * @param maxLinks with 1, records are taken at `name` only, and the `end` is at most one CNAME away
 */
function readAnswer(
  name: string,
  type: WireType,
  answers: readonly ResourceRecord[],
  maxLinks = MAX_LINKS + 1,
): Omit<ResolvedAddresses, 'exists'> {
  let owner = plainName(name);
  let ttl = Number.POSITIVE_INFINITY;
  for (let link = 0; link < maxLinks; link++) {
    const matchingRecords = answers.filter((record) => record.name === owner && record.type === numberOfType(type));
    if (matchingRecords.length > 0) {
      for (const record of matchingRecords) ttl = Math.min(ttl, record.ttl);
      return { rdatas: matchingRecords.map((record) => record.rdata), ttl, end: owner };
    }
    const alias = answers.find((record) => record.name === owner && record.type === TYPE_NUMBERS.CNAME);
    if (alias === undefined) break;
    ttl = Math.min(ttl, alias.ttl);
    owner = readName(alias.rdata, 0).name;
  }
  return { rdatas: [], ttl, end: owner };
}

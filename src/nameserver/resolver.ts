// Questions to a recursive resolver: addresses of a name, and what a parent zone says about a child. It must not know what
// the answers are for. Answers are taken as the resolver gives them; whoever wants them validated configures one that
// validates.
import { TYPE_NUMBERS } from '../dns/types/numbers.ts';
import { rcodeName } from './probe/types.ts';
import { ask, type Endpoint, NoAnswer, type ResourceRecord, readName, type WireType } from './probe.ts';

/** No answer to be had: no resolver answered, or it says that it cannot. The message stays the same while the state does. */
export class ResolveFailure extends Error {
  override readonly name = 'ResolveFailure';
}

export interface Found {
  /** False: the name does not exist (NXDOMAIN). */
  readonly exists: boolean;
  /** RDATA in canonical wire form; empty when there is nothing of that type. */
  readonly rdatas: readonly Uint8Array[];
  /** Seconds: the shortest of the answer, aliases on the way included; without meaning when there are none. */
  readonly ttl: number;
}

/** @throws {ResolveFailure}; the signal's reason when it aborts. */
export type Resolve = (name: string, type: WireType, signal: AbortSignal) => Promise<Found>;

export interface ResolverOptions {
  /** Asked in this order: the next one when one does not answer, or answers REFUSED, SERVFAIL or NOTIMP. */
  readonly servers: readonly Endpoint[];
  /** The limit of one attempt, in ms; there are two over UDP to each server. (Default: 700.) */
  readonly timeoutMs?: number;
}

const NXDOMAIN = 3;
/** Resolvers themselves give up after about as many. */
const MAX_LINKS = 16;

export function createResolver({ servers, timeoutMs = 700 }: ResolverOptions): Resolve {
  const resolve = async (name: string, type: WireType, signal: AbortSignal, links: number): Promise<Found> => {
    let problem = 'there is no resolver';
    for (const server of servers) {
      try {
        const answer = await ask(server, { name, type, recursive: true }, { timeoutMs, attempts: 2, signal });
        if (answer.rcode === NXDOMAIN) return NOTHING;
        if (answer.rcode === 0) {
          const found = readAnswer(name, type, answer.answers);
          // A server of the zone itself (a private one in the list) stops where its zone ends; a resolver never does.
          if (!answer.aa || found.rdatas.length > 0 || found.end === plain(name) || links === 0) return found;
          const rest = await resolve(found.end, type, signal, links - 1);
          return { ...rest, ttl: Math.min(found.ttl, rest.ttl) };
        }
        problem = `the resolver answers ${rcodeName(answer.rcode)}`;
      } catch (error) {
        if (!(error instanceof NoAnswer)) throw error;
        problem = `the resolver ${error.message}`;
      }
    }
    throw new ResolveFailure(problem);
  };
  return (name, type, signal) => resolve(name, type, signal, MAX_LINKS);
}

const NOTHING: Found = { exists: false, rdatas: [], ttl: 0 };

/** What an answer says of `name`: CNAMEs are followed through it to the `end`, as a resolver gives the whole chain. */
export function readAnswer(
  name: string,
  type: WireType,
  answers: readonly ResourceRecord[],
): Found & { readonly end: string } {
  let owner = plain(name);
  let ttl = Number.POSITIVE_INFINITY;
  for (let link = 0; link <= MAX_LINKS; link++) {
    const found = answers.filter((record) => record.name === owner && record.type === TYPE_NUMBERS[type]);
    if (found.length > 0) {
      for (const record of found) ttl = Math.min(ttl, record.ttl);
      return { exists: true, rdatas: found.map((record) => record.rdata), ttl, end: owner };
    }
    const alias = answers.find((record) => record.name === owner && record.type === TYPE_NUMBERS.CNAME);
    if (alias === undefined) break;
    ttl = Math.min(ttl, alias.ttl);
    owner = readName(alias.rdata, 0).name;
  }
  return { exists: true, rdatas: [], ttl, end: owner };
}

function plain(name: string): string {
  return name.toLowerCase().replace(/\.$/, '');
}

// Passes queries to the name servers of the service over TCP, where neither their limits of rate nor the size of a
// datagram matter.
//
// Each kind of query has its own permits, because the sender of a datagram may be forged: a flood of such queries takes
// no permit of a signed query or of a client over TCP.
import { connect } from 'node:net';
import { Limit } from '#base/limit.ts';
import { concat, uint16 } from '#dns/wire/octets.ts';

/** A kind of query: signed, or not signed and over one of the protocols. */
export type ForwardLane = 'signed' | 'tcp' | 'udp';

/**
 * Passes a query without TSIG record to a name server.
 * @returns null if its kind has no free permit
 * @throws Error if no name server answers; the reason of the signal
 */
export type Forward = (query: Uint8Array, lane: ForwardLane, signal: AbortSignal) => Promise<Uint8Array | null>;

interface ForwardOptions {
  /** Where name servers answer; at least one. */
  servers: readonly { host: string; port: number }[];
  /** The time limit for one name server, in ms. (Default: 1500.) */
  timeoutMs?: number;
  /** The most queries in flight. (Default: see MAX.) */
  most?: Readonly<Record<ForwardLane, number>>;
}

const TIMEOUT_MS = 1_500;
const MAX: Readonly<Record<ForwardLane, number>> = { signed: 100, tcp: 100, udp: 50 };

/** Begins with the name server that answered last, and asks each of them once. */
export function createForward({ servers, timeoutMs = TIMEOUT_MS, most = MAX }: ForwardOptions): Forward {
  let first = 0;
  const createLimit = (lane: ForwardLane) => new Limit({ permits: most[lane] });
  const limits = { signed: createLimit('signed'), tcp: createLimit('tcp'), udp: createLimit('udp') };
  return async (query, lane, signal) => {
    const release = limits[lane].tryTake('');
    if (release === null) return null;
    try {
      const failures: unknown[] = [];
      for (let turn = 0; turn < servers.length; turn += 1) {
        const at = (first + turn) % servers.length;
        const server = servers[at];
        if (server === undefined) break;
        signal.throwIfAborted();
        try {
          const answer = await exchange(server, query, AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]));
          first = at;
          return answer;
        } catch (error) {
          failures.push(error);
        }
      }
      signal.throwIfAborted();
      throw new AggregateError(failures, 'no name server of the service answers');
    } finally {
      release();
    }
  };
}

/** One query and its answer over a connection of their own (RFC 7766). */
function exchange(server: { host: string; port: number }, query: Uint8Array, signal: AbortSignal): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const socket = connect({ ...server, signal });
    let receivedOctets: Uint8Array = new Uint8Array();
    const settle = (work: () => void) => {
      socket.destroy();
      work();
    };
    socket.on('error', (error) => settle(() => reject(signal.aborted ? signal.reason : error)));
    socket.on('close', () => settle(() => reject(new Error('the name server closed the connection'))));
    socket.on('connect', () => socket.write(concat([uint16(query.length), query])));
    socket.on('data', (chunk) => {
      receivedOctets = concat([receivedOctets, chunk as Uint8Array]);
      const [high, low] = receivedOctets;
      if (high === undefined || low === undefined || receivedOctets.length < 2 + ((high << 8) | low)) return;
      const answer = receivedOctets.slice(2, 2 + ((high << 8) | low));
      const isAnswer = answer[0] === query[0] && answer[1] === query[1] && ((answer[2] ?? 0) & 0x80) !== 0;
      settle(() => (isAnswer ? resolve(answer) : reject(new Error('the answer belongs to another query'))));
    });
  });
}

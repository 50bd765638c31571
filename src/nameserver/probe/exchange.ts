// One question and one answer over one socket, by UDP or by TCP.
//
// Every exchange has a new socket (so the kernel picks a random source port) and a random id. It accepts only a
// response with that id and that question: other responses are ignored over UDP, and end the exchange over TCP.
import { randomInt } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { connect, isIPv6 } from 'node:net';
import { plainName } from '#dns/names/plain.ts';
import { numberOfType } from '#dns/types/numbers.ts';
import { concat, uint16 } from '#dns/wire/octets.ts';
import { decodeMessage, encodeQuery, type ProbeMessage, type ProbeQuestion } from './message.ts';

export interface ProbeEndpoint {
  /** IPv4 or IPv6. */
  readonly address: string;
  readonly port: number;
}

export type Exchange = (
  server: ProbeEndpoint,
  question: ProbeQuestion,
  timeoutMs: number,
  signal: AbortSignal,
) => Promise<ProbeMessage>;

/** @throws {Error} of the socket, or when the limit has expired; the signal's reason when it aborts. */
export const exchangeUdp: Exchange = (server, question, timeoutMs, signal) => {
  const id = randomInt(0x1_0000);
  const socket = createSocket(isIPv6(server.address) ? 'udp6' : 'udp4');
  return within(
    timeoutMs,
    signal,
    () => socket.close(),
    (resolve, reject) => {
      socket.on('error', reject);
      socket.on('message', (bytes) => {
        const message = acceptable(bytes, id, question);
        if (message !== null) resolve(message);
      });
      // A connected socket: the kernel drops packets from other addresses and reports a closed port at once.
      socket.connect(server.port, server.address, () => {
        socket.send(encodeQuery(id, question), (error) => {
          if (error) reject(error);
        });
      });
    },
  );
};

/** As {@link exchangeUdp}; also throws when the answer is malformed or belongs to another question. */
export const exchangeTcp: Exchange = (server, question, timeoutMs, signal) => {
  const id = randomInt(0x1_0000);
  const socket = connect({ host: server.address, port: server.port });
  return within(
    timeoutMs,
    signal,
    () => socket.destroy(),
    (resolve, reject) => {
      let receivedOctets: Uint8Array = new Uint8Array(0);
      socket.on('error', reject);
      socket.on('close', () => reject(new Error('the connection was closed before the answer was complete')));
      socket.on('connect', () => {
        const query = encodeQuery(id, question);
        // RFC 1035 section 4.2.2: the length comes first, in the same segment (RFC 7766 section 8).
        socket.write(concat([uint16(query.length), query]));
      });
      socket.on('data', (chunk) => {
        receivedOctets = concat([receivedOctets, chunk as Uint8Array]);
        const [high, low] = receivedOctets;
        if (high === undefined || low === undefined) return;
        const length = (high << 8) | low;
        if (receivedOctets.length < 2 + length) return;
        const message = acceptable(receivedOctets.slice(2, 2 + length), id, question);
        if (message === null) reject(new Error('the answer belongs to another question'));
        else resolve(message);
      });
    },
  );
};

function acceptable(bytes: Uint8Array, id: number, question: ProbeQuestion): ProbeMessage | null {
  try {
    const message = decodeMessage(bytes);
    const name = plainName(question.name);
    const same = message.question?.name === name && message.question.type === numberOfType(question.type);
    // FORMERR and similar answers may come without the question (RFC 1035 section 4.1.1 leaves it open).
    const bare = message.question === null && message.rcode !== 0;
    return message.id === id && (same || bare) ? message : null;
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

type Settle = (resolve: (message: ProbeMessage) => void, reject: (error: Error) => void) => void;

async function within(timeoutMs: number, signal: AbortSignal, close: () => void, start: Settle): Promise<ProbeMessage> {
  let timer: NodeJS.Timeout | undefined;
  let onAbort: (() => void) | undefined;
  try {
    return await new Promise<ProbeMessage>((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason);
      onAbort = () => reject(signal.reason);
      signal.addEventListener('abort', onAbort, { once: true });
      timer = setTimeout(() => reject(new Error('no answer in time')), timeoutMs);
      start(resolve, reject);
    });
  } finally {
    clearTimeout(timer);
    if (onAbort !== undefined) signal.removeEventListener('abort', onAbort);
    close();
  }
}

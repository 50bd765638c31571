// Queries and transfers at the port of updates. Clients of RFC 2136 look for the SOA record of a zone, and read zones by AXFR, at
// the address that they send updates to. A name server behind this function answers them; the message stays as it is, so that
// its TSIG record stays valid.
import { RCODE } from '#dns/wire/rcodes.ts';
import { bareAnswer } from './answer.ts';

/** Where a message comes from, and the way back. */
export interface Transport {
  readonly protocol: 'udp' | 'tcp';
  /** The address of the client, and its port. */
  readonly client: { readonly address: string; readonly port: number };
  /**
   * Sends one message to the client; a transfer has several. It resolves when the client can take more, and rejects if the
   * connection is closed or the client does not read within a limit of time.
   */
  send(answer: Uint8Array): Promise<void>;
  /** Aborts when the client closes its connection, or the process stops. */
  readonly signal: AbortSignal;
}

/** Answers one message with opcode QUERY. An error ends the connection; over UDP, the client gets no answer. */
export type Relay = (query: Uint8Array, transport: Transport) => Promise<void>;

/** For a service without a name server behind the port. */
export const refuseQueries: Relay = async (query, transport) => {
  const answer = bareAnswer(query, RCODE.REFUSED);
  if (answer !== null) await transport.send(answer);
};

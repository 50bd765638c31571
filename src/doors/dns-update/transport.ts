// The transport of a message: its protocol, its client, and the function that sends answers.

export interface MessageTransport {
  readonly protocol: 'udp' | 'tcp';
  /** The address of the client, and its port. */
  readonly client: { readonly address: string; readonly port: number };
  /**
   * Sends one message to the client; a transfer has several. It resolves when the client can take more, and rejects if
   * the connection is closed or the client does not read within a limit of time.
   */
  send(answer: Uint8Array): Promise<void>;
  /** Aborts when the client closes its connection, or the process stops. */
  readonly signal: AbortSignal;
}

/** Answers a message over its transport. An error ends the connection; over UDP, the client gets no answer. */
export type Answerer = (octets: Uint8Array, transport: MessageTransport) => Promise<void>;

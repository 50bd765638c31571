// Asks one name server: over UDP with retries, and over TCP if the answer is truncated or the caller wants it.
import { exchangeTcp, exchangeUdp, type ProbeEndpoint } from './exchange.ts';
import type { ProbeMessage, ProbeQuestion } from './message.ts';

export interface AskOptions {
  /** The limit of one attempt, in ms. (Default: 1500.) */
  readonly timeoutMs?: number | undefined;
  /** Attempts over UDP, because datagrams get lost; over TCP there is always one. (Default: 3.) */
  readonly attempts?: number | undefined;
  /** `tcp` asks over TCP only. (Default: `udp`, and TCP if the answer is truncated.) */
  readonly transport?: 'udp' | 'tcp' | undefined;
  readonly signal: AbortSignal;
}

export interface ProbeAnswer extends ProbeMessage {
  /** The transport of the answer. */
  readonly transport: 'udp' | 'tcp';
}

/** The server did not answer. The message stays the same while the state does. */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer';
  readonly transport: 'udp' | 'tcp';

  constructor(transport: 'udp' | 'tcp', cause: unknown) {
    super(`does not answer over ${transport.toUpperCase()}`, { cause });
    this.transport = transport;
  }
}

/**
 * Takes at most (attempts + 1) × timeoutMs.
 * @throws {NoAnswer}; the signal's reason when it aborts.
 */
export async function ask(server: ProbeEndpoint, question: ProbeQuestion, options: AskOptions): Promise<ProbeAnswer> {
  const { signal, timeoutMs = 1_500, attempts = 3, transport = 'udp' } = options;
  if (transport === 'udp') {
    let last: unknown;
    for (let attempt = 0; attempt < attempts; attempt++) {
      try {
        const message = await exchangeUdp(server, question, timeoutMs, signal);
        if (!message.tc) return { ...message, transport };
        return await askTcp(server, question, timeoutMs, signal);
      } catch (error) {
        if (signal.aborted) throw signal.reason;
        if (error instanceof NoAnswer) throw error;
        last = error;
      }
    }
    throw new NoAnswer('udp', last);
  }
  return askTcp(server, question, timeoutMs, signal);
}

async function askTcp(
  server: ProbeEndpoint,
  question: ProbeQuestion,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<ProbeAnswer> {
  try {
    return { ...(await exchangeTcp(server, question, timeoutMs, signal)), transport: 'tcp' };
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    throw new NoAnswer('tcp', error);
  }
}

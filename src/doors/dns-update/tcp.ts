// Messages over TCP, each after its length in two octets (RFC 1035 section 4.2.2). The messages of one connection are
// answered one after the other, and the next one is read only when the answer before it was taken, so a connection
// holds one message.
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { peerAddress } from '#base/address.ts';
import { concat, uint16 } from '#dns/wire/octets.ts';
import { type ConnectionLimits, limitConnections } from '#http/connections/sockets.ts';
import type { Answerer } from './transport.ts';

export interface TcpOptions {
  answer: Answerer;
  limits: ConnectionLimits;
  /** The time for a whole message to arrive, and to wait for the next one, in ms (RFC 7766 section 6.2.3). */
  idleMs: number;
  /** The time that a client has to read an answer, in ms. */
  readMs: number;
  onDropped(): void;
  onError(error: unknown): void;
  signal: AbortSignal;
}

/**
 * Listens until it is closed. A client that ends its half of the connection still gets its answers.
 * @throws if the address is in use
 */
export async function listenTcp(at: { host: string; port: number }, options: TcpOptions): Promise<Server> {
  const server = createServer({ noDelay: true, allowHalfOpen: true }, (socket) => {
    serve(socket, options).catch(options.onError);
  });
  limitConnections(server, options.limits, options.onDropped);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(at, () => {
      server.off('error', reject);
      resolve();
    });
  });
  server.on('error', options.onError);
  return server;
}

export function portOf(server: Server): number {
  return (server.address() as AddressInfo).port;
}

async function serve(socket: Socket, { answer, idleMs, readMs, signal }: TcpOptions): Promise<void> {
  const clientAbort = new AbortController();
  const leave = () => socket.destroy();
  signal.addEventListener('abort', leave, { once: true });
  socket.once('close', () => {
    signal.removeEventListener('abort', leave);
    clientAbort.abort();
  });
  // The client went away; the loop below then ends.
  socket.on('error', () => undefined);
  const { remoteAddress = '', remotePort: port = 0 } = socket;
  const address = peerAddress(remoteAddress) ?? remoteAddress;
  const transport = {
    protocol: 'tcp',
    client: { address, port },
    send: (answer: Uint8Array) => write(socket, answer, readMs),
    signal: clientAbort.signal,
  } as const;
  const reader = createReader(socket);
  try {
    for (;;) {
      const message = await reader.next(idleMs);
      if (message === null) break;
      await answer(message, transport);
    }
  } finally {
    socket.destroySoon();
    setTimeout(() => socket.destroy(), readMs).unref();
  }
}

/** @throws Error if the client does not read in time, or is gone */
function write(socket: Socket, answer: Uint8Array, readMs: number): Promise<void> {
  return new Promise((resolve, reject) => {
    if (socket.destroyed) return reject(new Error('the client closed the connection'));
    const timer = setTimeout(() => socket.destroy(), readMs);
    socket.write(concat([uint16(answer.length), answer]), (error) => {
      clearTimeout(timer);
      if (error) reject(error);
      else resolve();
    });
  });
}

/** Reads one message at a time. The octets after it stay in the socket, up to the size of its buffer. */
function createReader(socket: Socket): { next(idleMs: number): Promise<Uint8Array | null> } {
  socket.pause();
  let rest: Uint8Array = new Uint8Array(0);
  let chunks: Uint8Array[] = [];
  let size = 0;
  const whole = (): Uint8Array | null => {
    if (size < 2) return null;
    if (chunks.length > 1 && (chunks[0] as Uint8Array).length < 2) chunks = [concat(chunks)];
    const [high = 0, low = 0] = chunks[0] as Uint8Array;
    const end = 2 + ((high << 8) | low);
    if (size < end) return null;
    const all = concat(chunks);
    rest = all.slice(end);
    return all.slice(2, end);
  };
  return {
    next: (idleMs) =>
      new Promise((resolve) => {
        chunks = rest.length === 0 ? [] : [rest];
        size = rest.length;
        rest = new Uint8Array(0);
        const finish = (message: Uint8Array | null) => {
          clearTimeout(timer);
          socket.pause();
          socket.off('data', onData).off('end', onEnd).off('close', onEnd);
          resolve(message);
        };
        const timer = setTimeout(() => finish(null), idleMs);
        const onEnd = () => finish(null);
        const onData = (chunk: Uint8Array) => {
          chunks.push(chunk);
          size += chunk.length;
          const message = whole();
          if (message !== null) finish(message);
        };
        const message = whole();
        if (message !== null || socket.destroyed || socket.readableEnded) return finish(message);
        socket.on('data', onData).on('end', onEnd).on('close', onEnd);
        socket.resume();
      }),
  };
}

// Limits the connections of a listening socket, in total and per client address, and ends each of them in bounded time,
// even if the client does not cooperate.
import type { Server, Socket } from 'node:net';
import { toClientNetwork } from '#base/networks.ts';

/** The time that a client has to take the last answer, in ms. */
const LINGER_MS = 2_000;

const ending = new WeakSet<Socket>();

/**
 * Sends `text` as the last data of a connection and destroys the socket at latest 2 s later. Otherwise a client that
 * keeps its half of the connection open (RFC 9293 section 3.6) would hold the socket for as long as it sends an octet
 * now and then.
 */
export function endSocket(socket: Socket, text: string): void {
  if (ending.has(socket) || socket.destroyed) return;
  ending.add(socket);
  socket.end(text);
  const timer = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once('close', () => clearTimeout(timer));
}

/**
 * Lets the client of an HTTP server receive the answer to a request whose body is not read to its end. Node destroys
 * such a connection as soon as the answer is written, and the kernel then discards the data that the client has not
 * read yet, because octets of the body arrive at a closed socket. Therefore the rest of the body is read and dropped
 * for at most 2 s (RFC 9112 section 9.6). To be called before the answer.
 */
export function lingerAfterAnswer(socket: Socket): void {
  socket.destroySoon = () => {
    socket.end();
    const timer = setTimeout(() => socket.destroy(), LINGER_MS);
    socket.once('close', () => clearTimeout(timer));
  };
}

/** Whether the connection got its last answer: later data on it is not a request any more. */
export function isEnding(socket: Socket): boolean {
  return ending.has(socket);
}

export interface ConnectionLimits {
  /** Connections of all servers that share the limits. */
  total: number;
  /** Connections of one client address; an IPv6 address counts with the /64 network it is in. */
  perAddress: number;
  /** Addresses that the second limit does not apply to: proxies. */
  isExempt?: (address: string) => boolean;
}

/**
 * Inserts itself between a listening socket and the server that reads from its connections. `handle` gets each new
 * connection and calls `accept` to pass it on; until then the server does not know it. To be called before the server
 * listens.
 */
export function interceptConnections(server: Server, handle: (socket: Socket, accept: () => void) => void): void {
  const accept = handOver(server);
  server.removeAllListeners('connection');
  server.on('connection', (socket: Socket) => handle(socket, () => accept(socket)));
}

/** The function that gives further connections to a server. Later interceptions do not see these connections. */
export function handOver(server: Server): (socket: Socket) => void {
  const listeners = server.listeners('connection');
  return (socket) => {
    for (const listener of listeners) listener.call(server, socket);
  };
}

/** Closes connections beyond the limits as soon as they are accepted, without an answer. See shareLimits. */
export function limitConnections(server: Server, limits: ConnectionLimits, onRefused?: () => void): void {
  shareLimits(limits, onRefused)(server);
}

/**
 * Limits that several servers of one process share: each server that is given to the returned function counts for all
 * of them.
 * @param onRefused called for each connection that is closed
 */
export function shareLimits(
  { total, perAddress, isExempt }: ConnectionLimits,
  onRefused: () => void = () => undefined,
): (server: Server) => void {
  const counts = new Map<string, number>();
  let open = 0;
  const refuse = (socket: Socket): void => {
    socket.destroy();
    onRefused();
  };
  const take = (socket: Socket, accept: () => void): void => {
    const { remoteAddress } = socket;
    // The client has already disconnected.
    if (remoteAddress === undefined) return void socket.destroy();
    if (open >= total) {
      refuse(socket);
      return;
    }
    const network = isExempt?.(remoteAddress) ? null : toClientNetwork(remoteAddress);
    const count = network === null ? 0 : (counts.get(network) ?? 0) + 1;
    if (count > perAddress) {
      refuse(socket);
      return;
    }
    open += 1;
    if (network !== null) counts.set(network, count);
    socket.once('close', () => {
      open -= 1;
      if (network === null) return;
      const remainingCount = (counts.get(network) ?? 1) - 1;
      if (remainingCount === 0) counts.delete(network);
      else counts.set(network, remainingCount);
    });
    accept();
  };
  return (server) => {
    // Node closes these without making a socket.
    server.maxConnections = total;
    server.on('drop', onRefused);
    interceptConnections(server, take);
  };
}

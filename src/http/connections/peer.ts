// The other end of a connection: the client that a proxy names, and the address that the packets come from.
import type { Socket } from 'node:net';

const connectedFrom = new WeakMap<Socket, string>();

/** From now on the socket reports the client's address to every reader. */
export function rename(socket: Socket, { address, port }: { address: string; port: number }): void {
  connectedFrom.set(socket, describeEnds(socket));
  Object.defineProperty(socket, 'remoteAddress', { value: address, configurable: true });
  Object.defineProperty(socket, 'remotePort', { value: port, configurable: true });
}

/** Whether the address is that of a client behind a proxy. */
export function isRenamed(socket: Socket): boolean {
  return connectedFrom.has(socket);
}

/**
 * Both ends of the connection as the kernel knows them: no two open connections have the same ones. A socket and the
 * TLS socket on top of it have equal ones.
 */
export function describeEnds(socket: Socket): string {
  const { remoteAddress, remotePort, localAddress, localPort } = socket;
  return connectedFrom.get(socket) ?? `${remoteAddress} ${remotePort} ${localAddress} ${localPort}`;
}

// Removes the PROXY protocol header from the connections of trusted proxies before the HTTP server reads them. A
// connection from any other address is served as it is: it cannot claim an address, because to the HTTP server the
// header is a malformed request.
import type { Server, Socket } from 'node:net';
import { peerAddress } from '#base/address.ts';
import type { IsTrusted } from './client-address.ts';
import { rename } from './peer.ts';
import { MAX_V2, readProxyHeader } from './proxy-protocol.ts';
import { interceptConnections } from './sockets.ts';

/** The time that a trusted proxy has to send the header. */
const HEADER_MS = 5_000;

/**
 * To be called before the server listens.
 * @param onProblem called with the address of a proxy whose header is missing or broken
 */
export function readProxyHeaders(
  server: Server,
  isTrusted: IsTrusted,
  onProblem: (proxy: string, problem: string) => void,
): void {
  interceptConnections(server, (socket, accept) => {
    const proxy = peerAddress(socket.remoteAddress ?? '');
    if (proxy === null) return void socket.destroy();
    if (!isTrusted(proxy)) return accept();
    takeHeader(socket, accept, (problem) => {
      onProblem(proxy, problem);
      socket.destroy();
    });
  });
}

function takeHeader(socket: Socket, accept: () => void, refuse: (problem: string) => void): void {
  let octets = Buffer.alloc(0);
  const timer = setTimeout(() => finish(() => refuse(`no header within ${HEADER_MS} ms`)), HEADER_MS);
  const onData = (chunk: Buffer) => {
    octets = Buffer.concat([octets, chunk]);
    // The rest of the packet may already be the beginning of the request.
    const header = readProxyHeader(octets.subarray(0, MAX_V2));
    if (header.state === 'incomplete') return;
    finish(() => {
      if (header.state === 'invalid') return refuse(header.problem);
      if (header.source !== null) rename(socket, header.source);
      if (octets.length > header.length) socket.unshift(octets.subarray(header.length));
      accept();
      socket.resume();
    });
  };
  const onEnd = () => finish(() => void socket.destroy());
  const finish = (then: () => void) => {
    clearTimeout(timer);
    socket.off('data', onData).off('end', onEnd).off('error', onEnd).off('close', onEnd);
    socket.pause();
    then();
  };
  socket.on('data', onData).on('end', onEnd).on('error', onEnd).on('close', onEnd);
}

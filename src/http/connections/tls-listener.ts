// A listening socket for TLS that hands each connection to a server of HTTP after the handshake: one server answers
// with and without TLS, so its limits on requests apply to both. The certificate can be replaced while connections are
// open.
import type { Server, Socket } from 'node:net';
import { createServer, type TLSSocket } from 'node:tls';
import { lookAtFirstOctet } from './first-octet.ts';
import { describeEnds, isRenamed, rename } from './peer.ts';
import type { ServingCertificate } from './serving-certificate.ts';
import { interceptConnections } from './sockets.ts';

export interface TlsListener {
  /** Its connections are those before the handshake. Limits on connections apply here. */
  readonly server: Server;
  /** For new connections; open ones keep theirs. Until the first call, every handshake fails. */
  setCertificate(pair: ServingCertificate): void;
  /** @throws Error if the address is in use */
  listen(address: { readonly host: string; readonly port: number }): Promise<void>;
  /** Accepts no more connections, ends those before the end of their handshake, and waits for the end of the others. */
  close(): Promise<void>;
}

interface TlsListenerOptions {
  /** Takes over a connection after its handshake. */
  serve(socket: TLSSocket): void;
  /** Answers a client that does not begin with a TLS handshake, and ends the connection. */
  refusePlain(socket: Socket): void;
  /**
   * The time from the start of a connection to its first octet, and from there to the end of the handshake, in ms.
   * (Default: 10000.)
   */
  handshakeMs?: number;
}

const HANDSHAKE_MS = 10_000;
/** The type of a TLS record that carries a handshake message (RFC 8446 section 5.1). */
const HANDSHAKE_RECORD = 0x16;

/** TLS 1.3 only: every client of this service has it, and older versions let clients repeat the expensive handshake. */
export function createTlsListener(options: TlsListenerOptions): TlsListener {
  const { serve, refusePlain, handshakeMs = HANDSHAKE_MS } = options;
  const server = createServer({ handshakeTimeout: handshakeMs });
  /** By the ends of the connection. */
  const early = new Map<string, Socket>();
  interceptConnections(server, (socket, accept) => {
    const ends = describeEnds(socket);
    early.set(ends, socket);
    socket.once('close', () => {
      if (early.get(ends) === socket) early.delete(ends);
    });
    lookAtFirstOctet(socket, handshakeMs, (octet) => {
      if (octet === HANDSHAKE_RECORD) accept();
      else refusePlain(socket);
    });
  });
  server.on('secureConnection', (socket) => {
    const ends = describeEnds(socket);
    const below = early.get(ends);
    early.delete(ends);
    // The client has already disconnected.
    if (below === undefined) return void socket.destroy();
    const { remoteAddress: address, remotePort: port } = below;
    if (isRenamed(below) && address !== undefined && port !== undefined) rename(socket, { address, port });
    serve(socket);
  });
  // A handshake that fails, or takes too long. Node leaves the end of the connection to this listener.
  server.on('tlsClientError', (_error, socket) => void socket.destroy());
  return {
    server,
    // Replaces every setting of the handshake, not the certificate alone.
    setCertificate: ({ certificate, key }) =>
      server.setSecureContext({ cert: certificate, key, minVersion: 'TLSv1.3' }),
    listen: ({ host, port }) =>
      new Promise((resolve, reject) => {
        server.once('error', reject);
        server.listen(port, host, () => {
          server.off('error', reject);
          resolve();
        });
      }),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of early.values()) socket.destroy();
      }),
  };
}

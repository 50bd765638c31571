// Whether everything between a client and this process is encrypted, or on one machine. A proxy that is trusted says
// how its client reached it: `X-Forwarded-Proto`, or `proto` in `Forwarded` (RFC 7239 section 5.4). Pure.
import { peerAddress } from '#base/address.ts';
import { isLoopback } from '#base/networks.ts';
import { type ProxyHeader, splitForwarded } from './client-address.ts';

export interface ClientConnection {
  /** Whether it is TLS. */
  readonly isEncrypted: boolean;
  /** The address of the other end, and of this one. */
  readonly peer: string;
  readonly own: string;
  readonly isTrustedProxy: boolean;
  /** The kind of header that trusted proxies write; the other kind does not count. */
  readonly proxyHeader: ProxyHeader;
  /** The address of the client, as clientAddress finds it. */
  readonly client: string;
  /** Each value of the headers as it was sent. */
  readonly xForwardedProto: readonly string[];
  readonly forwarded: readonly string[];
}

/**
 * If a trusted proxy names protocols, all of them must be https. Without a name, TLS counts, and so does a client on
 * this machine, which either uses a loopback address or connects from the address that it connects to.
 */
export function isProtected(connection: ClientConnection): boolean {
  const { isEncrypted, isTrustedProxy, peer, own, client } = connection;
  const protocols = isTrustedProxy ? readProtocols(connection) : [];
  if (protocols.length > 0) return protocols.every((protocol) => protocol === 'https');
  if (isEncrypted) return true;
  return peerAddress(peer) === peerAddress(client) && isSameMachine(peer, own);
}

/** Whether a connection does not leave the machine, by the addresses of its ends. */
export function isSameMachine(peer: string, own: string): boolean {
  const from = peerAddress(peer);
  return from !== null && (from === peerAddress(own) || isLoopback(from));
}

function readProtocols({ proxyHeader, xForwardedProto, forwarded }: ClientConnection): string[] {
  if (proxyHeader === 'X-Forwarded-For') {
    return xForwardedProto.flatMap((value) => value.split(',')).map((each) => each.trim().toLowerCase());
  }
  return forwarded
    .flatMap((value) => splitForwarded(value, 'proto') ?? [''])
    .flatMap((each) => each?.toLowerCase() ?? []);
}

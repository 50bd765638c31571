// Whether this machine has a route to an address, for programs that ask the addresses of both families: a machine with
// IPv4 alone gets no answer from IPv6 addresses, which says nothing about the name servers.
import { createSocket } from 'node:dgram';
import { isIPv6 } from 'node:net';

const DNS_PORT = 53;

/**
 * The kernel looks for a route when a datagram socket is connected, and nothing is sent. False also for a family that
 * the machine does not have.
 */
export function hasRoute(address: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createSocket(isIPv6(address) ? 'udp6' : 'udp4');
    const end = (result: boolean) => {
      socket.close();
      resolve(result);
    };
    socket.once('error', () => end(false));
    socket.connect(DNS_PORT, address, () => end(true));
  });
}

// Which addresses a server listens on. `*`, the default of every listener, is all addresses of the machine, of both
// families; on a machine without IPv6 it is those of IPv4 alone.
import { createSocket } from 'node:dgram';

/** All addresses of the machine. */
export const EVERY_ADDRESS = '*';

const [IPV4, IPV6] = ['0.0.0.0', '::'];

/**
 * The address for a server of Node.js, whose one socket serves both families: IPv4 clients have addresses such as
 * ::ffff:192.0.2.1 there.
 */
export async function chooseListenAddress(host: string, canUseIpv6 = supportsIpv6): Promise<string> {
  if (host !== EVERY_ADDRESS) return host;
  return (await canUseIpv6()) ? IPV6 : IPV4;
}

/** The addresses for a server that needs a socket for each family, as knotd does. */
export async function chooseListenAddresses(
  hosts: readonly string[],
  canUseIpv6 = supportsIpv6,
): Promise<readonly string[]> {
  if (!hosts.includes(EVERY_ADDRESS)) return hosts;
  return (await canUseIpv6()) ? [IPV4, IPV6] : [IPV4];
}

/** A kernel without IPv6 refuses the socket; one that has it takes the address even if no interface has another one. */
export function supportsIpv6(): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createSocket('udp6');
    socket.once('error', () => {
      socket.close();
      resolve(false);
    });
    socket.bind({ address: IPV6, port: 0 }, () => socket.close(() => resolve(true)));
  });
}

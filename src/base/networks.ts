// Which networks a client is in. Every list of networks (of keys, trusts, trusted proxies and limits) and every limit
// for one client uses these functions, so the families are told apart in one place. Pure.
import { BlockList, isIP } from 'node:net';
import { parseIpv6, peerAddress } from './address.ts';

type Family = 'ipv4' | 'ipv6';
const familyOf = (address: string): Family => (address.includes(':') ? 'ipv6' : 'ipv4');

/**
 * @param networks addresses and networks in CIDR notation
 * @returns whether an address is in one of them. An IPv4 address in IPv6 form is an IPv4 address, and `::/0` contains
 * no IPv4 address; a text that is not an address is in none
 */
export function matchNetworks(networks: readonly string[]): (address: string) => boolean {
  // One list per family: a BlockList compares an IPv4 address with IPv6 rules too.
  const lists: Record<Family, BlockList> = { ipv4: new BlockList(), ipv6: new BlockList() };
  for (const network of networks) {
    const [base = '', prefix] = network.split('/');
    const family = familyOf(base);
    lists[family].addSubnet(base, prefix === undefined ? (family === 'ipv6' ? 128 : 32) : Number(prefix), family);
  }
  return (address) => {
    const plain = peerAddress(address);
    return plain !== null && lists[familyOf(plain)].check(plain, familyOf(plain));
  };
}

/** Whether the address is one of this machine alone. */
export const isLoopback = matchNetworks(['127.0.0.0/8', '::1']);

/**
 * The same for a host: an IP address without brackets, or a name. The resolver of the machine answers `localhost`
 * without asking a server (RFC 6761 section 6.3).
 */
export function isLoopbackHost(host: string): boolean {
  return isIP(host) === 0 ? host === 'localhost' : isLoopback(host);
}

/** The prefix that one subscriber commonly has (RFC 6177 section 2). */
const CLIENT_OCTETS = 8;

/**
 * The unit that a limit for one client counts by: the IPv4 address, or the /64 network of an IPv6 address, of which one
 * machine has as many addresses as it likes.
 */
export function toClientNetwork(address: string): string {
  const plain = peerAddress(address) ?? address;
  const octets = parseIpv6(plain);
  if (octets === null) return plain;
  const groups = [0, 2, 4, 6].map((at) => (((octets[at] ?? 0) << 8) | (octets[at + 1] ?? 0)).toString(16));
  return `${groups.join(':')}::/${CLIENT_OCTETS * 8}`;
}

// The networks that a key can be used from. Pure.
import { BlockList, isIPv6 } from 'node:net';

/** @param networks in CIDR notation */
export function isWithinNetworks(address: string, networks: readonly string[]): boolean {
  const list = new BlockList();
  for (const network of networks) {
    const [base = '', prefix = ''] = network.split('/');
    const family = isIPv6(base) ? 'ipv6' : 'ipv4';
    list.addSubnet(base, prefix === '' ? (family === 'ipv6' ? 128 : 32) : Number(prefix), family);
  }
  // A dual-stack socket shows IPv4 peers in their mapped form.
  const plain = address.startsWith('::ffff:') ? address.slice(7) : address;
  return list.check(plain, isIPv6(plain) ? 'ipv6' : 'ipv4');
}

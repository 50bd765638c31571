// The families of addresses that this machine can reach others with. A name with addresses of both leads to one
// machine, so a program asks the addresses of one family: in a cluster with IPv6 alone, no address of IPv4 answers.
import { type NetworkInterfaceInfo, networkInterfaces } from 'node:os';

export type Family = 4 | 6;

/**
 * The families, the one to use first at the beginning: IPv6 if the machine has an IPv6 address for others and none of
 * IPv4; otherwise IPv4, because many machines have IPv6 addresses without a route. The second family is for names that
 * have no address of the first one.
 */
export function orderFamilies(
  interfaces: ReturnType<typeof networkInterfaces> = networkInterfaces(),
): readonly [Family, Family] {
  const addresses = Object.values(interfaces)
    .flatMap((each) => each ?? [])
    .filter(isForOthers);
  const has = (family: NetworkInterfaceInfo['family']) => addresses.some((each) => each.family === family);
  return has('IPv6') && !has('IPv4') ? [6, 4] : [4, 6];
}

/** Neither loopback nor link-local (RFC 3927, RFC 4291 section 2.5.6). */
function isForOthers({ internal, address }: NetworkInterfaceInfo): boolean {
  return !internal && !/^(169\.254\.|fe[89ab])/i.test(address);
}

/** The addresses of the family that goes first, or else of the other one, in the same order each time. */
export function preferFamily(addresses: readonly string[], [first] = orderFamilies()): string[] {
  const isFirst = (address: string) => address.includes(':') === (first === 6);
  const preferred = addresses.filter(isFirst);
  return (preferred.length > 0 ? preferred : [...addresses]).sort();
}

// The address that every part of the local stack listens on: loopback of IPv4 where the machine has it, otherwise that
// of IPv6, as in a network with IPv6 alone.
import { networkInterfaces } from 'node:os';
import { formatHostPort } from '#base/address.ts';

const [IPV4, IPV6] = ['127.0.0.1', '::1'] as const;

export function chooseLoopback(interfaces: ReturnType<typeof networkInterfaces>): typeof IPV4 | typeof IPV6 {
  const addresses = Object.values(interfaces).flatMap((each) => each ?? []);
  const has = (address: string) => addresses.some((each) => each.address === address);
  return has(IPV6) && !has(IPV4) ? IPV6 : IPV4;
}

export const LOOPBACK = chooseLoopback(networkInterfaces());

/** Where a part listens, as the authority of a URL has it: `127.0.0.1:8080`, `[::1]:8080`. */
export function atLoopback(port: number): string {
  return formatHostPort(LOOPBACK, port);
}

// The networks that a key can be used from. Pure.
import { matchNetworks } from '#base/networks.ts';

/** @param networks in CIDR notation */
export function isWithinNetworks(address: string, networks: readonly string[]): boolean {
  return matchNetworks(networks)(address);
}

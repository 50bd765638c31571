// The networks of one node in one family: to the host, for its pods, and for the Services of its cluster. Pure.
import type { Family } from '#base/families.ts';

export interface NodeNetwork {
  family: Family;
  /** The address of the host, as the node sees it. */
  host: string;
  /** The address of the node, as the host reaches it. */
  node: string;
  /** The length of the prefix that both addresses share. */
  prefix: number;
  podRange: string;
  serviceRange: string;
  /** The address of a Service with this number. */
  serviceAddress(number: number): string;
}

/** The families of a cluster, the primary one first. */
export type Families = readonly [Family, ...Family[]];

/** One for each family. @param place the number of the node among those on this machine, less than 256 */
export function nodeNetworks(place: number, [primary, ...others]: Families): [NodeNetwork, ...NodeNetwork[]] {
  const over = (family: Family) => (family === 4 ? overIpv4(place) : overIpv6(place));
  return [over(primary), ...others.map(over)];
}

function overIpv4(place: number): NodeNetwork {
  return {
    family: 4,
    host: `10.210.${place}.1`,
    node: `10.210.${place}.2`,
    prefix: 30,
    podRange: `10.211.${place}.0/24`,
    serviceRange: `10.212.${place}.0/24`,
    serviceAddress: (number) => `10.212.${place}.${number}`,
  };
}

/** kube-apiserver takes at most 20 bits for Services; kube-controller-manager gives a node a /64 for its pods. */
function overIpv6(place: number): NodeNetwork {
  const own = place.toString(16);
  return {
    family: 6,
    host: `fd00:210:${own}::1`,
    node: `fd00:210:${own}::2`,
    prefix: 64,
    podRange: `fd00:211:${own}::/64`,
    serviceRange: `fd00:212:${own}::/112`,
    serviceAddress: (number) => `fd00:212:${own}::${number.toString(16)}`,
  };
}

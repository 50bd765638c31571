// Reads the parameters of an update by the dyndns2 protocol: the host names, and the addresses that they should have.
// Pure.
//
// Parameters that other services know, such as `wildcard`, `mx` and `offline`, are ignored.
import { isIPv4 } from 'node:net';
import { describeUnusable, plainAddress } from '#base/address.ts';
import { publicAddresses } from '#base/public-address.ts';

const isPublic = publicAddresses();

/** The most host names of a request. */
export const MAX_HOSTS = 20;

/** An address of each family at most; there is at least one. */
export interface Addresses {
  A?: string;
  AAAA?: string;
}

export interface HostUpdate {
  /** As they were sent. */
  hosts: readonly string[];
  /** Null: the address of the client. */
  addresses: Addresses | null;
}

/** The answer of a request that cannot be read; `problem` says how to correct it. */
export interface Unreadable {
  code: 'notfqdn' | 'numhost' | 'dnserr';
  problem: string;
}

export function readHostUpdate(parameters: URLSearchParams): HostUpdate | Unreadable {
  const hosts = splitList(parameters.getAll('hostname'));
  if (hosts.length === 0) return { code: 'notfqdn', problem: 'Send hostname=, with one or several names.' };
  if (hosts.length > MAX_HOSTS) {
    return { code: 'numhost', problem: `Send at most ${MAX_HOSTS} names in one request, and not ${hosts.length}.` };
  }
  const addresses = readAddresses(splitList(['myip', 'myipv4', 'myipv6'].flatMap((name) => parameters.getAll(name))));
  return typeof addresses === 'string' ? { code: 'dnserr', problem: addresses } : { hosts, addresses };
}

/** A sentence if they cannot be read. */
function readAddresses(texts: readonly string[]): Addresses | null | string {
  const addresses: Addresses = {};
  for (const text of texts) {
    // Programs with a socket for both families send their IPv4 address in IPv6 form, which no AAAA record may have.
    const address = plainAddress(text);
    if (text.includes('%') && address === null) return `myip ${describeUnusable(text) ?? 'is not an address'}.`;
    if (address === null) return 'myip must be an IPv4 address, an IPv6 address, or both with a comma between them.';
    const family = isIPv4(address) ? 'A' : 'AAAA';
    if (addresses[family] !== undefined && addresses[family] !== address) {
      return 'myip has two addresses of one family: send one IPv4 and one IPv6 address at most.';
    }
    addresses[family] = address;
  }
  return texts.length === 0 ? null : addresses;
}

/** Routers send `myip=192.0.2.1,` if they have no IPv6 address. */
function splitList(texts: readonly string[]): string[] {
  return texts
    .flatMap((text) => text.split(','))
    .map((text) => text.trim())
    .filter((text) => text !== '');
}

/** Uses the client's address as the host's. Null for proxies and private networks. */
export function addressesOfClient(client: string, isProxy: (address: string) => boolean): Addresses | null {
  const address = plainAddress(client);
  if (address === null || isProxy(address) || !isPublic(address)) return null;
  return isIPv4(address) ? { A: address } : { AAAA: address };
}

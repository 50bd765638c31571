// A secondary: a third-party name server that gets zones from our nodes by zone transfer. Types, and the checks that
// every generated configuration relies on. Pure.

import { describeUnusable, formatHostPort, plainAddress } from '#base/address.ts';
import { formatError } from '#base/error-text.ts';
import { parseNetwork } from '../network.ts';
import { checkedPins } from './pin.ts';

/** The largest number of secondaries that the owner of a zone may choose for it. */
export const MAX_CHOSEN = 8;

export interface Endpoint {
  /** IPv4 or IPv6. */
  readonly address: string;
  readonly port: number;
}

export function endpointText({ address, port }: Endpoint): string {
  return formatHostPort(address, port);
}

/** Algorithms that Knot, BIND and NSD have in common and that RFC 8945 section 6 does not advise against. */
export const TSIG_ALGORITHMS = ['hmac-sha256', 'hmac-sha384', 'hmac-sha512'] as const;

export interface SecondaryKey {
  /** A domain name in lower case without final dot. Both sides must use the same (RFC 8945 section 4.2). */
  readonly name: string;
  readonly algorithm: (typeof TSIG_ALGORITHMS)[number];
  /** Base64. */
  readonly secret: string;
}

export interface Secondary {
  /** Lower-case letters, digits and hyphens, at most 32 characters. */
  readonly name: string;
  /** Each of them gets NOTIFY (RFC 1996), and may transfer. */
  readonly addresses: readonly Endpoint[];
  /**
   * Further addresses and networks (CIDR) that transfers come from, for instance behind NAT, or those of pods.
   * Networks need a key, because many may send from a network.
   */
  readonly transfersFrom?: readonly string[];
  /** Null allows transfers by address alone, which every host that can send from the address then has. */
  readonly key: SecondaryKey | null;
  /** The names of the zones, absolute and without final dot. Names that do not exist have no effect. */
  readonly zones: 'all' | readonly string[];
  /** Whether the secondary follows a catalog zone (RFC 9432) instead of a list of its own. */
  readonly catalog: boolean;
  /** Whether it gets NOTIFY; otherwise it finds changes at its next refresh. */
  readonly notify: boolean;
  /** Whether it may transfer over TLS only (RFC 9103). (Default: false.) */
  readonly requireTls?: boolean;
  /** It must have a certificate with one of these pins (pin.ts), besides its TSIG key. Absent: it needs none. */
  readonly pins?: readonly string[];
}

const NAME = /^[a-z0-9]([a-z0-9-]{0,30}[a-z0-9])?$/;
const KEY_NAME = /^(?=.{1,200}$)[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?)*$/;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
/** The output of the hash is the shortest secret that RFC 8945 section 6 advises: 32 octets for SHA-256. */
const MIN_SECRET_OCTETS = 32;
const SECRET_OCTETS = new Map([
  ['hmac-sha256', MIN_SECRET_OCTETS],
  ['hmac-sha384', 48],
  ['hmac-sha512', 64],
]);

/** For keys without a chosen algorithm. */
export const DEFAULT_TSIG_ALGORITHM = 'hmac-sha256';

/** The name of a secondary's TSIG key, if no other one was chosen. */
export function defaultTsigName(secondary: string): string {
  return `${secondary}.zonestead`;
}

/**
 * The octets of a new secret: those of the hash. An unknown algorithm, which checkedSecondary refuses, has those of
 * SHA-256.
 */
export function tsigSecretOctets(algorithm: string): number {
  return SECRET_OCTETS.get(algorithm) ?? MIN_SECRET_OCTETS;
}

/**
 * The secondary, with its addresses in canonical form (RFC 5952).
 * @throws {Error} that says which field is wrong and what would be accepted; it never contains the secret
 */
export function checkedSecondary(secondary: Secondary): Secondary {
  const { name, addresses, transfersFrom = [], key, requireTls = false } = secondary;
  const where = `secondary ${JSON.stringify(name)}`;
  if (!NAME.test(name)) {
    throw new Error(`${where}: the name must have 1 to 32 lower-case letters, digits and hyphens between them`);
  }
  if (addresses.length === 0) throw new Error(`${where}: needs at least one address`);
  for (const { port } of addresses) {
    if (!Number.isInteger(port) || port < 1 || port > 65_535) {
      throw new Error(`${where}: port ${port} must be a number from 1 to 65535`);
    }
  }
  if (key !== null) checkKey(where, key);
  const network = transfersFrom.find((each) => each.includes('/'));
  if (key === null && network !== undefined) {
    throw new Error(
      `${where}: transfers from the network ${network} need a TSIG key; without one, name single addresses`,
    );
  }
  const pins = readPins(where, secondary.pins ?? []);
  if (pins.length > 0 && !requireTls)
    throw new Error(`${where}: pins need TLS for every transfer: require TLS too, or remove the pins`);
  return {
    ...secondary,
    requireTls,
    pins,
    addresses: addresses.map(({ address, port }) => ({ address: canonicalAddress(where, address), port })),
    transfersFrom: transfersFrom.map((place) => canonicalPlace(where, place)),
  };
}

/**
 * The secondaries, each checked.
 * @throws {Error} as checkedSecondary; also when two have one name, or one TSIG key: a key that two share would let
 * each transfer the zones of the other
 */
export function checkedSecondaries(secondaries: readonly Secondary[]): Secondary[] {
  const names = new Set<string>();
  const keys = new Map<string, string>();
  return secondaries.map((secondary) => {
    const { name, key } = secondary;
    if (names.has(name)) throw new Error(`two secondaries have the name ${JSON.stringify(name)}; give each its own`);
    names.add(name);
    const other = key === null ? undefined : keys.get(key.name);
    if (other !== undefined) {
      throw new Error(
        `the secondaries ${other} and ${name} have the same TSIG key ${key?.name}; give each a key of its own`,
      );
    }
    if (key !== null) keys.set(key.name, name);
    return checkedSecondary(secondary);
  });
}

function checkKey(where: string, { name, algorithm, secret }: SecondaryKey): void {
  if (!KEY_NAME.test(name)) {
    throw new Error(`${where}: the name of the TSIG key must be a domain name in lower case without final dot`);
  }
  if (!TSIG_ALGORITHMS.includes(algorithm)) {
    throw new Error(`${where}: the algorithm of the TSIG key must be one of ${TSIG_ALGORITHMS.join(', ')}`);
  }
  if (!BASE64.test(secret) || Buffer.from(secret, 'base64').length < MIN_SECRET_OCTETS) {
    throw new Error(`${where}: the secret of the TSIG key must be ${MIN_SECRET_OCTETS} octets or more in base64`);
  }
}

function readPins(where: string, pins: readonly string[]): string[] {
  try {
    return checkedPins(pins);
  } catch (error) {
    throw new Error(`${where}: ${formatError(error)}`);
  }
}

function canonicalAddress(where: string, address: string): string {
  const reason = describeUnusable(address);
  if (reason !== null) throw new Error(`${where}: ${JSON.stringify(address)} ${reason}`);
  const plain = plainAddress(address);
  if (plain !== null) return plain;
  throw new Error(`${where}: ${JSON.stringify(address)} must be an IPv4 or IPv6 address`);
}

/** An address, or a network that is written as Knot prints it: a network of one address is that address. */
function canonicalPlace(where: string, place: string): string {
  if (!place.includes('/')) return canonicalAddress(where, place);
  const parsed = parseNetwork(place, 'transfersFrom');
  if (!parsed.ok) throw new Error(`${where}: ${parsed.problem.message}`);
  const [base = '', length] = parsed.value.split('/');
  const address = canonicalAddress(where, base);
  return length === (address.includes(':') ? '128' : '32') ? address : `${address}/${length}`;
}

/** Every address and network that transfers may come from, each once. */
export function transferAddresses({ addresses, transfersFrom = [] }: Secondary): string[] {
  return [...new Set([...addresses.map(({ address }) => address), ...transfersFrom])];
}

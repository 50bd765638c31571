// Parses the PROXY protocol, versions 1 and 2 (haproxy.org/download/2.9/doc/proxy-protocol.txt): the first octets of a
// connection from a load balancer name the client. Pure.
import { isIPv4, isIPv6 } from 'node:net';

type ProxyHeader =
  /** More octets are needed. */
  | { state: 'incomplete' }
  /** The connection does not begin with a header, or the header is broken or too long. */
  | { state: 'invalid'; problem: string }
  /**
   * `length`: octets of the header. `source`: the client; null if the proxy connects on its own behalf (LOCAL,
   * UNKNOWN).
   */
  | { state: 'complete'; length: number; source: { address: string; port: number } | null };

const SIGNATURE_V2 = Uint8Array.of(0x0d, 0x0a, 0x0d, 0x0a, 0x00, 0x0d, 0x0a, 0x51, 0x55, 0x49, 0x54, 0x0a);
const SIGNATURE_V1 = new TextEncoder().encode('PROXY ');
/** Section 2.1: the longest line of version 1, its end included. */
const MAX_V1 = 107;
/** Addresses, and the fields that load balancers add after them (TLVs). */
export const MAX_V2 = 4_096;
const FIXED_V2 = 16;

/** Reads the header at the beginning of `octets`. */
export function readProxyHeader(octets: Uint8Array): ProxyHeader {
  if (beginsLike(octets, SIGNATURE_V2)) {
    return octets.length < FIXED_V2 ? { state: 'incomplete' } : readV2(octets);
  }
  if (beginsLike(octets, SIGNATURE_V1)) return readV1(octets);
  return invalid('the connection does not begin with a PROXY protocol header');
}

/** Whether the octets match the signature as far as both go. */
function beginsLike(octets: Uint8Array, signature: Uint8Array): boolean {
  return octets.subarray(0, signature.length).every((octet, at) => octet === signature[at]);
}

function readV1(octets: Uint8Array): ProxyHeader {
  const line = Buffer.from(octets.subarray(0, MAX_V1)).toString('latin1');
  const end = line.indexOf('\r\n');
  if (end < 0) return octets.length < MAX_V1 ? { state: 'incomplete' } : invalid('the line of version 1 is too long');
  const length = end + 2;
  const [, family, address = '', destination = '', port = '', destinationPort = '', ...more] = line
    .slice(0, end)
    .split(' ');
  // The rest of such a line must be ignored (section 2.1).
  if (family === 'UNKNOWN') return { state: 'complete', length, source: null };
  const isAddress = family === 'TCP4' ? isIPv4 : family === 'TCP6' ? isIPv6 : () => false;
  const good =
    more.length === 0 && isAddress(address) && isAddress(destination) && isPort(port) && isPort(destinationPort);
  if (!good) return invalid('the line of version 1 is malformed');
  return { state: 'complete', length, source: { address, port: Number(port) } };
}

function isPort(text: string): boolean {
  return /^(0|[1-9]\d{0,4})$/.test(text) && Number(text) <= 65_535;
}

function readV2(octets: Uint8Array): ProxyHeader {
  const view = new DataView(octets.buffer, octets.byteOffset, octets.byteLength);
  const [version, command] = [(octets[12] ?? 0) >> 4, (octets[12] ?? 0) & 0xf];
  if (version !== 2 || command > 1) return invalid('the version or the command is unknown');
  const length = FIXED_V2 + view.getUint16(14);
  if (length > MAX_V2) return invalid(`the header is longer than ${MAX_V2} octets`);
  if (octets.length < length) return { state: 'incomplete' };
  // LOCAL: a health check of the load balancer itself.
  if (command === 0) return { state: 'complete', length, source: null };
  const family = octets[13];
  const body = octets.subarray(FIXED_V2, length);
  if (family === 0x11 && body.length >= 12) {
    return { state: 'complete', length, source: { address: body.subarray(0, 4).join('.'), port: view.getUint16(24) } };
  }
  if (family === 0x21 && body.length >= 36) {
    const groups = Array.from({ length: 8 }, (_, group) => view.getUint16(FIXED_V2 + group * 2).toString(16));
    return { state: 'complete', length, source: { address: groups.join(':'), port: view.getUint16(48) } };
  }
  return invalid('the address family is not TCP over IPv4 or IPv6');
}

function invalid(problem: string): ProxyHeader {
  return { state: 'invalid', problem };
}

// IPv4 and IPv6 addresses as text: parsed per RFC 4291 section 2.2, formatted per RFC 5952. Pure.
//
// A socket that serves both families reports an IPv4 client as ::ffff:192.0.2.1, and a link-local client with the
// interface that it came from, as fe80::1%eth0. Programs that compare addresses call plainAddress, or peerAddress for
// the other end of a connection, so that every list, limit and log has one form for each client.

const OCTET = /^(?:0|[1-9][0-9]{0,2})$/;
const GROUP = /^[0-9a-f]{1,4}$/i;

/** The four octets of a dotted quad without leading zeros, or null. */
export function parseIpv4(text: string): Uint8Array | null {
  if (text.length > 15) return null;
  const parts = text.split('.');
  if (parts.length !== 4 || !parts.every((part) => OCTET.test(part) && Number(part) <= 255)) return null;
  return Uint8Array.from(parts, Number);
}

/** The sixteen octets of an address in any form of RFC 4291 section 2.2, without zone id, or null. */
export function parseIpv6(text: string): Uint8Array | null {
  // The longest form is six groups and a dotted quad.
  if (text.length > 45) return null;
  const halves = text.split('::');
  if (halves.length > 2) return null;
  const [head, tail] = [groups(halves[0]!, halves.length === 1), groups(halves[1] ?? '', true)];
  if (head === null || tail === null) return null;
  const missingGroups = 8 - head.length - tail.length;
  if (halves.length === 2 ? missingGroups < 1 : missingGroups !== 0) return null;
  const all = [...head, ...new Array<number>(missingGroups).fill(0), ...tail];
  return Uint8Array.from(all.flatMap((group) => [group >> 8, group & 0xff]));
}

/** The 16-bit groups of one side of `::`; only the last side may end in a dotted quad. */
function groups(side: string, last: boolean): number[] | null {
  if (side === '') return [];
  const parts = side.split(':');
  const result: number[] = [];
  for (const [index, part] of parts.entries()) {
    const quad = last && index === parts.length - 1 ? parseIpv4(part) : null;
    if (quad !== null) result.push((quad[0]! << 8) | quad[1]!, (quad[2]! << 8) | quad[3]!);
    else if (GROUP.test(part)) result.push(Number.parseInt(part, 16));
    else return null;
  }
  return result;
}

export function formatIpv4(octets: Uint8Array): string {
  return Array.from(octets).join('.');
}

/**
 * RFC 5952: lower case, no leading zeros, the first longest run of two or more zero groups as `::`. A v4-mapped address
 * is written in mixed form (section 5), which not every parser of zone files takes, unless `hexOnly`.
 */
export function formatIpv6(octets: Uint8Array, options: { hexOnly: boolean }): string {
  if (!options.hexOnly && isV4Mapped(octets)) return `::ffff:${formatIpv4(octets.subarray(12))}`;
  const all = Array.from({ length: 8 }, (_, index) => (octets[2 * index]! << 8) | octets[2 * index + 1]!);
  const run = longestZeroRun(all);
  const hex = (part: readonly number[]): string => part.map((group) => group.toString(16)).join(':');
  if (run.length < 2) return hex(all);
  return `${hex(all.slice(0, run.start))}::${hex(all.slice(run.start + run.length))}`;
}

/**
 * The one form of an address for comparisons: RFC 5952, and an address in IPv6 form that is an IPv4 one
 * (`::ffff:192.0.2.1`, `::ffff:c000:201`) as IPv4. Null when it is not an address, or has a zone id.
 */
export function plainAddress(text: string): string | null {
  const four = parseIpv4(text);
  if (four !== null) return formatIpv4(four);
  const six = parseIpv6(text);
  if (six === null) return null;
  return isV4Mapped(six) ? formatIpv4(six.subarray(12)) : formatIpv6(six, { hexOnly: true });
}

/**
 * The same for the other end of a connection. The kernel adds the interface to a link-local address, which names no
 * other client.
 */
export function peerAddress(text: string): string | null {
  return plainAddress(text.split('%', 1)[0] ?? '');
}

/**
 * Why people may not write this address in a list, a setting or a field; null if they may. It continues the name or the
 * text of the address: `fe80::1%eth0 has a zone id …`.
 */
export function describeUnusable(text: string): string | null {
  const [address = '', zone] = text.split('%');
  if (zone !== undefined && parseIpv6(address) !== null) {
    return 'has a zone id, which has a meaning on one machine only; write an address without "%"';
  }
  const six = parseIpv6(text);
  if (six !== null && isV4Mapped(six)) {
    return `is an IPv4 address in the form of IPv6; write ${formatIpv4(six.subarray(12))}`;
  }
  return null;
}

/** `192.0.2.1:53`, `[2001:db8::1]:53`, `ns1.example:53`: an IPv6 address has brackets before a port (RFC 3986). */
export function formatHostPort(host: string, port: number | string): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}

export function isV4Mapped(octets: Uint8Array): boolean {
  return octets.subarray(0, 10).every((octet) => octet === 0) && octets[10] === 0xff && octets[11] === 0xff;
}

function longestZeroRun(all: readonly number[]): { start: number; length: number } {
  let best = { start: 0, length: 0 };
  let start = 0;
  for (const [index, group] of all.entries()) {
    if (group !== 0) start = index + 1;
    else if (index + 1 - start > best.length) best = { start, length: index + 1 - start };
  }
  return best;
}

/** IPv4 and IPv6 addresses as text: parsed per RFC 4291 section 2.2, formatted per RFC 5952. Pure. */

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

function isV4Mapped(octets: Uint8Array): boolean {
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

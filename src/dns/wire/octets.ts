/** Wire form, uncompressed and in canonical (lower) case: RFC 1035 section 3.1 and RFC 4034 section 6.2. */
import { Buffer } from 'node:buffer';

/** A canonical name (A-labels, final dot optional, `.` or `''` for the root) in wire form. */
export function nameToWire(name: string): Uint8Array {
  const labels = name.split('.').filter((label) => label !== '');
  return concat([...labels.map(lengthPrefixed), Uint8Array.of(0)]);
}

function lengthPrefixed(label: string): Uint8Array {
  return concat([Uint8Array.of(label.length), Buffer.from(label, 'latin1')]);
}

/** A number of 0..65535 in network order. */
export function uint16(value: number): Uint8Array {
  return Uint8Array.of(value >> 8, value & 0xff);
}

/** A number of 0..4294967295 in network order. */
export function uint32(value: number): Uint8Array {
  return Uint8Array.of(value >>> 24, (value >>> 16) & 0xff, (value >>> 8) & 0xff, value & 0xff);
}

/** Takes a list and not its members: a TXT may have more strings than a call may have arguments. */
export function concat(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** The same text for equal octets, and for no others: the key of a Map. */
export function keyOfOctets(octets: Uint8Array): string {
  return Buffer.from(octets.buffer, octets.byteOffset, octets.byteLength).toString('latin1');
}

export function equalBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, index) => byte === b[index]);
}

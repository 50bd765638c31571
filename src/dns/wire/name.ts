/** Reads names in wire form (RFC 1035 sections 3.1 and 4.1.4). */
import { Buffer } from 'node:buffer';
import { concat } from './octets.ts';

interface WireName {
  /**
   * Lower case, without final dot. Dots and backslashes inside a label are escaped, so that two names never look alike.
   */
  readonly name: string;
  /** Uncompressed and in lower case. */
  readonly wire: Uint8Array;
  /** The index after the name. */
  readonly next: number;
}

const MAX_WIRE = 255;
const MAX_LABEL = 63;
const POINTER = 0xc0;

/**
 * Reads the name at `start` of a message and follows compression.
 * @throws {RangeError} when the name runs over the end, is too long, or has a pointer that points forwards or in a
 * circle
 */
export function readName(message: Uint8Array, start: number): WireName {
  const { labels, next } = readLabels(message, start);
  const lowered = labels.map((label) => label.map(lower));
  return {
    name: lowered.map((label) => Buffer.from(label).toString('latin1').replace(/[.\\]/g, '\\$&')).join('.'),
    wire: concat([...lowered.flatMap((label) => [Uint8Array.of(label.length), label]), Uint8Array.of(0)]),
    next,
  };
}

/**
 * Reads the uncompressed name at the beginning of `octets`: its labels as they are, and the octets after it. Nothing is
 * before the name, so every pointer is refused.
 * @throws RangeError
 */
export function readUncompressedName(octets: Uint8Array): { labels: Uint8Array[]; rest: Uint8Array } {
  const { labels, next } = readLabels(octets, 0);
  return { labels, rest: octets.subarray(next) };
}

function readLabels(octets: Uint8Array, start: number): { labels: Uint8Array[]; next: number } {
  const labels: Uint8Array[] = [];
  let length = 1;
  let at = start;
  let lowest = start;
  let next: number | undefined;
  for (;;) {
    const head = octetAt(octets, at);
    if (head === 0) return { labels, next: next ?? at + 1 };
    if (head >= POINTER) {
      const target = ((head & ~POINTER) << 8) | octetAt(octets, at + 1);
      // Each pointer must point before everything read so far, so that none can lead in a circle.
      if (target >= lowest) throw new RangeError('a name points forwards');
      next ??= at + 2;
      lowest = target;
      at = target;
      continue;
    }
    if (head > MAX_LABEL) throw new RangeError('a label of unknown kind');
    length += head + 1;
    if (length > MAX_WIRE) throw new RangeError('a name is too long');
    if (at + 1 + head > octets.length) throw new RangeError('a label runs over the end');
    labels.push(octets.slice(at + 1, at + 1 + head));
    at += 1 + head;
  }
}

function octetAt(octets: Uint8Array, at: number): number {
  const value = octets[at];
  if (value === undefined) throw new RangeError('a name runs over the end');
  return value;
}

function lower(octet: number): number {
  return octet >= 0x41 && octet <= 0x5a ? octet + 0x20 : octet;
}

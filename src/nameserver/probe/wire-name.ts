// Names inside a message, compression followed (RFC 1035 section 4.1.4). It must not know records.
import { concat } from '../../dns/wire.ts';

export interface WireName {
  /** Lower case, without final dot. Dots and backslashes inside a label are escaped, so that two names never look alike. */
  readonly name: string;
  /** Uncompressed and in lower case. */
  readonly wire: Uint8Array;
  /** Where the message goes on after the name. */
  readonly next: number;
}

const MAX_WIRE = 255;

/** Reads the name at `start`. @throws {RangeError} when it runs over the end, is too long, or points forwards or in a circle. */
export function readName(bytes: Uint8Array, start: number): WireName {
  const labels: string[] = [];
  const parts: Uint8Array[] = [];
  let length = 1;
  let at = start;
  let lowest = start;
  let next: number | undefined;
  for (;;) {
    const head = octet(bytes, at);
    if (head === 0) break;
    if (head >= 0xc0) {
      const target = ((head & 0x3f) << 8) | octet(bytes, at + 1);
      // Each pointer must point before everything read so far: no circle can then be built.
      if (target >= lowest) throw new RangeError('a name points forwards');
      next ??= at + 2;
      lowest = target;
      at = target;
      continue;
    }
    if (head > 63) throw new RangeError('a label of unknown kind');
    length += head + 1;
    if (length > MAX_WIRE) throw new RangeError('a name is too long');
    if (at + 1 + head > bytes.length) throw new RangeError('a label runs over the end');
    const label = bytes.slice(at, at + 1 + head);
    for (let index = 1; index < label.length; index++) label[index] = lower(label[index] as number);
    parts.push(label);
    labels.push(Buffer.from(label.subarray(1)).toString('latin1').replace(/[.\\]/g, '\\$&'));
    at += 1 + head;
  }
  return { name: labels.join('.'), wire: concat([...parts, Uint8Array.of(0)]), next: next ?? at + 1 };
}

function octet(bytes: Uint8Array, at: number): number {
  const value = bytes[at];
  if (value === undefined) throw new RangeError('a name runs over the end');
  return value;
}

function lower(value: number): number {
  return value >= 0x41 && value <= 0x5a ? value + 0x20 : value;
}

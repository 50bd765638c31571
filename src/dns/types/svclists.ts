/**
 * Lists inside SvcParam values: the comma-separated lists of RFC 9460 appendix A.1, plain or with escapes, and the
 * fixed-size and length-prefixed lists of the wire form.
 */
import { Buffer } from 'node:buffer';
import { accept, clip, refuse, type Verdict } from '../verdict.ts';
import { concat } from '../wire/octets.ts';
import type { CharacterString } from './tokens.ts';

/** The protocols in a wire value of `alpn`, or null when their lengths do not add up. */
export function alpnIds(wire: Uint8Array): Uint8Array[] | null {
  const ids: Uint8Array[] = [];
  for (let at = 0; at < wire.length; at += 1 + wire[at]!) {
    const id = wire.subarray(at + 1, at + 1 + wire[at]!);
    if (id.length === 0 || id.length !== wire[at]) return null;
    ids.push(id);
  }
  return ids;
}

/**
 * RFC 9460 appendix A.1, after the character string was unescaped: `\,` and `\\` inside items. Null: the text has
 * another escape.
 */
export function splitValueList(octets: Uint8Array): Uint8Array[] | null {
  const [comma, backslash] = [0x2c, 0x5c];
  const items: number[][] = [[]];
  for (let at = 0; at < octets.length; at += 1) {
    let octet = octets[at]!;
    if (octet === comma) {
      items.push([]);
      continue;
    }
    if (octet === backslash) {
      at += 1;
      octet = octets[at] ?? 0;
      if (octet !== comma && octet !== backslash) return null;
    }
    items.at(-1)!.push(octet);
  }
  return items.map((item) => Uint8Array.from(item));
}

/** A comma-separated list whose items have no escapes (RFC 9460 sections 7.3 and 8). */
export function parseListValue(
  name: string,
  value: CharacterString,
  parse: (item: string) => Uint8Array | null,
  order: (items: Uint8Array[]) => Uint8Array[] = (items) => items,
): Verdict<Uint8Array> {
  const list = plainText(value);
  if (list === null) return refuse('content', `The value of ${name} holds a backslash; it has no escapes.`);
  const items: Uint8Array[] = [];
  for (const text of list.split(',')) {
    const item = parse(text);
    if (item === null)
      return refuse(
        'content',
        `${clip(text)} is not accepted in the comma-separated list of ${name}, which has no blanks either.`,
      );
    items.push(item);
  }
  return accept(concat(order(items)));
}

/** The value as text when no escape was used, else null: numbers, addresses and base64 have none. */
export function plainText(value: CharacterString): string | null {
  return value.escaped ? null : Buffer.from(value.octets).toString('latin1');
}

export function chunks(octets: Uint8Array, size: number): Uint8Array[] {
  return Array.from({ length: Math.ceil(octets.length / size) }, (_, index) =>
    octets.subarray(index * size, (index + 1) * size),
  );
}

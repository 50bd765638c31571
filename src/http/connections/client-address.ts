// Finds the address of the client behind proxies: `X-Forwarded-For` or `Forwarded` (RFC 7239) counts only if the
// connection comes from proxies that the operator of the service trusts. Pure.
//
// The chain is read from the right, because each proxy appends the address that it saw: the first address that is not a
// trusted proxy is the client's. The entries further left were written by that client and prove nothing.
import { isIPv6 } from 'node:net';
import { peerAddress, plainAddress } from '#base/address.ts';

/** Whether an address belongs to a trusted proxy. */
export type IsTrusted = (address: string) => boolean;

/**
 * The header in which trusted proxies name the client. Only one counts: most proxies write one of them, and pass on the
 * other as the client wrote it.
 */
export type ProxyHeader = 'X-Forwarded-For' | 'Forwarded';

/** There are few proxies before a service; a longer chain is not read to its end. */
const MAX_HOPS = 32;

/**
 * The address of the client.
 * @param peer the address at the other end of the connection
 * @param headers each value of the header as it was sent, first to last
 */
export function clientAddress(
  peer: string,
  headers: { forwarded: readonly string[]; xForwardedFor: readonly string[] },
  isTrusted: IsTrusted,
  header: ProxyHeader,
): string {
  let client = peerAddress(peer) ?? peer;
  if (!isTrusted(client)) return client;
  const chain = header === 'Forwarded' ? headers.forwarded.flatMap(forwardedFor) : listed(headers.xForwardedFor);
  for (let hop = 1; hop <= Math.min(chain.length, MAX_HOPS); hop += 1) {
    const hopAddress = chain.at(-hop);
    // The proxy hides the address (`unknown`, an obfuscated identifier) or the entry is not an address: the nearest
    // known address stays.
    if (hopAddress === undefined || hopAddress === null) return client;
    client = hopAddress;
    if (!isTrusted(client)) return client;
  }
  return client;
}

/** Several headers are one list. */
function listed(xForwardedFor: readonly string[]): (string | null)[] {
  return xForwardedFor.flatMap((value) => value.split(',')).map(nodeAddress);
}

/**
 * The `for` of each element of one `Forwarded` header; null where an element has none. A malformed header is one
 * unknown hop.
 */
export function forwardedFor(value: string): (string | null)[] {
  const values = splitForwarded(value, 'for');
  return values === null ? [null] : values.map((each) => (each === null ? null : nodeAddress(each)));
}

/**
 * The values of a parameter in the elements of one `Forwarded` header; null where an element has none, or has it twice,
 * which RFC 7239 section 4 does not allow. A malformed header is null.
 */
export function splitForwarded(value: string, parameter: 'for' | 'proto'): (string | null)[] | null {
  const elements = splitQuoted(value, ',');
  if (elements === null) return null;
  return elements.map((element) => {
    const values = (splitQuoted(element, ';') ?? []).flatMap((pair) => {
      const [, name = '', text] = /^\s*([a-z]+)\s*=\s*(.*?)\s*$/is.exec(pair) ?? [];
      return name.toLowerCase() === parameter && text !== undefined ? [text] : [];
    });
    if (values.length !== 1) return null;
    const text = values[0] ?? '';
    return text.startsWith('"') ? text.slice(1, -1).replace(/\\(.)/g, '$1') : text;
  });
}

/** Splits outside of quoted strings; null when a quoted string does not end. */
function splitQuoted(text: string, separator: string): string[] | null {
  const parts = [''];
  let isQuoted = false;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at] ?? '';
    if (isQuoted && character === '\\') {
      parts[parts.length - 1] += character + (text[at + 1] ?? '');
      at += 1;
      continue;
    }
    if (character === '"') isQuoted = !isQuoted;
    if (character === separator && !isQuoted) parts.push('');
    else parts[parts.length - 1] += character;
  }
  return isQuoted ? null : parts;
}

/**
 * The address of a node (RFC 7239 section 6): with or without a port, IPv6 with or without brackets; null when it is
 * not an address.
 */
export function nodeAddress(node: string): string | null {
  const text = node.trim();
  const bracketedAddress = /^\[([0-9a-fA-F:.]{2,45})\](?::\d{1,5})?$/.exec(text)?.[1];
  if (bracketedAddress !== undefined) return isIPv6(bracketedAddress) ? plainAddress(bracketedAddress) : null;
  const withPort = /^([\d.]{7,15}):\d{1,5}$/.exec(text)?.[1];
  return plainAddress(withPort ?? text);
}

/**
 * The SvcParamKeys of RFC 9460. For each key: its presentation value to its wire value, the check of a wire value
 * (which may also come from `keyN="…"`), and back to the canonical presentation form. Rules across keys are in
 * svcparams.ts.
 */
import { Buffer } from 'node:buffer';
import { formatIpv4, formatIpv6, parseIpv4, parseIpv6 } from '#base/address.ts';
import { accept, refuse, type Verdict } from '../verdict.ts';
import { concat, uint16 } from '../wire/octets.ts';
import { alpnIds, chunks, parseListValue, plainText, splitValueList } from './svclists.ts';
import { type CharacterString, escapeOctets, parseUint, SPECIAL } from './tokens.ts';

interface SvcKey {
  name: string;
  /** The value as written after `key=`, unescaped as a character string; never empty but for no-default-alpn. */
  fromText: (value: CharacterString) => Verdict<Uint8Array>;
  /** The flaw of a wire value, to be read after "The value of …"; null when there is none. */
  flaw: (wire: Uint8Array) => string | null;
  /** `key=value` in canonical form. Must only be called with a wire value without flaw. */
  format: (wire: Uint8Array) => string;
}

export const MANDATORY = 0;
export const ALPN = 1;
export const NO_DEFAULT_ALPN = 2;
const INVALID_KEY = 65_535;

const mandatory: SvcKey = {
  name: 'mandatory',
  fromText: (value) =>
    parseListValue(
      'mandatory',
      value,
      (item) => {
        const key = keyNumber(item);
        return key === null ? null : uint16(key);
        // Sorted on the wire, RFC 9460 section 8.
      },
      (keys) => keys.toSorted(Buffer.compare),
    ),
  flaw: (wire) => {
    const keys = mandatoryKeys(wire);
    if (wire.length === 0 || wire.length % 2 !== 0) return 'lists no keys';
    if (keys.includes(MANDATORY)) return 'lists itself';
    if (keys.includes(INVALID_KEY)) return 'lists the invalid key65535';
    return keys.every((key, index) => index === 0 || key > keys[index - 1]!)
      ? null
      : 'must list each key once, in order';
  },
  format: (wire) => `mandatory=${mandatoryKeys(wire).map(keyName).join(',')}`,
};

const alpn: SvcKey = {
  name: 'alpn',
  fromText: (value) => {
    const ids = splitValueList(value.octets);
    if (ids === null) {
      return refuse('content', 'In alpn a backslash escapes only "," and "\\" of a protocol (RFC 9460 appendix A.1).');
    }
    if (ids.some((id) => id.length === 0 || id.length > 255)) {
      return refuse('content', 'Every protocol in alpn has 1 to 255 octets; remove the empty or overlong one.');
    }
    return accept(concat(ids.flatMap((id) => [Uint8Array.of(id.length), id])));
  },
  flaw: (wire) => {
    const ids = alpnIds(wire);
    if (ids === null || ids.length === 0) return 'must hold protocols of 1 to 255 octets';
    // No registered protocol name has such octets except the GREASE values, which no server offers.
    const odd = ids.some((id) => id.some((octet) => octet <= 0x20 || octet >= 0x7f || octet === 0x22));
    return odd ? 'holds a blank, a quote or an octet that is not printable ASCII, which no protocol name has' : null;
  },
  format: (wire) => {
    const list = alpnIds(wire)!
      .map((id) => Buffer.from(id).toString('latin1').replace(/[,\\]/g, '\\$&'))
      .join(',');
    return `alpn="${escapeOctets(Buffer.from(list, 'latin1'), SPECIAL)}"`;
  },
};

const noDefaultAlpn: SvcKey = {
  name: 'no-default-alpn',
  fromText: (value) => accept(value.octets),
  flaw: (wire) => (wire.length === 0 ? null : 'takes no value'),
  format: () => 'no-default-alpn',
};

const port: SvcKey = {
  name: 'port',
  fromText: (value) => {
    const number = parseUint(plainText(value) ?? '\\', 65_535, 'port');
    return number.ok ? accept(uint16(number.value)) : number;
  },
  flaw: (wire) => (wire.length === 2 ? null : 'must have two octets'),
  // Without quotes, which some parsers do not take for a number.
  format: (wire) => `port=${(wire[0]! << 8) | wire[1]!}`,
};

const ipv4hint: SvcKey = {
  name: 'ipv4hint',
  fromText: (value) => parseListValue('ipv4hint', value, parseIpv4),
  flaw: (wire) => (wire.length > 0 && wire.length % 4 === 0 ? null : 'must have four octets for each address'),
  format: (wire) => `ipv4hint=${chunks(wire, 4).map(formatIpv4).join(',')}`,
};

const ech: SvcKey = {
  name: 'ech',
  fromText: (value) => {
    const text = plainText(value);
    const octets = Buffer.from(text ?? '', 'base64');
    if (text === null || octets.toString('base64') !== text) {
      return refuse(
        'content',
        `The value of ech is not base64 in its one canonical form (RFC 4648 section 4, with padding).`,
      );
    }
    return accept(octets);
  },
  flaw: (wire) => (wire.length > 0 ? null : 'must not be empty'),
  format: (wire) => `ech=${Buffer.from(wire).toString('base64')}`,
};

const ipv6hint: SvcKey = {
  name: 'ipv6hint',
  fromText: (value) => parseListValue('ipv6hint', value, parseIpv6),
  flaw: (wire) => (wire.length > 0 && wire.length % 16 === 0 ? null : 'must have sixteen octets for each address'),
  format: (wire) =>
    `ipv6hint=${chunks(wire, 16)
      .map((one) => formatIpv6(one, { hexOnly: true }))
      .join(',')}`,
};

/** By key number, 0 to 6. */
const KNOWN: readonly SvcKey[] = [mandatory, alpn, noDefaultAlpn, port, ipv4hint, ech, ipv6hint];

/** The known key of that number, or a key whose value is any octets. */
export function svcKey(number: number): SvcKey {
  const name = `key${number}`;
  return (
    KNOWN[number] ?? {
      name,
      fromText: (value) => accept(value.octets),
      flaw: () => null,
      // With quotes even when empty: some parsers do not take a bare key23.
      format: (wire) => `${name}="${escapeOctets(wire, SPECIAL)}"`,
    }
  );
}

interface LaterKey {
  number: number;
  /** Absent: the value is any octets. */
  fromText?: SvcKey['fromText'];
}

/**
 * Later keys of the registry "Service Parameter Keys (SvcParamKeys)": RFC 9461 section 5, RFC 9540 section 4, and
 * draft-ietf-tls-key-share-prediction section 3. They are returned as `keyN`: Knot 3.2 knows none of their names.
 */
const LATER: ReadonlyMap<string, LaterKey> = new Map<string, LaterKey>([
  ['dohpath', { number: 7 }],
  ['ohttp', { number: 8 }],
  [
    'tls-supported-groups',
    { number: 9, fromText: (value) => parseListValue('tls-supported-groups', value, parseGroup) },
  ],
]);

function parseGroup(text: string): Uint8Array | null {
  const number = parseUint(text, 65_535, 'tls-supported-groups');
  return number.ok ? uint16(number.value) : null;
}

/** The wire value of a later key that has a form of its own; null for any other name. @param name in lower case */
export function laterValue(name: string, value: CharacterString): Verdict<Uint8Array> | null {
  return LATER.get(name)?.fromText?.(value) ?? null;
}

/** The number of a key by its name or as `keyN` without leading zeros, N up to 65534; null for anything else. */
export function keyNumber(text: string): number | null {
  const knownIndex = KNOWN.findIndex((key) => key.name === text);
  if (knownIndex >= 0) return knownIndex;
  const later = LATER.get(text);
  if (later !== undefined) return later.number;
  const generic = /^key(0|[1-9][0-9]{0,4})$/.exec(text);
  const number = generic === null ? INVALID_KEY : Number(generic[1]);
  return number < INVALID_KEY ? number : null;
}

export function keyName(number: number): string {
  return svcKey(number).name;
}

/** The key numbers in a wire value of `mandatory`. */
export function mandatoryKeys(wire: Uint8Array): number[] {
  return chunks(wire, 2).map((pair) => (pair[0]! << 8) | (pair[1] ?? 0));
}

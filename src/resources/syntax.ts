// Patterns for names and contents at `kubectl apply`, in the part of RE2 that JavaScript reads alike (no look-around
// and no back-reference; CEL's `matches` is Go's regexp). They check one object alone; the operator checks rules that
// need the name of the zone. Non-ASCII letters are accepted, and #dns converts them to A-labels (UTS 46).

import { GENERIC_TYPE, RECORD_TYPES } from '#dns/types/record-type.ts';

/** A type by its name, or by its number. */
export const RECORD_TYPE = `^(${RECORD_TYPES.join('|')}|${GENERIC_TYPE.slice(1, -1)})$`;

/** An ASCII letter, a digit, `_`, or any non-ASCII character. */
const EDGE = String.raw`[^\x00-/:-@\[-\^\x60{-\x7f]`;
/** The same characters and the hyphen. */
const INNER = String.raw`[^\x00-,./:-@\[-\^\x60{-\x7f]`;

const ZONE_LABEL = `${EDGE}(${INNER}{0,61}${EDGE})?`;
const LABEL = `${INNER}{1,63}`;

/** A domain name with an optional final dot. A single label is accepted; the root is not. */
export const ZONE_NAME = `^${ZONE_LABEL}(\\.${ZONE_LABEL})*\\.?$`;

/** `@`, or labels of which the leftmost may be `*`; a name with a final dot is absolute. */
export const OWNER_NAME = `^(@|(\\*|${LABEL})(\\.${LABEL})*\\.?)$`;

/** A pattern of `allowedRecords`: an owner name, or `*` for every name. */
export const NAME_PATTERN = `^(@|(\\*|${LABEL})(\\.${LABEL})*)$`;

const NAME_PART = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
/** A label of RFC 1123, which the name of a namespace is. */
export const NAMESPACE_NAME = `^${NAME_PART}$`;
/** A subdomain of RFC 1123, which the names of most objects are. */
export const OBJECT_NAME = `^${NAME_PART}(\\.${NAME_PART})*$`;

/** The name of a secondary, as the service requires it. */
export const SECONDARY_NAME = '^[a-z0-9]([a-z0-9-]{0,30}[a-z0-9])?$';

/**
 * A time of RFC 3339, without leap seconds. The format date-time of a CRD has no sentence of its own, and CEL would not
 * see the text.
 */
export const MOMENT = String.raw`^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])T([01][0-9]|2[0-3])(:[0-5][0-9]){2}(\.[0-9]{1,9})?(Z|[+-]([01][0-9]|2[0-3]):[0-5][0-9])$`;

/** Days from 30d to 9999d. */
export const ROLLOVER_PERIOD = '^([3-9][0-9]|[1-9][0-9]{2,3})d$';

/** Only digits and dots: an address, or text that looks like one. */
export const NUMBERS = String.raw`^[0-9]+(\.[0-9]+)+\.?$`;

const TARGET = `(${LABEL}(\\.${LABEL})+\\.?|${LABEL}\\.)`;
/** A host name as target: two or more labels, or one label with a final dot. */
export const HOST = `^${TARGET}$`;

const DECIMAL_OCTET = '(25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])';
/** An IPv4 address without leading zeros. A pattern costs the API server less than CEL's `isIP` and `ip`. */
export const IPV4 = String.raw`^${DECIMAL_OCTET}(\.${DECIMAL_OCTET}){3}$`;

/** `::ffff:192.0.2.1` and its other spellings, which are valid in AAAA but refused by CEL's `ip()`. */
export const MAPPED_IPV4 = '^[0:]*:[fF]{4}:[0-9a-fA-F:.]+$';

const OCTET = '([01][0-9][0-9]|2[0-4][0-9]|25[0-5])';
/** One or more quoted strings with escapes, and nothing else (RFC 1035 section 5.1). */
export const QUOTED_TEXT = String.raw`^[ \t]*("([^"\\]|\\[^0-9]|\\${OCTET})*"[ \t]*)+$`;
/** Text without quotes and backslashes that neither begins nor ends with a blank. */
export const PLAIN_TEXT = String.raw`^[^" \t\\]([^"\\]*[^" \t\\])?$`;
/** Control characters, which no content may contain; a tab counts as a blank. */
export const CONTROL = String.raw`[\x00-\x08\x0a-\x1f\x7f]`;

const GAP = '[ \\t]+';
const START = '^[ \\t]*';
const END = '[ \\t]*$';
const NUMBER = '[0-9]+';
/** The given number of hexadecimal digits, with blanks between them as zone files allow. */
const hex = (count: string) => `([0-9a-fA-F][ \\t]*)${count}`;

/** Priority, weight, port and target (RFC 2782); the target "." means that the service is not available. */
export const SRV_PATTERN = `${START}${NUMBER}${GAP}${NUMBER}${GAP}${NUMBER}${GAP}(\\.|${TARGET})${END}`;
/** An address at the end, in the place of the target. */
export const ADDRESS_LAST = String.raw`[ \t][0-9]+(\.[0-9]+)+\.?[ \t]*$`;
/** Priority, target and params of SVCB and HTTPS (RFC 9460). */
export const SERVICE = `${START}${NUMBER}${GAP}(\\.|${TARGET})([ \\t]|$)`;
/** The alias form with params, which is not valid (RFC 9460 section 2.4.2). */
export const ALIAS_FORM_PARAMS = `${START}0+${GAP}[^ \\t]+${GAP}[^ \\t]`;
/** Flags, tag and value (RFC 8659), each of which may be quoted or contain escapes. */
export const CAA_PATTERN = String.raw`^[ \t]*"?[0-9\\]+"?[ \t]+"?[A-Za-z0-9\\]+"?[ \t]+[^ \t]`;
/** Key tag, algorithm, digest type, and a digest of the length that its type requires (RFC 4034 section 5). */
export const DS_PATTERN =
  `${START}${NUMBER}${GAP}${NUMBER}${GAP}` +
  `(0*1${GAP}${hex('{40}')}|0*[2356]${GAP}${hex('{64}')}|0*4${GAP}${hex('{96}')}|0*([7-9]|[1-9][0-9]+)${GAP}${hex('+')})$`;
/** Algorithm, fingerprint type, and a fingerprint of the length that its type requires (RFC 4255 section 3.1). */
export const SSHFP_PATTERN = `${START}${NUMBER}${GAP}(0*1${GAP}${hex('{40}')}|0*2${GAP}${hex('{64}')}|0*([3-9]|[1-9][0-9]+)${GAP}${hex('+')})$`;
/**
 * Usage, selector, matching type, and data of the length that the matching type requires (RFC 6698 section 2, RFC
 * 8162).
 */
export const ASSOCIATION = `${START}0*[0-3]${GAP}0*[01]${GAP}(0+${GAP}${hex('+')}|0*1${GAP}${hex('{64}')}|0*2${GAP}${hex('{128}')})$`;

const STRING = String.raw`("([^"\\]|\\.)*"|[^" \t]+)`;
/** Order, preference, three strings and a replacement (RFC 3403 section 4.1). */
export const NAPTR_PATTERN = `${START}${NUMBER}(${GAP}${NUMBER})(${GAP}${STRING}){3}${GAP}(\\.|${TARGET})${END}`;
/** Priority, weight and a URI (RFC 7553 section 4.5). */
export const URI_PATTERN = `${START}${NUMBER}${GAP}${NUMBER}${GAP}("[A-Za-z][^ \\t"]+"|[A-Za-z][^ \\t"]+)${END}`;
const ANGLE = `[0-9]+(${GAP}[0-9]+(${GAP}[0-9.]+)?)?${GAP}`;
/** Latitude, longitude, altitude, and up to three sizes (RFC 1876 section 3). */
export const LOC_PATTERN = `${START}${ANGLE}[NSns]${GAP}${ANGLE}[EWew]${GAP}-?[0-9.]+[Mm]?(${GAP}[0-9.]+[Mm]?){0,3}${END}`;
/** Octets in base64, with blanks between them as zone files allow. */
const IN_BASE64 = '([A-Za-z0-9+/][ \\t]*)+(=[ \\t]*){0,2}$';
export const BASE64 = `${START}${IN_BASE64}`;
/** Type, key tag, algorithm and certificate (RFC 4398 section 2). */
export const CERT_PATTERN = `${START}[A-Za-z0-9]+${GAP}${NUMBER}${GAP}[A-Za-z0-9-]+${GAP}${IN_BASE64}`;
/** Generic RDATA (RFC 3597 section 5). */
export const GENERIC = `${START}\\\\#${GAP}${NUMBER}([ \\t]+[0-9a-fA-F]+)*${END}`;

/**
 * Returns a CEL expression that matches `subject` with the pattern. It is a raw string: no pattern has a single quote.
 */
export function matchInCel(subject: string, pattern: string): string {
  return `${subject}.matches(r'${pattern}')`;
}

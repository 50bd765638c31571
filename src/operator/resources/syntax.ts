// What names and contents must look like at `kubectl apply`: patterns in the part of RE2 that JavaScript reads alike (no
// look-around, no back-reference; upstream: CEL `matches` is Go's regexp). They judge one object alone: what needs the
// zone's name is for the operator. Letters other than ASCII pass, dns/ turns them into A-labels (UTS 46).

/** ASCII letters, digits, `_`, or any other letter. */
const EDGE = String.raw`[^\x00-/:-@\[-\^\x60{-\x7f]`;
/** The same, and the hyphen. */
const INNER = String.raw`[^\x00-,./:-@\[-\^\x60{-\x7f]`;

const ZONE_LABEL = `${EDGE}(${INNER}{0,61}${EDGE})?`;
const LABEL = `${INNER}{1,63}`;

/** A domain name, final dot optional. A single label is fine; the root is not. */
export const ZONE_NAME = `^${ZONE_LABEL}(\\.${ZONE_LABEL})*\\.?$`;

/** `@`, or labels of which the leftmost may be `*`; with a final dot the name is absolute. */
export const OWNER_NAME = `^(@|(\\*|${LABEL})(\\.${LABEL})*\\.?)$`;

/** A pattern of `allowedRecords`: an owner name, or `*` for every name. */
export const NAME_PATTERN = `^(@|(\\*|${LABEL})(\\.${LABEL})*)$`;

/** Only digits and dots: an address, or what reads as one. */
export const NUMBERS = String.raw`^[0-9]+(\.[0-9]+)+\.?$`;

const TARGET = `(${LABEL}(\\.${LABEL})+\\.?|${LABEL}\\.)`;
/** A host name as target: two labels or more, or one with a final dot. */
export const HOST = `^${TARGET}$`;

/** `::ffff:192.0.2.1` and its other spellings: valid in AAAA, but CEL's `ip()` refuses them. */
export const MAPPED_IPV4 = '^[0:]*:[fF]{4}:[0-9a-fA-F:.]+$';

const OCTET = '([01][0-9][0-9]|2[0-4][0-9]|25[0-5])';
/** RFC 1035 section 5.1: quoted strings with escapes; only these, one after the other. */
export const QUOTED_TEXT = String.raw`^[ \t]*("([^"\\]|\\[^0-9]|\\${OCTET})*"[ \t]*)+$`;
/** A text without quotes and backslashes that neither begins nor ends in a blank. */
export const PLAIN_TEXT = String.raw`^[^" \t\\]([^"\\]*[^" \t\\])?$`;
/** What no content may hold; a tab is a blank. */
export const CONTROL = String.raw`[\x00-\x08\x0a-\x1f\x7f]`;

const GAP = '[ \\t]+';
const START = '^[ \\t]*';
const END = '[ \\t]*$';
const NUMBER = '[0-9]+';
/** So many hexadecimal digits, blanks between them as zone files allow. */
const hex = (count: string) => `([0-9a-fA-F][ \\t]*)${count}`;

/** RFC 2782: priority weight port target; "." offers nothing. */
export const SRV = `${START}${NUMBER}${GAP}${NUMBER}${GAP}${NUMBER}${GAP}(\\.|${TARGET})${END}`;
/** An address where a target belongs, at the end. */
export const ADDRESS_LAST = String.raw`[ \t][0-9]+(\.[0-9]+)+\.?[ \t]*$`;
/** RFC 9460: priority target params. */
export const HTTPS = `${START}${NUMBER}${GAP}(\\.|${TARGET})([ \\t]|$)`;
/** Its alias form with parameters, which it cannot have (section 2.4.2). */
export const ALIAS_FORM_PARAMS = `${START}0+${GAP}[^ \\t]+${GAP}[^ \\t]`;
/** RFC 8659: flags tag value, each of which may be quoted or hold escapes. */
export const CAA = String.raw`^[ \t]*"?[0-9\\]+"?[ \t]+"?[A-Za-z0-9\\]+"?[ \t]+[^ \t]`;
/** RFC 4034 section 5: key tag, algorithm, digest type, and a digest of the length that the type has. */
export const DS =
  `${START}${NUMBER}${GAP}${NUMBER}${GAP}` +
  `(0*1${GAP}${hex('{40}')}|0*[2356]${GAP}${hex('{64}')}|0*4${GAP}${hex('{96}')}|0*([7-9]|[1-9][0-9]+)${GAP}${hex('+')})$`;
/** RFC 6698 section 2: usage, selector, matching type, and data of the length that the matching type has. */
export const TLSA = `${START}0*[0-3]${GAP}0*[01]${GAP}(0+${GAP}${hex('+')}|0*1${GAP}${hex('{64}')}|0*2${GAP}${hex('{128}')})$`;

/** A pattern as a CEL expression over `subject`. Raw string: none of the patterns holds a single quote. */
export function matches(subject: string, pattern: string): string {
  return `${subject}.matches(r'${pattern}')`;
}

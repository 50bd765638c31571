/**
 * Parses a record as users write it to everything that the service needs to store, serve and compare it, and applies
 * the rules that need its name and content but no other record (contract X3, X4, X9, X10, X11). The rules across
 * records are in rules/.
 */
import { Buffer } from 'node:buffer';
import { parseComment } from './comment.ts';
import { type HealthInput, parseHealth, type RecordHealth } from './members.ts';
import { fqdn, orderName, parseOwnerName } from './names/name.ts';
import { findSpecialCharacter, formatCodePoint } from './plain-text.ts';
import { flawOfGenericType } from './types/generic-type.ts';
import { isRecordType, type ParsedRdata, parseRdata, type RecordType } from './types/index.ts';
import { isOwnType } from './types/numbers.ts';
import { numberOfOldType } from './types/old-types.ts';
import { isGenericType, otherTypeRule, SINGLE_TYPES, TYPES_IN_WORDS } from './types/record-type.ts';
import { isAliasForm } from './types/svcb.ts';
import { accept, clip, refuse, type Verdict } from './verdict.ts';

export interface RecordInput extends HealthInput {
  /** Relative to the zone, `@` for the apex; or absolute with a final dot. */
  name: string;
  type: string;
  content: string;
  /** Seconds, 30 to 86400; the zone's default when omitted or null. */
  ttl?: number | null | undefined;
  /** MX only; 10 when omitted or null. */
  priority?: number | null | undefined;
  /** A line of text for people. Null removes the stored one; when omitted, a stored record keeps its own. */
  comment?: string | null | undefined;
}

export interface ParsedRecord extends ParsedRdata {
  /** Canonical and relative: `@`, `www`, `*.dev`. */
  name: string;
  /** The name as `orderName` gives it. */
  ordername: string;
  type: RecordType;
  /** Null: the zone's default. */
  ttl: number | null;
  /** Null: no comment. Absent: a stored record keeps its own, and a new one has none. */
  comment?: string | null;
  /** Null: no check, tier 0. Absent: as with the comment. */
  health?: RecordHealth | null;
}

export const MIN_TTL = 30;
export const MAX_TTL = 86_400;
/** The default TTL of a zone that is created without one. */
export const DEFAULT_TTL = 3_600;

/** The nearest TTL that a record may have. @param seconds any number */
export function clampTtl(seconds: number): number {
  return Math.min(MAX_TTL, Math.max(MIN_TTL, seconds));
}

/** Parses one record of `zone`, which must be canonical (parseZoneName). */
export function parseRecord(input: RecordInput, zone: string): Verdict<ParsedRecord> {
  const parsed = parseStoredRecord(input, zone);
  if (!parsed.ok) return parsed;
  const text = judgeCharacters(input.content);
  return text.ok ? parsed : text;
}

/** The same for a record that the service has: it may be older than the rule about the characters of contents. */
export function parseStoredRecord(input: RecordInput, zone: string): Verdict<ParsedRecord> {
  const type = parseType(input.type);
  if (!type.ok) return type;
  const name = parseOwnerName(input.name, zone, type.value);
  if (!name.ok) return name;
  const ttl = parseTtl(input.ttl);
  if (!ttl.ok) return ttl;
  const rdata = parseRdata(type.value, input.content, input.priority);
  if (!rdata.ok) return rdata;
  const comment = input.comment === undefined ? undefined : parseComment(input.comment);
  if (comment?.ok === false) return comment;
  const health = parseHealth(input, name.value, type.value);
  if (!health.ok) return health;
  const record: ParsedRecord = {
    ...rdata.value,
    name: name.value,
    ordername: orderName(name.value),
    type: type.value,
    ttl: ttl.value,
    ...(comment === undefined ? {} : { comment: comment.value }),
    ...(health.value === undefined ? {} : { health: health.value }),
  };
  const apexVerdict = name.value === '@' ? judgeApex(record, zone) : accept(null);
  if (!apexVerdict.ok) return apexVerdict;
  return judgeSelf(record, zone);
}

/**
 * A content is shown where a comment is, so it has the same characters; an escape has the octets of every other one
 * (RFC 1035, 5.1).
 */
function judgeCharacters(content: string): Verdict<null> {
  // A tab is a blank.
  const wrong = findSpecialCharacter(content.replaceAll('\t', ' '));
  if (wrong === null) return accept(null);
  const escapes = [...Buffer.from(wrong)].map((octet) => `\\${String(octet).padStart(3, '0')}`).join('');
  return refuse(
    'content',
    `The content has the character ${formatCodePoint(wrong)}; remove it, or write it as ${escapes} in a quoted text.`,
  );
}

/** @param field the input field that a problem names. (Default: `type`.) */
export function parseType(text: string, field = 'type'): Verdict<RecordType> {
  if (isRecordType(text)) return accept(text);
  const other = otherTypeRule(text);
  if (other !== undefined) return refuse(field, `The type ${clip(text)} is not accepted: ${other}.`);
  const flaw = flawOfType(text.toUpperCase());
  return refuse(field, `The type ${clip(text)} is not accepted. ${flaw}Use one of ${TYPES_IN_WORDS}.`);
}

/** A sentence with a blank at its end, or nothing. */
function flawOfType(name: string): string {
  if (isOwnType(name)) return `${name} records are made by the service itself. `;
  const number = numberOfOldType(name);
  if (number !== null) return `Write ${name} as TYPE${number}, with its octets in generic form. `;
  const flaw = isGenericType(name) ? flawOfGenericType(name) : null;
  return flaw === null ? '' : `${flaw} `;
}

function parseTtl(ttl: number | null | undefined): Verdict<number | null> {
  if (ttl === null || ttl === undefined) return accept(null);
  if (Number.isInteger(ttl) && ttl >= MIN_TTL && ttl <= MAX_TTL) return accept(ttl);
  return refuse(
    'ttl',
    `The ttl is ${String(ttl)}; it must be a whole number of seconds from ${MIN_TTL} to ${MAX_TTL}.`,
  );
}

function judgeApex(record: ParsedRecord, zone: string): Verdict<null> {
  if (record.type === 'CNAME') {
    return refuse(
      'type',
      `A CNAME is not allowed at the zone apex, next to SOA and NS (RFC 1034 section 3.6.2); use ALIAS.`,
    );
  }
  if (record.type === 'NS') {
    return refuse('type', "The NS records at the zone apex are the service's own; only subdomains can be delegated.");
  }
  if (record.type === 'DS') {
    return refuse(
      'type',
      `The DS records of ${zone} belong into its parent zone (RFC 4035 section 2.4), not into its apex.`,
    );
  }
  return accept(null);
}

/**
 * Contract X4 in its simplest form: an alias of any kind that points to itself, or a redirection of a tree into itself.
 */
function judgeSelf(record: ParsedRecord, zone: string): Verdict<ParsedRecord> {
  const { type, target } = record;
  const owner = fqdn(record.name, zone);
  if ((SINGLE_TYPES.includes(type) || isAliasForm(record)) && target === owner) {
    return refuse('content', `The ${type} record points to its own name, ${target}; name another host.`);
  }
  if (type === 'DNAME' && target?.endsWith(`.${owner}`)) {
    return refuse(
      'content',
      `The DNAME record points to ${target}, which it redirects itself; name one outside of ${owner}.`,
    );
  }
  return accept(record);
}

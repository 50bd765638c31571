/**
 * Reads a zone file (RFC 1035 section 5, RFC 2308 section 4) to the records of a zone: directives, owners, TTLs and
 * classes here, contents with the parsers of the types. It omits the records that the service makes itself: SOA and NS
 * at the apex, and the records that DNSSEC adds to a zone. It keeps one of the equal records of a file, because a set
 * has a value once (RFC 2181 section 5). rules/zone-check.ts checks the records against each other.
 */

import { MAX_TEXT } from '../names/labels.ts';
import { parseOwnerName } from '../names/name.ts';
import { MAX_TTL, MIN_TTL, type ParsedRecord, parseRecord } from '../record.ts';
import type { Steps } from '../steps.ts';
import { parseTtlText } from '../ttl-text.ts';
import { isRecordType, type RecordType } from '../types/index.ts';
import { isOwnType } from '../types/numbers.ts';
import type { OldType } from '../types/old-types.ts';
import { isNamedType, TYPES } from '../types/record-type.ts';
import { fields } from '../types/tokens.ts';
import { accept, clip, refuse, type Verdict } from '../verdict.ts';
import { isGeneric, typeOfNumber, wordsOfGeneric } from '../wire/generic-rdata.ts';
import { asStored, findOldType } from '../wire/shown-rdata.ts';
import { type LineProblem, lineSteps, type Word, type ZoneFileLine } from './lexer.ts';

export type { LineProblem } from './lexer.ts';

export interface FileRecord {
  line: number;
  record: ParsedRecord;
}

export interface ZoneFile {
  records: FileRecord[];
  /** The lines about records that the service makes itself, and those without a type after `reviseType`. */
  ignoredLines: number[];
  /** The lines whose record is in an earlier line already, perhaps in another spelling or with another TTL. */
  repeated: { line: number; earlier: number }[];
  /** In the order of the lines. */
  problems: LineProblem[];
}

/** An entry before its value is read. */
export interface EntryHead {
  /** The number of its first line, from 1. */
  line: number;
  /** Absolute, with final dot, as the file writes it. */
  owner: string;
  type: string;
}

export interface ZoneFileContext {
  /** Canonical. */
  zone: string;
  /** The zone's default TTL: a $TTL of that many seconds leaves records without a TTL of their own. */
  defaultTtl: number;
  /** Child zones that are hosted here (canonical, absolute): the service makes their NS and DS itself. */
  children: ReadonlySet<string>;
  /** Changes the type of an entry that is not the service's own; null ignores the entry. Absent: the type stays. */
  reviseType?: (entry: EntryHead) => string | null;
  /** Changes a TTL, in seconds, before its range is checked. Absent: the TTL stays. */
  reviseTtl?: (seconds: number, line: number) => number;
}

interface State {
  context: ZoneFileContext;
  /** Absolute, with final dot. */
  origin: string;
  /** Null before the first $TTL. */
  defaultTtl: number | null;
  /** The last TTL in the file: RFC 1035 applies it to later records if there is no $TTL. */
  lastTtl: number | null;
  lastOwner: string | null;
}

type Read = { kind: 'record'; record: ParsedRecord } | { kind: 'ignored' } | { kind: 'directive' };

/** Lines between two steps; lineSteps adds some where lines are long. */
const STEP = 50;
/** An entry of more words is read in two steps: its words, and their meaning. */
const MANY_WORDS = 1_000;
/** The most records of one file: they are all held in memory at once. */
const MAX_RECORDS = 100_000;
/** Reading ends after so many wrong lines. */
export const MAX_PROBLEMS = 1_000;

/** Reads the whole file even if some lines are wrong, up to these two limits and those of one entry. */
export function* zoneFileSteps(text: string, context: ZoneFileContext): Steps<ZoneFile> {
  const state: State = { context, origin: `${context.zone}.`, defaultTtl: null, lastTtl: null, lastOwner: null };
  const file: ZoneFile = { records: [], ignoredLines: [], repeated: [], problems: [] };
  const lines = new Map<string, number>();
  let count = 0;
  for (const line of lineSteps(text)) {
    count += 1;
    if (line === null || count % STEP === 0 || ('words' in line && line.words.length > MANY_WORDS)) yield;
    if (line === null) continue;
    if (file.problems.length >= MAX_PROBLEMS) break;
    if ('message' in line) {
      file.problems.push(line);
      continue;
    }
    const lineVerdict =
      line.words[0]!.text.startsWith('$') && !line.indented ? directive(state, line) : entry(state, line);
    if (!lineVerdict.ok) {
      const { field, message } = lineVerdict.problem;
      file.problems.push({ line: line.number, message: `${field}: ${message}` });
    } else if (lineVerdict.value.kind === 'record') {
      const { record } = lineVerdict.value;
      const key = recordKey(record);
      const earlier = lines.get(key);
      if (earlier !== undefined) {
        file.repeated.push({ line: line.number, earlier });
        continue;
      }
      if (file.records.length >= MAX_RECORDS) {
        file.problems.push({ line: line.number, message: `file: The file has more than ${MAX_RECORDS} records` });
        break;
      }
      lines.set(key, line.number);
      file.records.push({ line: line.number, record });
    } else if (lineVerdict.value.kind === 'ignored') {
      file.ignoredLines.push(line.number);
    }
  }
  return file;
}

/** Equal for records of one name, type and value. */
export function recordKey({ ordername, type, wire }: Pick<ParsedRecord, 'ordername' | 'type' | 'wire'>): string {
  return `${ordername}\n${type}\n${Buffer.from(wire).toString('latin1')}`;
}

function directive(state: State, { number, words: [first, argument, ...more] }: ZoneFileLine): Verdict<Read> {
  const name = first!.text.toUpperCase();
  if (name !== '$ORIGIN' && name !== '$TTL') {
    return refuse(name, 'This directive is not accepted, only $ORIGIN and $TTL are; write its records out.');
  }
  if (argument === undefined || more.length > 0) return refuse(name, 'The directive takes exactly one value.');
  if (name === '$ORIGIN') {
    const origin = absolute(argument.text, state.origin);
    // Relative origins add up from line to line.
    if (origin.length > MAX_TEXT)
      return refuse(name, `The origin has ${origin.length} characters; at most ${MAX_TEXT} are read.`);
    state.origin = origin;
    return accept({ kind: 'directive' });
  }
  const ttl = revisedTtl(state, parseTtlText(argument.text), number);
  if (ttl === null || ttl < MIN_TTL || ttl > MAX_TTL) {
    return refuse(name, `${clip(argument.text)} is not a time from ${MIN_TTL} to ${MAX_TTL} seconds.`);
  }
  state.defaultTtl = ttl;
  return accept({ kind: 'directive' });
}

function entry(state: State, line: ZoneFileLine): Verdict<Read> {
  const [first, ...others] = line.words as [Word, ...Word[]];
  const rest = line.indented ? line.words : others;
  if (!line.indented) {
    if (first.quoted) return refuse('name', 'An owner name is written without quotes.');
    const owner = plainName(first.text);
    if (owner === null) return refuse('name', `${clip(first.text)} has an escape that no accepted name may have.`);
    state.lastOwner = absolute(owner, state.origin);
  }
  const head = readHead(rest);
  if (!head.ok) return head;
  const { rdata } = head.value;
  const ttl = revisedTtl(state, head.value.ttl, line.number);
  if (ttl !== null) state.lastTtl = ttl;
  if (state.lastOwner === null) return refuse('name', 'The line begins with a blank, and there is no owner before it.');
  if (isOwn(state, head.value.type)) return accept({ kind: 'ignored' });
  const type = revisedType(state, head.value.type, line.number);
  if (type === null) return accept({ kind: 'ignored' });

  const value = valueIn(type, rdata, state.origin);
  if (!value.ok) return value;
  const record = parseRecord(
    { name: state.lastOwner, ...value.value, ttl: ttl ?? inheritedTtl(state) },
    state.context.zone,
  );
  return record.ok ? accept({ kind: 'record', record: record.value }) : record;
}

function revisedTtl({ context: { reviseTtl } }: State, ttl: number | null, line: number): number | null {
  return ttl === null || reviseTtl === undefined ? ttl : reviseTtl(ttl, line);
}

function revisedType({ context: { reviseType }, lastOwner }: State, type: string, line: number): string | null {
  return reviseType === undefined ? type : reviseType({ line, owner: lastOwner!, type });
}

interface Value {
  type: string;
  content: string;
  priority: number | null;
}

function valueIn(type: string, rdata: readonly Word[], origin: string): Verdict<Value> {
  const oldType = findOldType(type);
  if (oldType !== null) return oldValue(type, oldType, rdata, origin);
  // A type that is not accepted is refused later, before its content is looked at.
  if (!isRecordType(type)) return accept({ type, content: '', priority: null });
  const words = isGeneric(rdata) ? wordsOfGeneric(type, rdata) : accept(rdata);
  if (!words.ok) return words;
  const value = readContent(type, words.value, origin);
  return value.ok ? accept({ type, ...value.value }) : value;
}

/** HINFO, RP and others, which the service has by their numbers. */
function oldValue(name: string, { layout }: OldType, rdata: readonly Word[], origin: string): Verdict<Value> {
  const texts = rdata.map(({ text, quoted }, index) => {
    if (layout[index] === 'name' && !isGeneric(rdata)) return absolute(text, origin);
    return quoted ? `"${text}"` : text;
  });
  const { type, text } = asStored(name, texts.join(' '));
  const [mark] = text.split(' ');
  if (mark === '\\#') return accept({ type, content: text, priority: null });
  return refuse('content', `The value is not RDATA of type ${name}, which is ${type} here.`);
}

/** `[TTL] [class] type rdata`, TTL and class in either order. */
function readHead(words: readonly Word[]): Verdict<{ type: string; ttl: number | null; rdata: Word[] }> {
  let ttl: number | null = null;
  let hasClass = false;
  for (const [index, { text, quoted }] of words.entries()) {
    const seconds: number | null = quoted || ttl !== null ? null : parseTtlText(text);
    if (seconds !== null) {
      ttl = seconds;
    } else if (!hasClass && !quoted && /^(IN|CH|HS|CS|CLASS[0-9]+)$/i.test(text)) {
      if (!/^(IN|CLASS1)$/i.test(text)) return refuse('class', `The class ${text} is not accepted; only IN is.`);
      hasClass = true;
    } else {
      if (quoted) return refuse('type', 'A record type is written without quotes.');
      return accept({ type: typeOfNumber(text.toUpperCase()), ttl, rdata: words.slice(index + 1) });
    }
  }
  return refuse('type', 'The line has no record type.');
}

/** Whether the service itself makes the records of this type at the current owner. */
function isOwn({ context, lastOwner }: State, type: string): boolean {
  if (type !== 'SOA' && isOwnType(type)) return true;
  if (type !== 'SOA' && type !== 'NS' && type !== 'DS') return false;
  const name = parseOwnerName(lastOwner!, context.zone, 'TXT');
  if (!name.ok) return false;
  if (name.value === '@') return type !== 'DS';
  return type !== 'SOA' && context.children.has(`${name.value}.${context.zone}`);
}

function inheritedTtl({ context, defaultTtl, lastTtl }: State): number | null {
  if (defaultTtl !== null) return defaultTtl === context.defaultTtl ? null : defaultTtl;
  return lastTtl;
}

/**
 * The words of RDATA in the form of the API: names absolute, an MX preference as a field of its own, every TXT string
 * in quotes.
 */
function readContent(
  type: RecordType,
  words: readonly Word[],
  origin: string,
): Verdict<{ content: string; priority: number | null }> {
  if (words.length === 0) return refuse('content', `The ${type} record has no value.`);
  if (type === 'TXT') {
    if (words.some(({ text, quoted }) => !quoted && hasBareQuote(text))) {
      return refuse('content', 'An unquoted text contains a quote; write the whole text in quotes.');
    }
    return accept({ content: words.map(({ text }) => `"${text}"`).join(' '), priority: null });
  }
  // The words of a type with a name are the parts of its layout.
  const nameAt = isNamedType(type) ? TYPES[type].layout.indexOf('name') : -1;
  const texts = words.map(({ text, quoted }, index) => {
    if (index !== nameAt) return quoted ? `"${text}"` : text;
    return absolute(text, origin);
  });
  if (type !== 'MX') return accept({ content: texts.join(' '), priority: null });
  const [preference = '', ...host] = texts;
  if (!/^[0-9]{1,5}$/.test(preference) || fields(host.join(' ')).length !== 1) {
    return refuse('content', 'An MX record is "preference host", for instance "10 mail.example.com.".');
  }
  return accept({ content: host.join(' '), priority: Number(preference) });
}

function hasBareQuote(text: string): boolean {
  return text.replace(/\\./gsu, '').includes('"');
}

/** RFC 1035 section 5.1: a name without final dot is relative to the origin, `@` is the origin. */
function absolute(name: string, origin: string): string {
  if (name === '@') return origin;
  if (name.endsWith('.')) return name;
  return origin === '.' ? `${name}.` : `${name}.${origin}`;
}

/** An owner name without escapes; null when an escape means a character that no name here may contain. */
function plainName(text: string): string | null {
  let isAllowed = true;
  const plain = text.replace(/\\(?:([0-9]{3})|(.?))/gsu, (_, decimal: string | undefined, character: string) => {
    const plainCharacter = decimal === undefined ? character : String.fromCharCode(Number(decimal));
    isAllowed &&= /^[a-z0-9_*-]$/i.test(plainCharacter);
    return plainCharacter;
  });
  return isAllowed ? plain : null;
}

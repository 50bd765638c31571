/**
 * A zone file (RFC 1035 section 5, RFC 2308 section 4) to the records of a zone: directives, owners, TTLs and classes
 * here, contents by the types' own parsers. What the service makes itself is left out: SOA and NS at the apex, and what
 * DNSSEC adds to a zone. Which records may stand beside each other is zone-check.ts' part.
 */
import { isGeneric, typeOfNumber, wordsOfGeneric } from './generic-rdata.ts';
import { parseOwnerName } from './name.ts';
import { MAX_TTL, MIN_TTL, type ParsedRecord, parseRecord } from './record.ts';
import { finish, type Steps } from './steps.ts';
import { isRecordType, type RecordType } from './types/index.ts';
import { fields } from './types/tokens.ts';
import { accept, clip, refuse, type Verdict } from './verdict.ts';
import { type Line, type LineProblem, readLines, type Word } from './zonefile-lexer.ts';

export type { LineProblem } from './zonefile-lexer.ts';

export interface FileRecord {
  line: number;
  record: ParsedRecord;
}

export interface ZoneFile {
  records: FileRecord[];
  /** Lines about records that the service makes itself. */
  ignored: number;
  /** In the order of the lines. */
  problems: LineProblem[];
}

export interface ZoneFileContext {
  /** Canonical. */
  zone: string;
  /** The zone's default TTL: a $TTL of that many seconds leaves records without a TTL of their own. */
  defaultTtl: number;
  /** Child zones that are hosted here (canonical, absolute): the service makes their NS and DS itself. */
  children: ReadonlySet<string>;
}

/** Types that the service makes itself wherever they stand. */
const SERVICE_TYPES: ReadonlySet<string> = new Set([
  'RRSIG',
  'NSEC',
  'NSEC3',
  'NSEC3PARAM',
  'DNSKEY',
  'CDS',
  'CDNSKEY',
]);

/** Where the name that a type points to stands among its words. */
const TARGET_AT: Partial<Record<RecordType, number>> = {
  ALIAS: 0,
  CNAME: 0,
  NS: 0,
  PTR: 0,
  MX: 1,
  HTTPS: 1,
  SRV: 3,
};

interface State {
  context: ZoneFileContext;
  /** Absolute, with final dot. */
  origin: string;
  /** Null before the first $TTL. */
  defaultTtl: number | null;
  /** The TTL that was stated last: RFC 1035 has it go on where there is no $TTL. */
  lastTtl: number | null;
  lastOwner: string | null;
}

type Read = { kind: 'record'; record: ParsedRecord } | { kind: 'ignored' } | { kind: 'directive' };

/** Lines between two steps. */
const STEP = 500;
/** Records of one file: they are held in memory all at once. */
export const MAX_RECORDS = 100_000;
/** Reading ends with so many wrong lines. */
export const MAX_PROBLEMS = 1_000;

/** Reads all of the file, also when lines of it are wrong, up to the two limits. */
export function readZoneFile(text: string, context: ZoneFileContext): ZoneFile {
  return finish(zoneFileSteps(text, context));
}

/** readZoneFile in steps. */
export function* zoneFileSteps(text: string, context: ZoneFileContext): Steps<ZoneFile> {
  const state: State = { context, origin: `${context.zone}.`, defaultTtl: null, lastTtl: null, lastOwner: null };
  const file: ZoneFile = { records: [], ignored: 0, problems: [] };
  let count = 0;
  for (const line of readLines(text)) {
    count += 1;
    if (count % STEP === 0) yield;
    if (file.problems.length >= MAX_PROBLEMS) break;
    if ('message' in line) {
      file.problems.push(line);
      continue;
    }
    const read = line.words[0]!.text.startsWith('$') && !line.indented ? directive(state, line) : entry(state, line);
    if (!read.ok) {
      const { field, message } = read.problem;
      file.problems.push({ line: line.number, message: `${field}: ${message}` });
    } else if (read.value.kind === 'record' && file.records.length >= MAX_RECORDS) {
      file.problems.push({ line: line.number, message: `file: There are ${MAX_RECORDS} records before this one` });
      break;
    } else if (read.value.kind === 'record') {
      file.records.push({ line: line.number, record: read.value.record });
    } else if (read.value.kind === 'ignored') {
      file.ignored += 1;
    }
  }
  return file;
}

function directive(state: State, { words: [first, argument, ...more] }: Line): Verdict<Read> {
  const name = first!.text.toUpperCase();
  if (name !== '$ORIGIN' && name !== '$TTL') {
    return refuse(name, 'This directive is not accepted: write out what it stands for. $ORIGIN and $TTL are.');
  }
  if (argument === undefined || more.length > 0) return refuse(name, 'The directive takes exactly one value.');
  if (name === '$ORIGIN') {
    state.origin = absolute(argument.text, state.origin);
    return accept({ kind: 'directive' });
  }
  const ttl = parseTtl(argument.text);
  if (ttl === null || ttl < MIN_TTL || ttl > MAX_TTL) {
    return refuse(name, `${clip(argument.text)} is not a time from ${MIN_TTL} to ${MAX_TTL} seconds.`);
  }
  state.defaultTtl = ttl;
  return accept({ kind: 'directive' });
}

function entry(state: State, line: Line): Verdict<Read> {
  const [first, ...others] = line.words as [Word, ...Word[]];
  const rest = line.indented ? line.words : others;
  if (!line.indented) {
    if (first.quoted) return refuse('name', 'An owner name stands without quotes.');
    const owner = plainName(first.text);
    if (owner === null) return refuse('name', `${clip(first.text)} has an escape that no accepted name may have.`);
    state.lastOwner = absolute(owner, state.origin);
  }
  const head = readHead(rest);
  if (!head.ok) return head;
  const { type, ttl, rdata } = head.value;
  if (ttl !== null) state.lastTtl = ttl;
  if (state.lastOwner === null) return refuse('name', 'The line begins with a blank, and there is no owner before it.');
  if (isOwn(state, type)) return accept({ kind: 'ignored' });

  // A type that is not accepted is refused below, before its content is looked at.
  const words = isRecordType(type) && isGeneric(rdata) ? wordsOfGeneric(type, rdata) : accept(rdata);
  if (!words.ok) return words;
  const value = isRecordType(type)
    ? contentOf(type, words.value, state.origin)
    : accept({ content: '', priority: null });
  if (!value.ok) return value;
  const record = parseRecord(
    { name: state.lastOwner, type, ...value.value, ttl: ttl ?? inheritedTtl(state) },
    state.context.zone,
  );
  return record.ok ? accept({ kind: 'record', record: record.value }) : record;
}

/** `[TTL] [class] type rdata`, TTL and class in either order. */
function readHead(words: readonly Word[]): Verdict<{ type: string; ttl: number | null; rdata: Word[] }> {
  let ttl: number | null = null;
  let hasClass = false;
  for (const [index, { text, quoted }] of words.entries()) {
    const seconds: number | null = quoted || ttl !== null ? null : parseTtl(text);
    if (seconds !== null) {
      ttl = seconds;
    } else if (!hasClass && !quoted && /^(IN|CH|HS|CS|CLASS[0-9]+)$/i.test(text)) {
      if (!/^(IN|CLASS1)$/i.test(text)) return refuse('class', `The class ${text} is not accepted; only IN is.`);
      hasClass = true;
    } else {
      if (quoted) return refuse('type', 'A record type stands without quotes.');
      return accept({ type: typeOfNumber(text.toUpperCase()), ttl, rdata: words.slice(index + 1) });
    }
  }
  return refuse('type', 'The line has no record type.');
}

/** Whether the service itself makes the records of that type at the current owner. */
function isOwn({ context, lastOwner }: State, type: string): boolean {
  if (SERVICE_TYPES.has(type)) return true;
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

/** The words of RDATA as the API takes them: names absolute, an MX preference apart, every TXT string in quotes. */
function contentOf(
  type: RecordType,
  words: readonly Word[],
  origin: string,
): Verdict<{ content: string; priority: number | null }> {
  if (words.length === 0) return refuse('content', `The ${type} record has no value.`);
  if (type === 'TXT') {
    if (words.some(({ text, quoted }) => !quoted && hasBareQuote(text))) {
      return refuse('content', 'A quote stands inside an unquoted text; write the whole text in quotes.');
    }
    return accept({ content: words.map(({ text }) => `"${text}"`).join(' '), priority: null });
  }
  const texts = words.map(({ text, quoted }, index) => {
    if (index !== TARGET_AT[type]) return quoted ? `"${text}"` : text;
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

/** An owner name without escapes; null when an escape stands for what no name here may hold. */
function plainName(text: string): string | null {
  let allowed = true;
  const plain = text.replace(/\\(?:([0-9]{3})|(.?))/gsu, (_, decimal: string | undefined, character: string) => {
    const found = decimal === undefined ? character : String.fromCharCode(Number(decimal));
    allowed &&= /^[a-z0-9_*-]$/i.test(found);
    return found;
  });
  return allowed ? plain : null;
}

const UNITS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400, w: 604_800 };

/** Seconds, or a sum of times with units as other name servers have them (`1h30m`); null for any other word. */
function parseTtl(text: string): number | null {
  if (/^[0-9]{1,10}$/.test(text)) return Number(text);
  if (text.length > 40 || !/^(?:[0-9]+[smhdw])+$/i.test(text)) return null;
  const parts = text.toLowerCase().matchAll(/([0-9]+)([smhdw])/g);
  return [...parts].reduce((sum, [, amount, unit]) => sum + Number(amount) * UNITS[unit!]!, 0);
}

/**
 * Splits a zone file into words (RFC 1035 section 5.1): entries of one line, or of several lines in parentheses;
 * comments, quoted strings and escapes. Escapes stay as they are written, because only the reader of a word knows which
 * characters it may contain.
 *
 * Reading takes time linear in the length of the text and ends at the first entry that exceeds a limit: no entry takes
 * more memory than the largest record.
 */
import { MAX_RDATA } from '../types/rdata.ts';

export interface Word {
  /** Without the outer quotes; a quote inside an unquoted word (`alpn="h2"`) stays. */
  text: string;
  quoted: boolean;
}

export interface ZoneFileLine {
  /** The number of its first line, from 1. */
  number: number;
  /** Whether the line begins with a blank: its owner is that of the entry before. */
  indented: boolean;
  words: Word[];
}

export interface LineProblem {
  line: number;
  message: string;
}

/**
 * A comment that begins with this mark is read like a line. ALIAS is not a DNS type; as a comment it does not keep
 * other name servers from loading the file.
 */
export const PSEUDO_LINE = ';zonestead:';

/** Characters of one entry: every octet of the largest record written as `\DDD`, and room for names and comments. */
const MAX_ENTRY = 4 * MAX_RDATA + 16_384;
/**
 * Words of one entry: a TXT record of empty strings has as many words as octets; the rest is owner, TTL, class, type.
 */
const MAX_WORDS = MAX_RDATA + 16;
/** Parentheses inside parentheses. No writer of zone files nests them; RFC 1035 gives no limit. */
const MAX_DEPTH = 8;

/** Characters between two pauses of `lineSteps`: about a millisecond. */
const STEP = 64 * 1024;

/** Returns the entries of a file one by one: each is a line of words or a problem. */
export function* readEntries(text: string): Generator<ZoneFileLine | LineProblem, undefined> {
  for (const line of lineSteps(text)) if (line !== null) yield line;
}

/** readEntries with a pause (null) now and then, even while it only reads comments and empty lines. */
export function* lineSteps(text: string): Generator<ZoneFileLine | LineProblem | null, undefined> {
  let pause = STEP;
  let [at, number] = [0, 1];
  while (at < text.length) {
    const { problem, words, indented, next, nextNumber, isLast } = readEntry(text, at, number);
    if (problem !== null) yield { line: number, message: problem };
    else if (words.length > 0) yield { number, indented, words };
    if (isLast) return;
    at = next;
    number = nextNumber;
    if (at < pause) continue;
    pause = at + STEP;
    yield null;
  }
}

interface Entry {
  indented: boolean;
  words: Word[];
  problem: string | null;
  next: number;
  nextNumber: number;
  /** Whether a limit was exceeded: nothing after this entry is read. */
  isLast: boolean;
}

const NEWLINE = 0x0a;
const QUOTE = 0x22;
const OPENING = 0x28;
const CLOSING = 0x29;
const SEMICOLON = 0x3b;
const BACKSLASH = 0x5c;

function readEntry(text: string, start: number, number: number): Entry {
  const entry: Entry = {
    indented: false,
    words: [],
    problem: null,
    next: text.length,
    nextNumber: number,
    isLast: false,
  };
  let depth = 0;
  let at = text.startsWith(PSEUDO_LINE, start) ? start + PSEUDO_LINE.length : start;
  // The blank after the mark of a pseudo line is not the blank of a missing owner.
  if (at !== start) while (text[at] === ' ') at += 1;
  entry.indented = at < text.length && isBlank(text.charCodeAt(at));
  const end = Math.min(text.length, start + MAX_ENTRY);

  while (at < end) {
    const character = text.charCodeAt(at);
    if (character === NEWLINE) {
      at += 1;
      entry.nextNumber += 1;
      if (depth === 0) return { ...entry, next: at };
    } else if (isBlank(character)) {
      at += 1;
    } else if (character === SEMICOLON) {
      at = endOfLine(text, at);
      // A comment on its own may be of any length: it costs nothing.
      if (depth === 0) return { ...entry, next: at + 1, nextNumber: entry.nextNumber + 1 };
    } else if (character === OPENING) {
      depth += 1;
      at += 1;
      if (depth > MAX_DEPTH) return stop(entry, `parentheses are nested more than ${MAX_DEPTH} deep`);
    } else if (character === CLOSING) {
      if (depth === 0) entry.problem ??= 'a closing parenthesis has no opening one';
      depth = Math.max(0, depth - 1);
      at += 1;
    } else {
      const word = character === QUOTE ? readQuoted(text, at, end) : readWord(text, at, end);
      if (word === null) {
        // Up to the limit there is neither a closing quote nor the end of the line.
        if (end < text.length && !text.slice(at, end).includes('\n')) return tooLong(entry);
        entry.problem ??= 'a quoted string is not closed on its line';
        at = endOfLine(text, at);
      } else {
        if (entry.words.length === MAX_WORDS) return stop(entry, `the record has more than ${MAX_WORDS} words`);
        entry.words.push({ text: word.text, quoted: word.quoted });
        at = word.next;
      }
    }
  }
  if (end < text.length) return tooLong(entry);
  if (depth > 0) entry.problem ??= 'an opening parenthesis is never closed';
  return entry;
}

function tooLong(entry: Entry): Entry {
  return stop(entry, `the record has more than ${MAX_ENTRY} characters`);
}

/** The words are dropped at once. */
function stop(entry: Entry, finding: string): Entry {
  return {
    ...entry,
    words: [],
    problem: `${finding}, which is the limit; the lines after it were not read`,
    isLast: true,
  };
}

function isBlank(character: number): boolean {
  return character === 0x20 || character === 0x09 || character === 0x0d;
}

type Found = (Word & { next: number }) | null;

function readQuoted(text: string, start: number, limit: number): Found {
  const end = endOfQuotes(text, start, limit);
  return end === null ? null : { text: text.slice(start + 1, end - 1), quoted: true, next: end };
}

function readWord(text: string, start: number, limit: number): Found {
  let at = start;
  while (at < limit) {
    const character = text.charCodeAt(at);
    if (endsWord(character)) break;
    if (character === QUOTE) {
      const end = endOfQuotes(text, at, limit);
      if (end === null) return null;
      at = end;
    } else {
      // An escaped character is part of the word, unless it is the end of the line.
      at += character === BACKSLASH && at + 1 < text.length && text.charCodeAt(at + 1) !== NEWLINE ? 2 : 1;
    }
  }
  return { text: text.slice(start, at), quoted: false, next: at };
}

function endsWord(character: number): boolean {
  return (
    isBlank(character) ||
    character === NEWLINE ||
    character === SEMICOLON ||
    character === OPENING ||
    character === CLOSING
  );
}

/** The index after the closing quote, null when the line or the limit comes first. */
function endOfQuotes(text: string, start: number, limit: number): number | null {
  for (let at = start + 1; at < limit; at += 1) {
    const character = text.charCodeAt(at);
    if (character === NEWLINE) return null;
    if (character === QUOTE) return at + 1;
    if (character === BACKSLASH && text.charCodeAt(at + 1) !== NEWLINE) at += 1;
  }
  return null;
}

function endOfLine(text: string, at: number): number {
  const end = text.indexOf('\n', at);
  return end < 0 ? text.length : end;
}

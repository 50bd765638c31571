/**
 * The words of a zone file (RFC 1035 section 5.1): entries of one line, or of several between parentheses; comments,
 * quoted strings and escapes. Escapes stay as they are written: only who reads a word knows what it may hold. No record
 * type is known here. Linear in the length of the text.
 */

export interface Word {
  /** Without the outer quotes; a quote inside an unquoted word (`alpn="h2"`) stays. */
  text: string;
  quoted: boolean;
}

export interface Line {
  /** The number of its first line, from 1. */
  number: number;
  /** It begins with a blank: the owner is that of the entry before. */
  indented: boolean;
  words: Word[];
}

export interface LineProblem {
  line: number;
  message: string;
}

/**
 * A comment that begins so is read like a line: types that no other name server knows, of which ALIAS is the only one,
 * travel in a file that every name server loads.
 */
export const PSEUDO_LINE = ';zonestead:';

/** The entries of a file one by one: each a line of words, or what is wrong with it. */
export function* readLines(text: string): Generator<Line | LineProblem, undefined> {
  let [at, number] = [0, 1];
  while (at < text.length) {
    const { problem, words, indented, next, nextNumber } = readEntry(text, at, number);
    if (problem !== null) yield { line: number, message: problem };
    else if (words.length > 0) yield { number, indented, words };
    at = next;
    number = nextNumber;
  }
}

interface Entry {
  indented: boolean;
  words: Word[];
  problem: string | null;
  next: number;
  nextNumber: number;
}

const BLANKS = ' \t\r';

function readEntry(text: string, start: number, number: number): Entry {
  const entry: Entry = { indented: false, words: [], problem: null, next: text.length, nextNumber: number };
  let depth = 0;
  let at = text.startsWith(PSEUDO_LINE, start) ? start + PSEUDO_LINE.length : start;
  // The blank after the mark of a pseudo line is not the blank of a missing owner.
  if (at !== start) while (text[at] === ' ') at += 1;
  entry.indented = BLANKS.includes(text[at] ?? '\n');

  while (at < text.length) {
    const character = text[at]!;
    if (character === '\n') {
      at += 1;
      entry.nextNumber += 1;
      if (depth === 0) return { ...entry, next: at };
    } else if (BLANKS.includes(character)) {
      at += 1;
    } else if (character === ';') {
      at = endOfLine(text, at);
    } else if (character === '(') {
      depth += 1;
      at += 1;
    } else if (character === ')') {
      if (depth === 0) entry.problem ??= 'a closing parenthesis has no opening one';
      depth = Math.max(0, depth - 1);
      at += 1;
    } else {
      const word = character === '"' ? readQuoted(text, at) : readWord(text, at);
      if (word === null) {
        entry.problem ??= 'a quoted string is not closed on its line';
        at = endOfLine(text, at);
      } else {
        entry.words.push({ text: word.text, quoted: word.quoted });
        at = word.next;
      }
    }
  }
  if (depth > 0) entry.problem ??= 'an opening parenthesis is never closed';
  return entry;
}

type Found = (Word & { next: number }) | null;

function readQuoted(text: string, start: number): Found {
  const end = endOfQuotes(text, start);
  return end === null ? null : { text: text.slice(start + 1, end - 1), quoted: true, next: end };
}

function readWord(text: string, start: number): Found {
  let at = start;
  while (at < text.length && !' \t\r\n;()'.includes(text[at]!)) {
    if (text[at] === '"') {
      const end = endOfQuotes(text, at);
      if (end === null) return null;
      at = end;
    } else {
      // An escaped character is part of the word whatever it is, but for the end of the line.
      at += text[at] === '\\' && at + 1 < text.length && text[at + 1] !== '\n' ? 2 : 1;
    }
  }
  return { text: text.slice(start, at), quoted: false, next: at };
}

/** The index after the closing quote, null when the line ends first. */
function endOfQuotes(text: string, start: number): number | null {
  for (let at = start + 1; at < text.length && text[at] !== '\n'; at += 1) {
    if (text[at] === '"') return at + 1;
    if (text[at] === '\\' && text[at + 1] !== '\n') at += 1;
  }
  return null;
}

function endOfLine(text: string, at: number): number {
  const end = text.indexOf('\n', at);
  return end < 0 ? text.length : end;
}

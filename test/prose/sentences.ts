// Cuts blocks into sentences and applies the rules.
import type { Block } from './block.ts';
import type { Rule } from './rules.ts';

export interface Violation {
  /** From 1: the line of the words that the rule names. */
  readonly line: number;
  /** The sentence in one line. */
  readonly sentence: string;
  readonly rule: Rule;
}

/** The end of a sentence: its mark, and then white space and a capital letter, a quotation or code. */
const END = /[.!?…]['")\]]*\s+(?=["'(]?[A-Z_`])/g;
/** Not part of the sentence: marks of a list, quotation marks, brackets. */
const LEAD = /^[\s"'(*\-–—>]+/;

export function check(source: string, blocks: readonly Block[], rules: readonly Rule[]): Violation[] {
  const compiled = rules.map((rule) => ({ rule, pattern: spaced(rule.pattern) }));
  const starts = lineStarts(source);
  const found: Violation[] = [];
  for (const block of blocks) {
    for (const { offset, text, begins } of sentences(block)) {
      const question = /\?['")\s]*$/.test(text);
      for (const { rule, pattern } of compiled) {
        if (rule.at === 'start' && (!begins || question)) continue;
        const match = pattern.exec(text);
        if (match === null) continue;
        const sentence = source
          .slice(offset, offset + text.length)
          .replace(/\s*\n\s*(\/\/|\*(?!\*)|#)?\s*/g, ' ')
          .trim();
        found.push({ line: findLine(starts, offset + match.index), sentence, rule });
      }
    }
  }
  return found;
}

/** The sentences of a block; only its first one may be the rest of another text. */
export function sentences(block: Block): Block[] {
  const found: Block[] = [];
  let from = 0;
  const add = (to: number) => {
    const raw = block.text.slice(from, to);
    const lead = LEAD.exec(raw)?.[0].length ?? 0;
    const text = raw.slice(lead).trimEnd();
    if (text !== '') found.push({ offset: block.offset + from + lead, text, begins: block.begins || from > 0 });
  };
  for (const match of block.text.matchAll(END)) {
    const end = match.index + match[0].length;
    add(end);
    from = end;
  }
  add(block.text.length);
  return found;
}

function spaced(pattern: RegExp): RegExp {
  return new RegExp(pattern.source.replaceAll(' ', '\\s+'), pattern.flags);
}

function lineStarts(source: string): number[] {
  const starts = [0];
  for (const { index } of source.matchAll(/\n/g)) starts.push(index + 1);
  return starts;
}

function findLine(starts: readonly number[], offset: number): number {
  const after = starts.findIndex((start) => start > offset);
  return after === -1 ? starts.length : after;
}

// The prose of a TypeScript or JavaScript file: comments, titles of tests, and every string of three words or more. A
// list of the functions that take messages would be out of date soon; a string of three words is almost always read by
// a person.
import jsTokens from 'js-tokens';
import { type Block, blank, maskCode, noun, split } from './block.ts';

interface Place {
  readonly type: string;
  readonly value: string;
  readonly offset: number;
}

const TITLES = new Set(['it', 'test', 'describe', 'suite', 'bench']);
const SPACE = new Set(['WhiteSpace', 'LineTerminatorSequence']);
const DIRECTIVE = /^\/[/*]\s*(biome-ignore|@ts-|@vite|#__)/;

/** Comments and messages of one file in the order of the text. */
export function typescriptBlocks(source: string): Block[] {
  const tokens: Place[] = [];
  let offset = 0;
  for (const { type, value } of jsTokens(source)) {
    if (!SPACE.has(type)) tokens.push({ type, value, offset });
    offset += value.length;
  }
  const code = tokens.filter(({ type }) => !type.endsWith('Comment'));
  return [...comments(source, tokens), ...strings(source, code)].sort((a, b) => a.offset - b.offset);
}

function comments(source: string, tokens: readonly Place[]): Block[] {
  const blocks: Block[] = [];
  let open: { from: number; to: number } | undefined;
  const close = () => {
    if (open !== undefined) blocks.push(...commentBlocks(source.slice(open.from, open.to), open.from));
    open = undefined;
  };
  for (const { type, value, offset } of tokens) {
    if (DIRECTIVE.test(value)) close();
    else if (type === 'SingleLineComment') {
      // Comments of consecutive lines are one text.
      const joined = open !== undefined && /^\n[ \t]*$/.test(source.slice(open.to, offset));
      if (!joined) close();
      open = { from: open?.from ?? offset, to: offset + value.length };
    } else {
      close();
      if (type === 'MultiLineComment') blocks.push(...commentBlocks(value, offset));
    }
  }
  close();
  return blocks;
}

function commentBlocks(comment: string, offset: number): Block[] {
  const text = comment
    .replace(/\*\/$/, '  ')
    .replace(/^([ \t]*)(\/\*\*?|\/\/+|\*)/gm, (_, space: string, mark: string) => space + blank(mark));
  // A tag begins a sentence, as does an item of a list and a line after an empty one.
  return split({ offset, text: maskCode(text), begins: true }, /@param\s+\S+|@\w+|\n\s*\n|\n\s*[-*]\s/g);
}

function strings(source: string, code: readonly Place[]): Block[] {
  const blocks: Block[] = [];
  /** Templates that have begun and not ended: [index of the head, masked text so far]. */
  const open: { at: number; offset: number; text: string; end: number }[] = [];
  for (let at = 0; at < code.length; at += 1) {
    const { type, value, offset } = code[at]!;
    if (type === 'TemplateHead') open.push({ at, offset, text: value, end: offset + value.length });
    else if (type === 'TemplateMiddle' || type === 'TemplateTail') {
      const template = open.at(-1);
      if (template === undefined) continue;
      template.text += noun(source.slice(template.end, offset)) + value;
      template.end = offset + value.length;
      if (type === 'TemplateTail') {
        open.pop();
        add(template.at, template.offset, template.text);
      }
    } else if (type === 'NoSubstitutionTemplate') add(at, offset, value);
    else if (type === 'StringLiteral') {
      let last = at;
      while (code[last + 1]?.value === '+' && code[last + 2]?.type === 'StringLiteral') last += 2;
      const end = code[last]!.offset + code[last]!.value.length;
      add(at, offset, source.slice(offset, end));
      at = last;
    }
  }
  return blocks;

  function add(at: number, start: number, raw: string): void {
    if (raw.startsWith('`') && isTag(code[at - 1])) return;
    const title = isTitle(code, at);
    const text = maskCode(
      raw
        .replace(/\$\{/g, '__')
        .replace(/(?<=_)\}/g, '_')
        .replace(/(['"])\s*\+\s*(['"])/g, blank)
        .replace(/\\n/g, '. ')
        .replace(/\\./g, '  ')
        .replace(/^['"`]|['"`]$/g, ' '),
    );
    const words = text.match(/[A-Za-z'’]{2,}/g) ?? [];
    if (!title && (words.length < 3 || !/[a-z,;:] [a-z]/i.test(text))) return;
    const begins = title || (!/^.\s/.test(text) && code[at - 1]?.value !== '+' && open.length === 0);
    blocks.push(...split({ offset: start, text, begins }, /\n\s*\n/g));
  }
}

/** sql`…` and its like are code of another language. */
function isTag(before: Place | undefined): boolean {
  return before?.type === 'IdentifierName' && !['return', 'yield', 'await', 'case', 'of', 'in'].includes(before.value);
}

/**
 * Whether the string is the first argument of it(), test(), describe() or one of their variants such as it.each(…)(…).
 */
function isTitle(code: readonly Place[], at: number): boolean {
  if (code[at - 1]?.value !== '(') return false;
  let head = at - 2;
  if (code[head]?.value === ')') {
    let depth = 0;
    for (; head >= 0; head -= 1) {
      if (code[head]!.value === ')') depth += 1;
      if (code[head]!.value === '(') depth -= 1;
      if (depth === 0) break;
    }
    head -= 1;
  }
  while (code[head - 1]?.value === '.') head -= 2;
  return TITLES.has(code[head]?.value ?? '');
}

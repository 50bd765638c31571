// The prose of files that are not TypeScript: Markdown, templates of pages, YAML with and without Go templates, shell,
// Go, SQL.
import { type Block, blank, maskCode, noun, split } from './block.ts';
import { typescriptBlocks } from './typescript.ts';

/** Pages that `npm run generate` makes from texts that are checked where they are written. */
const GENERATED: ReadonlySet<string> = new Set(
  ['cli', 'dnsrecord', 'dnszone', 'errors', 'helm-values', 'rest', 'settings'].map(
    (name) => `docs/reference/${name}.md`,
  ),
);

type Extractor = (source: string) => Block[];

/** @returns undefined for a file that holds no prose, or whose prose is generated from another file */
export function findExtractor(path: string): Extractor | undefined {
  if (/^(crds|deploy\/manifests|charts\/[^/]+\/files\/crds)\//.test(path) || GENERATED.has(path)) return undefined;
  const ending = /\.([a-z]+)$|(Containerfile)$/.exec(path);
  return EXTRACTORS[ending?.[1] ?? ending?.[2] ?? ''];
}

const EXTRACTORS: Readonly<Record<string, Extractor>> = {
  ts: typescriptBlocks,
  js: typescriptBlocks,
  go: typescriptBlocks,
  md: markdownBlocks,
  eta: etaBlocks,
  yaml: yamlBlocks,
  tpl: yamlBlocks,
  txt: textBlocks,
  sh: (source) => lineComments(source, '#'),
  Containerfile: (source) => lineComments(source, '#'),
  sql: (source) => lineComments(source, '--'),
};

/** Paragraphs, items of lists, headings and cells of tables, without code. */
function markdownBlocks(source: string): Block[] {
  const text = source
    .replace(/^( *)(```|~~~)[\s\S]*?\n\1\2[^\n]*/gm, (code) => breaks(code))
    .replace(/<!--[\s\S]*?-->/g, blank)
    .replace(/\]\([^)\s]*\)/g, blank)
    .replace(/^( *)([-*+]|\d+\.|>|#+) /gm, (mark) => (mark.length > 1 ? `\uE000${blank(mark.slice(1))}` : mark))
    .replace(/^\|.*\|$/gm, (row) => row.replace(/(?<!\\)\|/g, '\uE000'))
    .replace(/^[ \uE000:|-]+$/gm, breaks)
    .replace(/\*\*|__/g, '  ');
  return split({ offset: 0, text: maskCode(text), begins: true }, /\n\s*\n|\uE000/g);
}

/** The text of a page and the messages in its code. */
function etaBlocks(source: string): Block[] {
  const messages: Block[] = [];
  const text = source.replace(/<%([~=]?)([\s\S]*?)%>/g, (tag, mark: string, code: string, offset: number) => {
    const at = offset + 2 + mark.length;
    for (const block of typescriptBlocks(code)) messages.push({ ...block, offset: at + block.offset });
    return mark === '=' ? noun(tag) : breaks(tag);
  });
  const attributes = [...text.matchAll(/(?<=\s(?:title|aria-label|placeholder|content|alt)=")[^"<>]+(?=")/g)];
  for (const match of attributes) messages.push({ offset: match.index, text: match[0], begins: true });
  const prose = text
    .replace(/<code>[\s\S]*?<\/code>/g, noun)
    .replace(/<\/?(a|b|em|i|strong|span|small|time|abbr|kbd)\b[^>]*>/g, blank)
    .replace(/<[^>]*>/g, breaks)
    .replace(/&\w+;/g, blank);
  const blocks = split({ offset: 0, text: maskCode(prose), begins: true }, /\uE000+/g);
  return [...blocks, ...messages].sort((a, b) => a.offset - b.offset);
}

const READ = /^( *(?:- )?(?:description|summary|message|messageExpression|reason|title|help):) +(?![>|])(.*\S)$/gm;

/**
 * Comments, and values of the keys that hold text, of YAML with or without Go templates; and the messages of their
 * templates.
 */
function yamlBlocks(source: string): Block[] {
  const blocks: Block[] = [];
  const rest = source.replace(/\{\{-?\s*\/\*([\s\S]*?)\*\/\s*-?\}\}/g, (comment, inner: string, offset: number) => {
    blocks.push({ offset: offset + comment.indexOf(inner), text: maskCode(inner), begins: true });
    return blank(comment);
  });
  const open = rest.replace(/\{\{[\s\S]*?\}\}/g, (code, offset: number) => {
    for (const match of code.matchAll(/"([^"\n]*)"/g)) {
      if ((match[1]!.match(/[A-Za-z]{2,} /g) ?? []).length < 3) continue;
      blocks.push({ offset: offset + match.index + 1, text: maskCode(match[1]!), begins: true });
    }
    return noun(code);
  });
  for (const match of open.matchAll(READ)) {
    const offset = match.index + match[0].length - match[2]!.length;
    blocks.push({ offset, text: maskCode(match[2]!.replace(/^['"]|['"]$/g, ' ')), begins: true });
  }
  for (const match of open.matchAll(
    /^( *)(?:- )?(?:description|summary|message): *[>|][+-]?\n((?:\1 +.*\n|\s*\n)+)/gm,
  )) {
    const offset = match.index + match[0].length - match[2]!.length;
    blocks.push(...split({ offset, text: maskCode(match[2]!), begins: true }, /\n\s*\n/g));
  }
  return [...blocks, ...lineComments(open, '#')].sort((a, b) => a.offset - b.offset);
}

function textBlocks(source: string): Block[] {
  const text = source.replace(/\{\{[\s\S]*?\}\}/g, noun);
  return split({ offset: 0, text: maskCode(text), begins: true }, /\n\s*\n/g);
}

/** Comments that begin with a mark and go to the end of the line; consecutive lines are one text. */
function lineComments(source: string, mark: '#' | '--'): Block[] {
  const blocks: Block[] = [];
  const lines = mark === '#' ? /^([ \t]*|.*[ \t])#+(?![!\S]).*$/gm : /^([ \t]*|.*[ \t])--(?!>).*$/gm;
  let last: { offset: number; text: string; begins: boolean } | undefined;
  for (const match of source.matchAll(lines)) {
    const alone = match[1]!.trim() === '';
    const from = match.index + match[1]!.length;
    const text = match[0].slice(match[1]!.length).replace(/^(#+|--)( --)?/, blank);
    const fresh = /^\s*(@|--)/.test(match[0].slice(match[1]!.length + mark.length));
    const between = last === undefined ? '' : source.slice(last.offset + last.text.length, from);
    if (last !== undefined && alone && !fresh && /^\n[ \t]*$/.test(between)) last.text += between + text;
    else {
      last = { offset: from, text, begins: true };
      blocks.push(last);
    }
    if (!alone) last = undefined;
  }
  return blocks.flatMap((block) => split({ ...block, text: maskCode(block.text) }, /\n\s*\n/g));
}

/** A break (U+E000, for private use) in place of a text, with its length and its lines. */
function breaks(text: string): string {
  return text.replace(/[^\n]/g, '\uE000');
}

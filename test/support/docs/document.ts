// A Markdown page as its readers use it: sections, blocks in a language, words in backticks, links.
import { readFile } from 'node:fs/promises';
import { lexer, type Token, walkTokens } from 'marked';

export const PROJECT = new URL('../../../', import.meta.url).pathname;

export interface Block {
  section: string;
  /** As written after the fence; empty when there is none, or when the block is an indented one. */
  language: string;
  text: string;
  /** The file that the sentence before the block names, for a block that a reader saves: "…, `mine.yaml`:". */
  file: string | undefined;
}

/** Words in backticks. */
export interface Span {
  section: string;
  text: string;
}

export interface Page {
  /** Path from the top of the project. */
  path: string;
  sections: string[];
  blocks: Block[];
  spans: Span[];
  /** Addresses of links and pictures. */
  links: string[];
}

const pages = new Map<string, Promise<Page>>();

/** Reads each page once, because tests follow hundreds of links to the same pages. */
export function readPage(path: string): Promise<Page> {
  const read = async () => parsePage(path, await readFile(`${PROJECT}${path}`, 'utf8'));
  const known = pages.get(path) ?? read();
  pages.set(path, known);
  return known;
}

/** Pure. */
export function parsePage(path: string, text: string): Page {
  const page: Page = { path, sections: [], blocks: [], spans: [], links: [] };
  let section = '';
  /** The paragraph before a block, in the page or in the item of a list. */
  let before: Token | undefined;
  const read = (token: Token) => {
    if (token.type === 'heading') {
      section = plainHeading((token as { text: string }).text);
      page.sections.push(section);
    }
    if (token.type === 'code') {
      const { lang = '', text } = token as { lang?: string; text: string };
      page.blocks.push({ section, language: lang.trim(), text, file: fileNamedBy(before) });
    }
    if (token.type === 'codespan') page.spans.push({ section, text: plain((token as { text: string }).text) });
    if (token.type === 'link' || token.type === 'image') page.links.push((token as { href: string }).href);
    if (token.type === 'html') page.links.push(...addressesIn((token as { text: string }).text));
    // Text in a list has tokens of its own; text in a line has none.
    if (BLOCKS.has(token.type) || (token.type === 'text' && 'tokens' in token)) before = token;
  };
  void walkTokens(lexer(text), read);
  return page;
}

const BLOCKS: ReadonlySet<string> = new Set(['paragraph', 'code', 'heading', 'table', 'blockquote']);

/** Pictures in HTML, which Markdown has no form for: light and dark. */
const addressesIn = (html: string) => [...html.matchAll(/\bsrc(?:set)?="([^"]+)"/g)].map(([, address = '']) => address);

/** The heading as it is shown: the text of a link, without backticks. */
const plainHeading = (heading: string) => plain(heading).replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1');

/** A row of a table cannot hold a bare "|": the page writes "\|". */
const plain = (text: string) => text.replaceAll('\\|', '|');

function fileNamedBy(token: Token | undefined): string | undefined {
  if (token?.type !== 'paragraph' && token?.type !== 'text') return undefined;
  return /`([\w.-]+\.(?:yaml|sql|txt|zone|conf))`[^`]*:$/.exec((token as { text: string }).text)?.[1];
}

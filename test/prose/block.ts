// The form that every extractor returns: a passage that people read, at its place in the file. Its text has the length
// of the original; markup, code and quoted names are masked, so that a rule sees the prose alone and a match has a
// line.

export interface Block {
  /** Where `text` begins in the file, in UTF-16 units. */
  readonly offset: number;
  /** As long as the original. */
  readonly text: string;
  /**
   * The first word begins a sentence, even in lower case: a comment, a title, a cell of a table, but not a part of a
   * message.
   */
  readonly begins: boolean;
}

/** Spaces in place of everything except the ends of lines. */
export function blank(text: string): string {
  return text.replace(/[^\n]/g, ' ');
}

/** An unknown noun in place of everything except the ends of lines: for code, whose words are no prose. */
export function noun(text: string): string {
  return text.replace(/[^\n]/g, '_');
}

/** Masks quoted code and web addresses. */
export function maskCode(text: string): string {
  return text
    .replace(/(`+)[\s\S]*?\1/g, noun)
    .replace(/\bhttps?:\/\/[^\s)"']+/g, noun)
    .replace(/\{@link\s[^}]*\}/g, noun);
}

/** Parts of a text between breaks, as blocks of their own. @param breaks must have the g flag */
export function split(block: Block, breaks: RegExp): Block[] {
  const parts: Block[] = [];
  let from = 0;
  const add = (to: number) => {
    const text = block.text.slice(from, to);
    if (text.trim() !== '') parts.push({ offset: block.offset + from, text, begins: block.begins || from > 0 });
  };
  for (const match of block.text.matchAll(breaks)) {
    add(match.index);
    from = match.index + match[0].length;
  }
  add(block.text.length);
  return parts;
}

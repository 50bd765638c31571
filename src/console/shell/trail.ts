// The pages of a list that is read in one direction only, such as a history: an address has the cursors of the pages
// before it, so that the previous page is the one that the person has seen. Pure.

/** Characters of cursors that an address remembers. Browsers and proxies accept addresses of 8,000. */
const MAX = 4_000;
/** Stands for the pages before the remembered ones. No cursor has this character. */
const CUT = '~';
const CURSOR = /^[\w-]+$/;

export interface Trail {
  /** The cursor of this page. Undefined: the first page. */
  cursor?: string | undefined;
  /** The cursors of the second page up to the one before this page, with commas. */
  back?: unknown;
}

interface Links {
  /** Null: this is the first page. */
  first: string | null;
  /** Null: this is the first page, or the address does not remember the page before. */
  previous: string | null;
  /** Null: this is the last page. */
  next: string | null;
}

/**
 * @param next the cursor of the next page; undefined: this is the last one
 * @param addressOf the address with a query
 */
export function trailLinks(
  { cursor, back }: Trail,
  next: string | undefined,
  addressOf: (query: Record<'cursor' | 'back', string | undefined>) => string,
): Links {
  const text = typeof back === 'string' ? back : '';
  const isCut = text.startsWith(CUT);
  const before = text.split(',').filter((each) => CURSOR.test(each));
  const link = (cursors: readonly string[], at: string | undefined) => {
    const lastCursors = keepLast(cursors);
    const marks = isCut || lastCursors.length < cursors.length ? [CUT, ...lastCursors] : lastCursors;
    return addressOf({ cursor: at, back: marks.join(',') || undefined });
  };
  const first = addressOf({ cursor: undefined, back: undefined });
  if (cursor === undefined) return { first: null, previous: null, next: next === undefined ? null : link([], next) };
  const last = before.at(-1);
  const previous = last !== undefined ? link(before.slice(0, -1), last) : isCut ? null : first;
  return { first, previous, next: next === undefined ? null : link([...before, cursor], next) };
}

/** As many of the last ones as an address remembers. */
function keepLast(cursors: readonly string[]): string[] {
  let charactersLeft = MAX;
  const from = cursors.findLastIndex((cursor) => {
    charactersLeft -= cursor.length + 1;
    return charactersLeft < 0;
  });
  return cursors.slice(from + 1);
}

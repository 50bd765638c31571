// Omits the rules of a style sheet that no page can match. The style sheet of a library has rules for many parts that
// the console does not have, and they would be a fifth of a first visit. Pure.

/**
 * @param css minified, without comments inside of rules @param unused parts of selectors that no page has, for instance
 * `dialog` or `[data-tooltip]`. A selector that requires one of them is omitted. A part inside of `:not()`, `:is()` or
 * `:where()` is not required.
 */
export function trimCss(css: string, unused: readonly string[]): string {
  return parseRules(css)
    .map(({ head, body, end }) => {
      if (body === null) return head + end;
      if (/^@(?:media|supports)/.test(head)) {
        const inner = trimCss(body, unused);
        return inner === '' ? '' : `${head}{${inner}}`;
      }
      if (head.startsWith('@')) return `${head}{${body}}`;
      const kept = splitSelectors(head).filter((selector) => !requires(selector, unused));
      return kept.length === 0 ? '' : `${kept.join(',')}{${body}}`;
    })
    .join('');
}

interface Rule {
  /** The selectors, or the at-rule. */
  head: string;
  /** Null: a statement such as `@charset "UTF-8";`. */
  body: string | null;
  end: string;
}

function parseRules(css: string): Rule[] {
  const rules: Rule[] = [];
  for (let at = 0; at < css.length; ) {
    const stop = next(css, at, ';{');
    const head = css.slice(at, stop);
    if (css[stop] !== '{') {
      rules.push({ head, body: null, end: css.slice(stop, stop + 1) });
      at = stop + 1;
      continue;
    }
    const close = next(css, stop + 1, '}');
    rules.push({ head, body: css.slice(stop + 1, close), end: '' });
    at = close + 1;
  }
  return rules;
}

function splitSelectors(head: string): string[] {
  const selectors: string[] = [];
  for (let at = 0; at <= head.length; ) {
    const comma = next(head, at, ',');
    selectors.push(head.slice(at, comma));
    at = comma + 1;
  }
  return selectors;
}

function requires(selector: string, unused: readonly string[]): boolean {
  let outside = '';
  for (let at = 0; at < selector.length; ) {
    const open = /:(?:not|is|where)\(/g;
    open.lastIndex = at;
    const found = open.exec(selector);
    outside += selector.slice(at, found?.index);
    if (found === null) break;
    at = next(selector, open.lastIndex, ')') + 1;
  }
  return unused.some((part) => holds(outside, part));
}

/** Whether a selector has this part as a whole: `a` is not part of `article` or `.a`. */
function holds(selector: string, part: string): boolean {
  const before = /^[a-z]/.test(part) ? '(?<![\\w.:#=-])' : '';
  const after = /[\w-]$/.test(part) ? '(?![\\w-])' : '';
  return new RegExp(`${before}${RegExp.escape(part)}${after}`).test(selector);
}

/** The place of the next of these characters outside of strings and brackets; the end of the text if there is none. */
function next(text: string, from: number, wanted: string): number {
  let depth = 0;
  for (let at = from; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (depth === 0 && wanted.includes(character)) return at;
    if (character === '"' || character === "'") at = text.indexOf(character, at + 1);
    else if ('([{'.includes(character)) depth += 1;
    else if (')]}'.includes(character)) depth -= 1;
  }
  return text.length;
}

// Compares the output of a command with the output that a page shows. Ids, times, ports and durations may differ;
// everything else must be the same. Pure.
//
// On the page "…" means omitted text in a line, and alone on a line any number of lines; if a page shows nothing else,
// the output must not be empty. An id on the page is remembered with the real one, so that a later command of the page
// that contains it can be run.

/** Ids of the page → those that came. */
export type Ids = Map<string, string>;

interface Volatile {
  form: RegExp;
  real: string;
  /** Whether later commands may have it. */
  id?: boolean;
}

const VOLATILE: Volatile[] = [
  { form: /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/, real: '[0-9a-f-]{36}', id: true },
  { form: /(?:zone|rec|team|user)_[0-9a-f]{6,}/, real: '\\w+_[0-9a-f]{6,}', id: true },
  { form: /\b[0-9a-f]{64}\b/, real: '[0-9a-fA-F]{64}' },
  { form: /(?<![0-9a-z])(?=[0-9a-f]*[a-f])(?=[0-9a-f]*\d)[0-9a-f]{12}(?![0-9a-z])/, real: '[0-9a-f]{12}', id: true },
  { form: /\b\d{14}\b/, real: '\\d{14}' },
  { form: /\b\d{4}-\d\d-\d\dT\d\d:\d\d(?::[\d.]+Z)?/, real: '\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d(?::[\\d.]+Z)?' },
  { form: /\b127\.0\.0\.1:\d+/, real: '127\\.0\\.0\\.1:\\d+' },
  { form: /\b\d+(?:\.\d+)? ?(?:ms|s|m|h)\b/, real: '\\d+(?:\\.\\d+)? ?(?:ms|s|m|h)(?:\\d+s)?' },
  // Key tags (RFC 4034 5.1.1).
  { form: /\b\d{5}\b/, real: '\\d{1,5}' },
  { form: /…/, real: '.*?' },
];
const ANY = new RegExp(VOLATILE.map(({ form }) => form.source).join('|'), 'g');

/**
 * The difference, in words; undefined when the output is as shown. Real ids are added to `ids`.
 * @param inside whether there may be other lines before and after
 */
export function complaint(shown: readonly string[], output: string, ids: Ids, inside = false): string | undefined {
  if (shown.length === 0) return undefined;
  if (shown.every((line) => line.trim() === '…') && output.trim() === '') return 'the page shows output, and none came';
  const names: string[] = [];
  const body = shown.map((line) => (line.trim() === '…' ? '(?:.*\\n)*?' : `${buildPattern(line, names)}[ \\t]*\\n`));
  const whole = `(?:^|\\n)${body.join('')}`;
  const pattern = inside ? new RegExp(whole) : new RegExp(`^\\s*${body.join('')}\\s*$`);
  const found = pattern.exec(withoutBlankLines(output));
  if (found === null) return `the page shows\n${shown.join('\n')}\nand the output was\n${output}`;
  for (const [index, name] of names.entries()) {
    const real = found[index + 1] as string;
    ids.set(name, real);
    if (name.length === 36) ids.set(name.slice(0, 8), real.slice(0, 8));
  }
  return undefined;
}

function buildPattern(line: string, names: string[]): string {
  const parts: string[] = [];
  let from = 0;
  for (const match of line.matchAll(ANY)) {
    parts.push(literal(line.slice(from, match.index)));
    const kind = VOLATILE.find(({ form }) =>
      new RegExp(`^(?:${form.source.replace(/\(\?<![^)]*\)/, '')})$`).test(match[0]),
    );
    if (kind?.id) {
      names.push(match[0]);
      parts.push(`(${kind.real})`);
    } else parts.push(kind?.real ?? literal(match[0]));
    from = match.index + match[0].length;
  }
  return [...parts, literal(line.slice(from))].join('');
}

/** Columns are as wide as their content. */
const literal = (text: string) => RegExp.escape(text).replaceAll(/(?:\\x20|\\t|\s)+/g, '\\s+');

/** A page shows no blank lines. */
function withoutBlankLines(output: string): string {
  const lines = output.replaceAll('\r', '').split('\n');
  return `${lines.filter((line) => line.trim() !== '').join('\n')}\n`;
}

/** A command with the ids that really came in place of those of the page. */
export function withIds(command: string, ids: Ids): string {
  let text = command;
  for (const [shown, real] of [...ids].sort(([a], [b]) => b.length - a.length)) text = text.replaceAll(shown, real);
  return text;
}

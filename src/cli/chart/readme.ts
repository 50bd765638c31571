// The part of the chart's README that is made of its values. Lists, not tables: a default may be long. Pure.
import { POD_VALUES } from './common-values.ts';
import type { Value } from './value-comments.ts';

const BEGIN = '<!-- values: made by `npm run chart` -->';
const END = '<!-- /values -->';
const COMPONENTS = '`api`, `operator`, `solver`, `nameserver`, `bootstrap`, `database.builtin`, `uninstall`, `test`';

/** The README with its values as they are now. @throws when it has no place for them */
export function withValues(readme: string, values: readonly Value[]): string {
  const [head, rest] = readme.split(BEGIN);
  const tail = rest?.split(END)[1];
  if (head === undefined || tail === undefined) throw new Error(`the README needs ${BEGIN} and ${END}`);
  return `${head}${BEGIN}\n\n${valueList(values)}\n${podList()}\n${END}${tail}`;
}

function valueList(values: readonly Value[]): string {
  return values
    .map((value, index) => {
      const isTop = !value.path.includes('.');
      const before = isTop && values[index - 1]?.path.includes('.') ? '\n' : '';
      return before + line(value);
    })
    .filter((text) => text !== '')
    .join('');
}

function line({ path, default: given, description }: Value): string {
  if (given === undefined) return description === '' ? '' : `- \`${path}\`: ${description}\n`;
  const shown = ` \`${given === '""' ? '""' : given}\``;
  return `- \`${path}\`${shown}${description === '' ? '' : `: ${description}`}\n`;
}

function podList(): string {
  const lines = Object.entries(POD_VALUES).map(
    ([key, [, words]]) => `- \`${key}\`${words === '' ? '' : `: ${words}`}\n`,
  );
  return `Each of ${COMPONENTS} takes also:\n\n${lines.join('')}`;
}

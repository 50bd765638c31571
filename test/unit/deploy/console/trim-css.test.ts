// The style sheet of pico without the rules that no page can match: the rule for selectors, and the list of unused
// parts against the templates.
import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { PICO_FILE, trimmedPico, UNUSED, wholePico } from '../../../../deploy/console/pico.ts';
import { trimCss } from '../../../../deploy/console/trim-css.ts';

const CONSOLE = new URL('../../../../src/console', import.meta.url).pathname;
const pico = wholePico();

test.each<[string, string, string[], string]>([
  ['a rule of an unused element goes', 'dialog{a:b}p{c:d}', ['dialog'], 'p{c:d}'],
  ['the other selectors of a rule stay', 'p,dialog>p,a{a:b}', ['dialog'], 'p,a{a:b}'],
  ['a longer name is another element', 'subject,a.sub,#sub,x-sub{a:b}', ['sub'], 'subject,a.sub,#sub,x-sub{a:b}'],
  ['a longer class is another class', '.grid-a{a:b}.grid{c:d}', ['.grid'], '.grid-a{a:b}'],
  [
    'an exception does not require its part',
    'p:not([x=y],dialog) a{a:b}',
    ['[x=y]', 'dialog'],
    'p:not([x=y],dialog) a{a:b}',
  ],
  ['one of several does not require its part', ':is(p,dialog){a:b}', ['dialog'], ':is(p,dialog){a:b}'],
  ['a part behind an exception is required', 'p:not(a:not(b))[x=y]{a:b}', ['[x=y]'], ''],
  ['rules inside of conditions are judged too', '@media (a:b){p{a:b}dialog{c:d}}', ['dialog'], '@media (a:b){p{a:b}}'],
  ['a condition without rules goes', '@supports selector(:has(*)){dialog{c:d}}', ['dialog'], ''],
  [
    'other at-rules stay',
    '@charset "a;{b";@keyframes dialog{to{a:b}}',
    ['dialog'],
    '@charset "a;{b";@keyframes dialog{to{a:b}}',
  ],
  ['braces in a text are text', 'p{a:"}"}dialog{a:url("{")}', ['dialog'], 'p{a:"}"}'],
])('%s', (_, css, unused, expected) => {
  expect(trimCss(css, unused)).toBe(expected);
});

test('without unused parts, the style sheet stays as it is', () => {
  expect(trimCss(pico, [])).toBe(pico);
});

test('the console has the style sheet that its program writes', () => {
  expect(readFileSync(PICO_FILE, 'utf8')).toBe(trimmedPico());
});

test('no page has an unused part of the style sheet, and each of them saves something', () => {
  const files = globSync('**/*.{eta,ts,js}', { cwd: CONSOLE });
  const texts = files.map((name) => [name, readFileSync(`${CONSOLE}/${name}`, 'utf8')] as const);
  for (const part of UNUSED) {
    expect(trimCss(pico, [part]).length, part).toBeLessThan(pico.length);
    if (part === ':host') continue;
    const sign = signOf(part);
    const using = texts.flatMap(([name, text]) => (sign.test(text) ? [name] : []));
    expect(using, part).toEqual([]);
  }
});

/** Matches a template that has the part of a selector. */
function signOf(part: string): RegExp {
  const [, attribute, value] = /^\[([a-z-]+)(?:=(.*))?\]$/.exec(part) ?? [];
  if (attribute === 'type') return new RegExp(`type(?:="|: ')${value}["']`);
  if (attribute !== undefined) return new RegExp(`${attribute}${value === undefined ? '' : `="${value}`}`);
  return part.startsWith('.') ? new RegExp(`class="[^"]*\\b${part.slice(1)}\\b(?!-)`) : new RegExp(`<${part}[ >]`);
}

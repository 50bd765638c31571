// The formats of the output: tables for terminals of any width, JSON and YAML with the same content.
import { styleText } from 'node:util';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { show } from '#cli/output.ts';
import { printLine } from '#cli/program.ts';
import { tableLines } from '#cli/table.ts';
import { terminalText } from '#cli/terminal.ts';
import { effort } from '../../support/runner/seed.ts';

const HEADING = ['NAME', 'TYPE', 'ID', 'CONTENT'];
const ROWS = [
  ['www', 'A', 'rec_1', '192.0.2.1'],
  ['_acme-challenge', 'TXT', 'rec_22', 'a text of several words, and aVeryLongWordThatNoLineOfThisTerminalHolds'],
];
const lines = (width: number | null, rows = ROWS) => tableLines(HEADING, rows, { width, heading: (text) => text });

test('a table has one line for each row if it is not on a terminal', () => {
  expect(lines(null)).toEqual([
    'NAME             TYPE  ID      CONTENT',
    'www              A     rec_1   192.0.2.1',
    `_acme-challenge  TXT   rec_22  ${ROWS[1]?.[3]}`,
  ]);
});

test('a table continues the last column below its own heading on a terminal of 60 columns', () => {
  const start = lines(60)[0]?.indexOf('CONTENT') ?? 0;
  const [, , first = '', ...more] = lines(60);
  expect(first.slice(start)).toBe('a text of several words, and');
  expect(more.map((line) => [line.slice(0, start).trim(), line.length <= 60])).toEqual(more.map(() => ['', true]));
  expect(
    [first, ...more]
      .map((line) => line.slice(start))
      .join('')
      .replaceAll(' ', ''),
  ).toBe(ROWS[1]?.[3]?.replaceAll(' ', ''));
});

test('a table has a block for each row if the other columns leave no room for the last one', () => {
  expect(lines(40).slice(0, 6)).toEqual([
    'NAME     www',
    'TYPE     A',
    'ID       rec_1',
    'CONTENT  192.0.2.1',
    '',
    'NAME     _acme-challenge',
  ]);
});

test('a table passes no control character to the terminal', () => {
  expect(lines(null, [['a', 'TXT', 'rec', 'x\u001b[31m\ny']])[1]).toBe('a     TXT   rec  x [31m y');
});

test('a table loses no character and is never wider than the terminal, at any width from 30', () => {
  const text = fc.stringMatching(/^[a-z0-9 ]{0,60}$/);
  const rows = fc.array(fc.tuple(text, text, text, text), { maxLength: 4 });
  fc.assert(
    fc.property(rows, fc.integer({ min: 30, max: 120 }), (some, width) => {
      const shown = lines(width, some);
      const inside = (all: readonly string[]) => [...all.join('').replaceAll(' ', '')].sort().join('');
      const titles = shown[0]?.includes('TYPE') || some.length === 0 ? [HEADING] : some.map(() => HEADING);
      expect(inside(shown)).toBe(inside([...titles.flat(), ...some.flat()]));
      expect(shown.filter((line) => line.trimEnd().length > width)).toEqual([]);
    }),
    { numRuns: effort(100, 30) },
  );
});

const HOSTILE = 'a\u001b]52;c;eA==\u0007b\u009b2Jc\rd\u001b[8me\u007f';
const written = (isTTY: boolean, line: string) => {
  const out: string[] = [];
  printLine(line, { isTTY, write: (text: string | Uint8Array) => out.push(String(text)) > 0 });
  return out.join('');
};

test('a line has no control characters of others at a terminal', () => {
  expect(written(true, HOSTILE)).toBe('a ]52;c;eA== b 2Jc d [8me \n');
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 40 }), (text) => {
      expect(terminalText(text)).not.toMatch(/(?![\t\n])[\p{C}\p{Zl}\p{Zp}]/u);
    }),
  );
});

test('a line has no characters at a terminal that turn or hide text', () => {
  expect(written(true, 'a\u202eb\u2066c\u200fd\u2028e\u{e0041}f')).toBe('a b c d e f\n');
  expect(lines(null, [['a', 'TXT', 'rec', 'x\u202e\u2028y']])[1]).toBe('a     TXT   rec  x y');
});

test('a line keeps styles, tabs and line feeds at a terminal', () => {
  for (const style of ['bold', 'red', 'green'] as const) {
    const line = styleText(style, 'a\tb\nc', { validateStream: false });
    expect(line).toContain('\u001b[');
    expect(written(true, line)).toBe(`${line}\n`);
  }
});

test('a line is exact in a file or a pipe', () => expect(written(false, HOSTILE)).toBe(`${HOSTILE}\n`));

const VALUE = { records: [{ name: 'on', ttl: 60, at: new Date(0), priority: null, comment: undefined }] };
const printed = async (format: 'table' | 'json' | 'yaml') => {
  const out: string[] = [];
  await show({ format, print: (line) => out.push(line) }, VALUE, () => out.push('a table'));
  return out.join('\n');
};

test('a result is the same as JSON and as YAML', async () => {
  const json = JSON.parse(await printed('json'));
  expect(json).toEqual({ records: [{ name: 'on', ttl: 60, at: '1970-01-01T00:00:00.000Z', priority: null }] });
  expect(parse(await printed('yaml'), { version: '1.1' })).toEqual(json);
});

test('a result is a table for people', async () => {
  expect(await printed('table')).toBe('a table');
});

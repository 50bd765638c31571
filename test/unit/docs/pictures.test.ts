// The pictures of README that are drawn: each says what the project says elsewhere, and is readable by everyone.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { BADGES } from '../../../docs/generate/badges.ts';
import { SESSION_FILE, sessionPicture } from '../../../docs/generate/session.ts';
import { drawTerminal } from '../../../docs/generate/terminal.ts';
import { PROJECT } from '../../support/docs/document.ts';

const readme = await readFile(join(PROJECT, 'README.md'), 'utf8');
const linesOf = (svg: string) =>
  [...svg.matchAll(/<text [^>]*>(.*)<\/text>/g)].map(([, text = '']) =>
    text.replaceAll(/<[^>]*>/g, '').replaceAll('\u00a0', ' '),
  );

test.each(Object.entries(BADGES))(
  'README shows the badge %s with its words for readers without pictures',
  async (path, read) => {
    const { label, text } = await read();
    expect(readme).toContain(`![${label}: ${text}](${path})`);
  },
);

test('the pictures of README are files of the repository, so that no other server has to answer', () => {
  const pictures = [...readme.matchAll(/!\[[^\]]*\]\(([^)]*)\)/g)].map(([, address = '']) => address);
  expect(pictures).toContain(SESSION_FILE);
  expect(pictures.filter((address) => !address.startsWith('docs/images/'))).toEqual([]);
});

test('the picture of a terminal has colours for light and for dark, a title, and loads nothing', async () => {
  const svg = await sessionPicture();
  expect(svg).toMatch(/<title>\S.*<\/title>/);
  expect(svg).toContain('@media(prefers-color-scheme:dark)');
  expect(svg.replace('http://www.w3.org/2000/svg', '')).not.toMatch(/https?:|url\(|href|<script|<image/);
});

test('the picture of a terminal shows commands with prompts, and escapes text that would be markup', () => {
  const svg = drawTerminal('A title', [{ caption: 'Why & how', command: 'echo "<a>" & b', output: ['<a> & b'] }]);
  expect(linesOf(svg)).toEqual(['# Why &amp; how', '$ echo "&lt;a&gt;" &amp; b', '&lt;a&gt; &amp; b']);
});

test('the picture of a terminal breaks long lines between words, keeps their indent, and has columns in place of tabs', () => {
  const words = Array.from({ length: 40 }, (_, at) => `word${at}`).join(' ');
  const svg = drawTerminal('A title', [
    { caption: 'c', command: 'x', output: [`  ${words}`, 'a\tb', 'x'.repeat(200)] },
  ]);
  const [, , ...output] = linesOf(svg);
  expect(output.filter((line) => line.length > 96)).toEqual([]);
  expect(output[0]).toMatch(/^ {2}word0 .*\d$/);
  expect(output[1]).toMatch(/^ {4}word/);
  expect(
    output
      .slice(0, 3)
      .map((line) => line.trim())
      .join(' '),
  ).toBe(words);
  expect(output).toContain('a       b');
  expect(
    output
      .slice(-3)
      .map((line) => line.trim())
      .join(''),
  ).toBe('x'.repeat(200));
});

// Which parts of a file are prose: each extractor at a file that has a bad sentence in prose and the same words in
// code.
import { expect, test } from 'vitest';
import { findExtractor } from '../../prose/files.ts';
import { RULES } from '../../prose/rules.ts';
import { check } from '../../prose/sentences.ts';

/** Line and rule of every violation in a file of this name. */
function found(path: string, lines: readonly string[]): string[] {
  const source = lines.join('\n');
  return check(source, findExtractor(path)?.(source) ?? [], RULES).map(({ line, rule }) => `${line} ${rule.name}`);
}

test('the prose of a TypeScript file is in comments, over the ends of their lines', () => {
  expect(found('a.ts', ['// The zone is deleted for', '// good, and made anew.', 'const anew = 1;'])).toEqual([
    '1 for-good',
    '2 anew',
  ]);
});

test('the prose of a TypeScript file is in documentation, where a tag begins a sentence', () => {
  const lines = ['/**', ' * Writes the zone.', ' * @param zone what is written', ' * @throws of the driver', ' */'];
  expect(found('a.ts', lines)).toEqual(['3 headless-start', '4 of-start']);
});

test('the prose of a TypeScript file is in messages of three words or more, joined strings and templates included', () => {
  const lines = [
    "refuse('The record stands here already');",
    "refuse('The record is deleted for ' +",
    "  'good: create another one');",
    'refuse(`The zone ' + '$' + '{zone.anew} is made anew`);',
    "const state = 'anew';",
  ];
  expect(found('a.ts', lines)).toEqual(['1 stands', '2 for-good', '4 anew']);
});

test('the prose of a TypeScript file is in titles of tests, however short, and of tables of tests', () => {
  const lines = ["it('of zones', () => {});", "describe.each([['of zones']])('who writes', () => {});"];
  expect(found('a.test.ts', lines)).toEqual(['1 of-start', '2 headless-start']);
});

test('the prose of a TypeScript file is neither in code nor in quoted code, regular expressions, SQL and parts of messages', () => {
  const lines = [
    '// The function `anew` and https://example.org/anew are not prose.',
    'const pattern = /it is made anew/;',
    'const query = sql`select what from anew where seldom`;',
    "const part = name + ' of the zone';",
  ];
  expect(found('a.ts', lines)).toEqual([]);
});

test('the prose of other files is in paragraphs, lists, headings and tables of Markdown, not in its code', () => {
  const lines = [
    '# What it is',
    '',
    'The zone is made anew; see [the page](anew.md).',
    '- Of each zone',
    '',
    '| key | meaning |',
    '|---|---|',
    '| a | who writes |',
    '',
    '```',
    'the zone is made anew',
    '```',
    '`anew`',
  ];
  expect(found('a.md', lines)).toEqual(['1 headless-start', '3 anew', '4 of-start', '8 headless-start']);
});

test('the prose of other files is in the text, the attributes and the messages of a page', () => {
  const lines = [
    '<% if (it.anew) { %><p>The zone is <b>made</b> anew.</p><% } %>',
    "<%~ include('/field', { hint: 'The zone is made anew.' }) %>",
    '<input title="The zone stands here" name="anew">',
  ];
  expect(found('a.eta', lines)).toEqual(['1 anew', '2 anew', '3 stands']);
});

test('the prose of other files is in comments, descriptions and template messages of YAML', () => {
  const lines = [
    '# -- Of each pod',
    'anew: 1',
    'description: The zone is made anew.',
    'summary: >-',
    '  The zone is',
    '  made anew.',
    '{{- /* The zone is made anew. */}}',
    '{{ fail "The zone is made anew." }}',
  ];
  expect(found('a.yaml', lines)).toEqual(['1 of-start', '3 anew', '6 anew', '7 anew', '8 anew']);
});

test('the prose of other files is not looked for in generated files', () => {
  expect(findExtractor('crds/zonestead.dev_dnszones.yaml')).toBeUndefined();
  expect(findExtractor('charts/zonestead/values.schema.json')).toBeUndefined();
});

// Comments and tests cite the rules of docs/design/ by number ("contract X4", "architecture A7") and files by path:
// each must exist.
import { globSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { PROJECT } from '../../support/docs/document.ts';

const PAGES = { contract: 'docs/design/contract.md', architecture: 'docs/design/architecture.md' } as const;
type Page = keyof typeof PAGES;

const FILES = globSync('{src,test,deploy,charts,docs}/**/*.{ts,md,sh,go,yaml,tpl,eta}', { cwd: PROJECT });
/** They hold wrong citations on purpose. */
const EXAMPLES = ['test/unit/docs/citations.test.ts', 'test/mutate/faults/docs.ts'];
const texts = new Map(
  await Promise.all(FILES.map(async (file) => [file, await readFile(join(PROJECT, file), 'utf8')] as const)),
);

/** The numbers of a page, in their order: each rule begins with its number in bold. */
function rulesOf(page: Page): string[] {
  return [...(texts.get(PAGES[page]) ?? '').matchAll(/^- \*\*([A-Z]\d+)\b/gm)].map(([, rule = '']) => rule);
}

const RULES: Readonly<Record<Page, ReadonlySet<string>>> = {
  contract: new Set(rulesOf('contract')),
  architecture: new Set(rulesOf('architecture')),
};

/** A page and the numbers after it, which a comment may wrap: "contract X1, X2 and X4 to X6". */
const CITATION = /\b(contract|architecture) ([A-Z]\d+\b(?:(?:,| and| to|,? or)[\s*/]+[A-Z]\d+\b)*)/gi;
/** Folders in which a number alone is one of the rules about records together. */
const BARE_FOLDERS = /^(src\/dns\/rules|test\/integration\/api|test\/support\/model|test\/unit\/dns)\//;

/** The cited rules of a text that do not exist. */
function missingRules(file: string, text: string): string[] {
  const cited = [...text.matchAll(CITATION)].flatMap(([, page = '', numbers = '']) =>
    (numbers.match(/[A-Z]\d+/g) ?? []).filter((rule) => !RULES[page.toLowerCase() as Page].has(rule)),
  );
  const bare = BARE_FOLDERS.test(file) ? (text.match(/(?<=(?:\/\*\*|\/\/|,|\() ?)X\d{1,2}\b/g) ?? []) : [];
  return [...cited, ...bare.filter((rule) => !RULES.contract.has(rule))].map((rule) => `${file}: ${rule}`);
}

test.each(['contract', 'architecture'] as const)('the rules of the %s are numbered in order, without gaps', (page) => {
  const last = new Map<string, number>();
  const wrong = rulesOf(page).filter((rule) => {
    const [letter = '', number] = [rule[0], Number(rule.slice(1))];
    const isNext = number === (last.get(letter) ?? 0) + 1;
    last.set(letter, number);
    return !isNext;
  });
  expect(wrong).toEqual([]);
  expect(RULES[page].size).toBeGreaterThan(30);
});

test('a design page refers to numbers of its own that exist', () => {
  const letters = new RegExp(
    `\\b[${[...new Set([...RULES.contract].map(([letter]) => letter))].join('')}]\\d{1,2}\\b`,
    'g',
  );
  const own = (texts.get(PAGES.contract) ?? '').match(letters) ?? [];
  expect(own.filter((rule) => !RULES.contract.has(rule))).toEqual([]);
  const decisions = (texts.get(PAGES.architecture) ?? '').match(/\bA\d+\b/g) ?? [];
  expect(decisions.filter((rule) => !RULES.architecture.has(rule))).toEqual([]);
});

test('a citation names a rule that exists', () => {
  const cited = [...texts].filter(([file]) => !EXAMPLES.includes(file));
  expect(cited.flatMap(([, text]) => [...text.matchAll(CITATION)]).length).toBeGreaterThan(40);
  expect(cited.flatMap(([file, text]) => missingRules(file, text))).toEqual([]);
});

test('a citation of a rule that does not exist is noticed, also where a comment wraps', () => {
  expect(missingRules('a.ts', '// Contract X1,\n// X99 and X2')).toEqual(['a.ts: X99']);
  expect(missingRules('a.ts', ' * (architecture A1 to\n * A99)')).toEqual(['a.ts: A99']);
  expect(missingRules('src/dns/rules/a.ts', '/** X98: */ a, // X97')).toEqual([
    'src/dns/rules/a.ts: X98',
    'src/dns/rules/a.ts: X97',
  ]);
});

/** Lines of comments. */
const COMMENT_LINES = /^\s*(?:\/\/|\/\*\*|\*)(.*)$|\s\/\/ (.*)$/gm;
/** A path that ends in a file of TypeScript, or its name alone. */
const NAMED_FILE = /(?<![\w@/.*<-])#?((?:[\w-]+\/)*[\w.-]*\w\.ts)\b/g;

test('a comment names files that exist', () => {
  const names = FILES.filter((file) => file.endsWith('.ts'));
  const missing = [...texts].flatMap(([file, text]) => {
    if (!file.endsWith('.ts') || EXAMPLES.includes(file)) return [];
    const comments = [...text.matchAll(COMMENT_LINES)].map(([, line, end]) => line ?? end ?? '');
    const named = comments.flatMap((line) => [...line.matchAll(NAMED_FILE)].map(([, name = '']) => name));
    return named
      .filter((name) => !names.some((each) => each === name || each.endsWith(`/${name}`)))
      .map((name) => `${file}: ${name}`);
  });
  expect(missing).toEqual([]);
});

test('a doc comment is followed by code, not by another doc comment', () => {
  const orphans = [...texts].flatMap(([file, text]) =>
    file.endsWith('.ts') && !EXAMPLES.includes(file)
      ? [...text.matchAll(/\*\/\n[ \t]*\/\*\*/g)].map(
          ({ index }) => `${file}:${text.slice(0, index).split('\n').length}`,
        )
      : [],
  );
  expect(orphans).toEqual([]);
});

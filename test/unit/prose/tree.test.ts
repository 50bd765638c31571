// The tree itself: every page, comment, message and test name is plain English.
import { expect, test } from 'vitest';
import { findAll, print } from '../../prose/tree.ts';

test('the check prints the place of a violation, the rule with its advice, and the sentence', () => {
  const rule = { name: 'anew', pattern: /anew/, advice: 'again' };
  const findings = new Map([['src/dns/name.ts', [{ line: 3, sentence: 'It starts anew.', rule }]]]);
  expect(print(findings)).toBe('src/dns/name.ts:3: anew: again\n    It starts anew.');
});

// It reads 1,000 files in 2 s, but takes far longer when other processes keep both cores busy.
test('the check finds no violation in this tree', { timeout: 300_000 }, async () => {
  expect(print(await findAll())).toBe('');
});

// How violations are printed. That the tree has none is one of the checks beside the tests
// (test/support/runner/checks.ts).
import { expect, test } from 'vitest';
import { print } from '../../prose/tree.ts';

test('the check prints the place of a violation, the rule with its advice, and the sentence', () => {
  const rule = { name: 'anew', pattern: /anew/, advice: 'again' };
  const findings = new Map([['src/dns/name.ts', [{ line: 3, sentence: 'It starts anew.', rule }]]]);
  expect(print(findings)).toBe('src/dns/name.ts:3: anew: again\n    It starts anew.');
});

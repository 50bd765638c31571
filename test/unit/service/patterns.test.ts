// Patterns of owner names: matching, the same pattern in SQL, and the time of matching.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { matchesPattern } from '#dns/names/pattern.ts';
import { likePattern } from '#service/keys/patterns.ts';

test.each([
  ['_acme-challenge', '_acme-challenge', true],
  ['_acme-challenge', '_acme-challenge.www', false],
  ['_acme-challenge.*', '_acme-challenge.www', true],
  ['_acme-challenge.*', '_acme-challenge.a.b', true],
  ['_acme-challenge.*', '_acme-challenge', false],
  ['*', '@', true],
  ['*', 'a.b', true],
  ['@', '@', true],
  ['@', 'a', false],
  ['*.dev', 'x.dev', true],
  ['*.dev', '*.dev', true],
  ['*.dev', 'dev', false],
  ['a*a', 'a', false],
  ['a*a', 'aa', true],
  ['a*b*c', 'abc', true],
  ['a*b*c', 'axxbyyc', true],
  ['a*b*c', 'acb', false],
  ['*ab*ab', 'ab', false],
  ['*ab*ab', 'abab', true],
  ['a.c', 'abc', false],
  ['a**', 'a', true],
])('the pattern %s matches the name %s: %s', (pattern, name, expected) => {
  expect(matchesPattern(pattern, name)).toBe(expected);
});

const text = fc.string({ unit: fc.constantFrom('a', 'b', '.', '_', '*'), maxLength: 12 });

test('matching gives the same result as the equivalent regular expression', () => {
  fc.assert(
    fc.property(text, text, (pattern, name) => {
      const source = pattern.replaceAll('.', '\\.').replaceAll('*', '.*');
      expect(matchesPattern(pattern, name)).toBe(new RegExp(`^${source}$`).test(name));
    }),
  );
});

test('a pattern that would be slow as a regular expression is matched quickly', () => {
  const started = performance.now();
  expect(matchesPattern(`${'*a'.repeat(126)}b`, 'a'.repeat(253))).toBe(false);
  // With backtracking, the search would never end in practice, so the bound can be generous for a busy machine.
  expect(performance.now() - started).toBeLessThan(30_000);
});

test('in SQL, only the star is a wildcard', () => {
  expect(likePattern('_acme-challenge.*')).toBe('\\_acme-challenge.%');
  expect(likePattern('a%b\\c')).toBe('a\\%b\\\\c');
});

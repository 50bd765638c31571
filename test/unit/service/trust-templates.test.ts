// The templates of a trust: no value of a claim widens a pattern, and two values never match the same name.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { matchesPattern } from '#dns/names/pattern.ts';
import { listLeaves } from '#service/trusts/match.ts';
import { judgeSharedNames } from '#service/trusts/shared-names.ts';
import { fillTemplate, judgeTemplate } from '#service/trusts/template.ts';
import { effort } from '../../support/runner/seed.ts';

const match = { 'kubernetes.io': { namespace: '*' } };
const leaves = listLeaves(match);
const HOLE = `\${namespace}`;
const fill = (pattern: string, namespace: string) => fillTemplate(pattern, leaves, { 'kubernetes.io': { namespace } });
const part = fc.string({ unit: fc.constantFrom('a', 'b', '-', '.', '*'), maxLength: 5 });
const text = fc.oneof(fc.string(), fc.string({ unit: fc.constantFrom('a', '-', '.', '*', '_', '@'), maxLength: 4 }));
const label = fc.string({ unit: fc.constantFrom('a', 'b', '-'), minLength: 1, maxLength: 2 });

test('a value that is not one label is refused, so a pattern keeps its dots and its stars', () => {
  const count = (text: string, letter: string) => text.split(letter).length;
  fc.assert(
    fc.property(part, part, text, (before, after, value) => {
      const judged = judgeTemplate(`${before}${HOLE}${after}`, leaves, 'onlyNames.0');
      if (!judged.ok) return;
      const filled = fill(judged.value, value);
      if (!filled.ok) return;
      expect(filled.pattern).toBe(`${before}${value}${after}`);
      expect(value).toMatch(/^[a-z0-9-]{1,63}$/);
      for (const letter of ['*', '.', '@', '_']) expect(count(value, letter)).toBe(1);
    }),
    { numRuns: effort(5_000, 1_000) },
  );
});

test('the patterns of two namespaces have no name in common', () => {
  fc.assert(
    fc.property(part, part, label, label, part, (before, after, one, other, any) => {
      const judged = judgeTemplate(`${before}${HOLE}${after}`, leaves, 'onlyNames.0');
      if (!judged.ok || one === other) return;
      const [first, second] = [fill(judged.value, one), fill(judged.value, other)];
      if (!first.ok || !second.ok) return;
      // A name that tries to match both: the other value is in it.
      let stars = 0;
      const name = first.pattern.replaceAll('*', () => (stars++ === 0 ? any.replaceAll('*', '') : `${other}.x`));
      expect(matchesPattern(first.pattern, name)).toBe(true);
      expect(matchesPattern(second.pattern, name), `${name} of ${first.pattern}`).toBe(false);
    }),
    { numRuns: effort(20_000, 4_000) },
  );
});

const TWO = listLeaves({ a: '*', b: '*' });
const [A, B, LABELS] = [`\${a}`, `\${b}`, `\${a|labels}`];

test.each([
  ['two templates without a border', [`${A}-${B}`]],
  ['two templates side by side', [`${A}${B}`]],
  ['two templates of several labels', [`${LABELS}.\${b|labels}`]],
  ['a star and a template of several labels', [`*.${LABELS}`]],
  ['a template with and without a text before it', [A, `api-${A}`]],
  ['templates in two labels below a star', [`*.${A}`, `*.${A}.internal`]],
  ['templates at both ends', [`${A}.x`, `*.${A}`]],
  ['two claims in both orders', [`${A}.${B}`, `${B}.${A}`]],
  ['the challenges of the names of another value', [`x.${A}`, `_acme-challenge.\${b|labels}`]],
  ['another proof of the names of another value', [A, `_dnsauth.${B}`]],
  ['two kinds of proofs', [`_acme-challenge.${A}`, `_dnsauth.${B}`]],
  ['the label of an ACME account', [`${A}.x`, `_1._acme-challenge.${B}.x`]],
  ['a star before the label of a proof', [A, `*_acme-challenge.${B}`]],
  ['a star behind the label of a proof', [`x.${A}`, `_dnsauth*.${B}`]],
])('patterns with %s are refused, because the holders of two values could have one name', (_title, patterns) => {
  expect(judgeSharedNames(patterns)).toMatchObject({ ok: false, problem: { field: 'onlyNames' } });
});

test.each([
  ['a name and all names below it', [A, `*.${A}`, `_acme-challenge.${A}`]],
  ['two templates with a dot or "_" between them', [`${A}.${B}`, `${A}_${B}`]],
  ['a template of several labels', [`${LABELS}.${B}`, `x_${LABELS}.${B}.x`]],
  ['the same template below several labels', [`*.${A}.x`, `${A}.x`, `*.${A}.y`]],
  ['a name for all holders', [`*.${A}`, 'www', 'api-*']],
  ['proofs of the names of the holder', [A, `_dnsauth.${A}`, `_1._acme-challenge.${A}`]],
  ['a service with two labels', [`_http._tcp.${A}`, `_tcp.${B}`]],
  ['64 services', Array.from({ length: 64 }, (_, at) => `*.service-${at}.${A}`)],
])('patterns with %s are accepted', (_title, patterns) => {
  expect(judgeSharedNames(patterns)).toMatchObject({ ok: true });
});

test.each([`_${A}.dev`, `_acme-${A}.dev`, `_${A}`, `*._${A}.dev`, `_${A}.${B}`, `x._${LABELS}`])(
  'a holder cannot choose the label of a proof: %s',
  (pattern) => {
    expect(judgeTemplate(pattern, TWO, 'onlyNames.0')).toMatchObject({ ok: false });
    expect(fillTemplate(pattern, TWO, { a: 'acme-challenge', b: 'x' })).toMatchObject({ ok: false });
  },
);

test('a value may be in front of another label with "_", which no certificate has', () => {
  expect(judgeTemplate(`_${A}._tcp.dev`, TWO, 'onlyNames.0')).toMatchObject({ ok: true });
  expect(fillTemplate(`_${A}._tcp.dev`, TWO, { a: 'http' })).toEqual({ ok: true, pattern: '_http._tcp.dev' });
});

test('patterns that would need long to compare are refused', () => {
  const patterns = Array.from({ length: 64 }, (_, at) => `${'*a'.repeat(100)}${at}.${A}`);
  expect(judgeSharedNames(patterns)).toMatchObject({ ok: false });
});

test('accepted patterns give no name to the holders of two values', () => {
  const pattern = fc.array(fc.constantFrom('x', '-', '.', '_', '*', A, B, LABELS), { minLength: 1, maxLength: 5 });
  const value = fc.constantFrom('x', 'x-x', 'x-x-x', 'xx');
  const holder = fc.record({ a: fc.oneof(value, fc.constantFrom('x.x', 'x.x.x')), b: value });
  const any = fc.string({ unit: fc.constantFrom('x', '-', '.', '_'), maxLength: 4 });
  let compared = 0;
  fc.assert(
    fc.property(pattern, pattern, holder, holder, any, (first, second, one, other, rest) => {
      const judged = [first, second].map((parts) => judgeTemplate(parts.join(''), TWO, 'onlyNames.0'));
      const patterns = judged.flatMap((each) => (each.ok ? [each.value] : []));
      if (patterns.length < 2 || !judgeSharedNames(patterns).ok) return;
      const [mine, theirs] = [fillTemplate(patterns[0] ?? '', TWO, one), fillTemplate(patterns[1] ?? '', TWO, other)];
      const claims = ['a', 'b'].filter((claim) => patterns.every((each) => each.includes(`{${claim}`)));
      if (!mine.ok || !theirs.ok || !claims.some((claim) => one[claim as 'a'] !== other[claim as 'a'])) return;
      compared += 1;
      const name = mine.pattern.replaceAll('*', rest);
      expect(matchesPattern(theirs.pattern, name), `${name}: ${patterns.join(' and ')}`).toBe(false);
    }),
    { numRuns: effort(20_000, 4_000) },
  );
  expect(compared).toBeGreaterThan(effort(100, 20));
});

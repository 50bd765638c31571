// The templates of a trust: no value of a claim widens a pattern, and two values never match the same name.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { matchesPattern } from '#service/keys/patterns.ts';
import { leavesOf } from '#service/trusts/match.ts';
import { fillTemplate, judgeTemplate } from '#service/trusts/template.ts';

const match = { 'kubernetes.io': { namespace: '*' } };
const leaves = leavesOf(match);
const HOLE = `\${namespace}`;
const fill = (pattern: string, namespace: string) => fillTemplate(pattern, leaves, { 'kubernetes.io': { namespace } });
const part = fc.string({ unit: fc.constantFrom('a', 'b', '-', '.', '*'), maxLength: 5 });
const text = fc.oneof(fc.string(), fc.string({ unit: fc.constantFrom('a', '-', '.', '*', '_', '@'), maxLength: 4 }));
const label = fc.string({ unit: fc.constantFrom('a', 'b', '-'), minLength: 1, maxLength: 2 });

it('a value that is not one label is refused, so a pattern keeps its dots and its stars', () => {
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
    { numRuns: 5_000 },
  );
});

it('the patterns of two namespaces have no name in common', () => {
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
    { numRuns: 20_000 },
  );
});

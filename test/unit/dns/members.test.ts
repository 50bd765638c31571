// Which records of an RRset are answered: drained clusters, failing addresses and tiers.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Member, parseHealth, pickServed, pickWeights, sameHealth } from '#dns/members.ts';

type Named = Member & { id: string };
const member = (id: string, more: Member = {}): Named => ({ id, ...more });
const ids = (members: readonly Named[]) => pickServed(members).map(({ id }) => id);

test('records that are withdrawn are served only where nothing else is', () => {
  expect(ids([member('here'), member('gone', { withdrawn: true })])).toEqual(['here']);
  expect(ids([member('gone', { withdrawn: true })])).toEqual(['gone']);
  expect(ids([])).toEqual([]);
});

test('records that fail are served only where nothing works, and before those that are withdrawn', () => {
  const [works, fails, away] = [
    member('works'),
    member('fails', { failing: true }),
    member('away', { withdrawn: true }),
  ];
  expect(ids([works, fails, away])).toEqual(['works']);
  expect(ids([fails, away])).toEqual(['fails']);
  expect(ids([member('both', { failing: true, withdrawn: true }), away])).toEqual(['both', 'away']);
});

test('the lowest tier with a record that works is served', () => {
  const [first, second] = [member('first'), member('second', { tier: 1 })];
  const third = member('third', { tier: 2 });
  expect(ids([third, first, second])).toEqual(['first']);
  expect(ids([{ ...first, failing: true }, second, third])).toEqual(['second']);
  expect(ids([{ ...first, failing: true }, { ...second, withdrawn: true }, third])).toEqual(['third']);
  expect(
    ids([
      { ...first, failing: true },
      { ...second, failing: true },
    ]),
  ).toEqual(['first']);
});

test('nothing is served while all records fail only if all of them want that', () => {
  const none = member('none', { failing: true, whenAllFail: 'ServeNone' });
  expect(ids([none, { ...none, id: 'other' }])).toEqual([]);
  expect(ids([none, member('all', { failing: true })])).toEqual(['none', 'all']);
  expect(ids([none, member('works', { tier: 3 })])).toEqual(['works']);
  expect(ids([{ ...none, withdrawn: true }])).toEqual(['none']);
});

const anyMember = fc.record({
  withdrawn: fc.boolean(),
  failing: fc.boolean(),
  tier: fc.integer({ min: 0, max: 3 }),
  whenAllFail: fc.constantFrom('ServeAll' as const, 'ServeNone' as const),
});

test('an RRset is empty only by the wish of its records, and never has two tiers', () => {
  fc.assert(
    fc.property(fc.array(anyMember, { minLength: 1, maxLength: 8 }), (members) => {
      const served = pickServed(members);
      if (served.length === 0) expect(members.some(({ whenAllFail }) => whenAllFail === 'ServeNone')).toBe(true);
      expect(new Set(served.map(({ tier }) => tier)).size).toBeLessThanOrEqual(1);
      const works = members.filter(({ withdrawn, failing }) => !withdrawn && !failing);
      if (works.length === 0) return;
      const lowest = Math.min(...works.map(({ tier }) => tier));
      expect(served).toEqual(works.filter(({ tier }) => tier === lowest));
    }),
  );
});

test('equal values of health are stored alike, and a type without an address is refused', () => {
  expect(parseHealth({}, 'www', 'A')).toEqual({ ok: true, value: undefined });
  expect(parseHealth({ check: null }, 'www', 'TXT')).toEqual({ ok: true, value: null });
  expect(parseHealth({ check: 'web', tier: 0, whenAllFail: 'ServeAll' }, 'www', 'AAAA')).toEqual({
    ok: true,
    value: { check: 'web' },
  });
  expect(parseHealth({ tier: 10 }, 'www', 'A')).toMatchObject({ ok: false, problem: { field: 'tier' } });
  expect(parseHealth({ tier: 1.5 }, 'www', 'A')).toMatchObject({ ok: false, problem: { field: 'tier' } });
  expect(parseHealth({ check: 'web' }, 'www', 'CNAME')).toMatchObject({
    ok: false,
    problem: {
      field: 'check',
      message: 'A CNAME record has no check: only the addresses of A and AAAA records can be checked.',
    },
  });
  expect(sameHealth(null, {})).toBe(true);
  expect(sameHealth({ tier: 1 }, { tier: 2 })).toBe(false);
});

test('a weight is for addresses at a name that is not a wildcard, and is stored with the health', () => {
  const refusalOf = (weight: number, name = 'www', type = 'A') => {
    const verdict = parseHealth({ weight }, name, type);
    return verdict.ok ? verdict.value : verdict.problem.message;
  };
  expect(refusalOf(255)).toEqual({ weight: 255 });
  for (const wrong of [0, 256, 1.5])
    expect(refusalOf(wrong)).toBe(`The weight is ${wrong}; it must be a whole number from 1 to 255.`);
  expect(refusalOf(1, '*.dev')).toBe('The wildcard *.dev has no weight: give a weight to the records of each name.');
  expect(refusalOf(1, 'www', 'CNAME')).toContain('A CNAME record has no weight');
  expect(parseHealth({ weight: null }, 'www', 'A')).toEqual({ ok: true, value: null });
  expect(sameHealth({ weight: 1 }, { weight: 2 })).toBe(false);
});

test('records are drawn if one of 2 to 64 has a weight, and others have 1', () => {
  expect(pickWeights([{ weight: 3 }, {}])).toEqual([3, 1]);
  expect(pickWeights([{}, {}])).toBeNull();
  expect(pickWeights([{ weight: 3 }])).toBeNull();
  expect(pickWeights(Array.from({ length: 64 }, () => ({ weight: 255 })))).toHaveLength(64);
  expect(pickWeights(Array.from({ length: 65 }, () => ({ weight: 255 })))).toBeNull();
});

test('a wish for a PTR record is stored as one form, and other types than addresses cannot have it', () => {
  expect(parseHealth({ reverse: true }, 'www', 'AAAA')).toEqual({ ok: true, value: { reverse: true } });
  expect(parseHealth({ reverse: false }, 'www', 'A')).toEqual({ ok: true, value: null });
  expect(parseHealth({ reverse: true, check: 'web' }, 'www', 'A')).toEqual({
    ok: true,
    value: { check: 'web', reverse: true },
  });
  expect(parseHealth({ reverse: true }, 'www', 'CNAME')).toMatchObject({ ok: false, problem: { field: 'reverse' } });
  expect(sameHealth({ reverse: true }, {})).toBe(false);
  expect(sameHealth({ reverse: true }, { reverse: true })).toBe(true);
});

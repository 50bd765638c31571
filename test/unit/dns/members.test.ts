// Which records of an RRset are answered: drained clusters, failing addresses and tiers.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Member, parseHealth, pickServed, sameHealth } from '#dns/members.ts';

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
  expect(parseHealth({}, 'A')).toEqual({ ok: true, value: undefined });
  expect(parseHealth({ check: null }, 'TXT')).toEqual({ ok: true, value: null });
  expect(parseHealth({ check: 'web', tier: 0, whenAllFail: 'ServeAll' }, 'AAAA')).toEqual({
    ok: true,
    value: { check: 'web' },
  });
  expect(parseHealth({ tier: 10 }, 'A')).toMatchObject({ ok: false, problem: { field: 'tier' } });
  expect(parseHealth({ tier: 1.5 }, 'A')).toMatchObject({ ok: false, problem: { field: 'tier' } });
  expect(parseHealth({ check: 'web' }, 'CNAME')).toMatchObject({
    ok: false,
    problem: {
      field: 'check',
      message: 'A CNAME record has no check: only the addresses of A and AAAA records can be checked.',
    },
  });
  expect(sameHealth(null, {})).toBe(true);
  expect(sameHealth({ tier: 1 }, { tier: 2 })).toBe(false);
});

test('a wish for a PTR record is stored as one form, and other types than addresses cannot have it', () => {
  expect(parseHealth({ reverse: true }, 'AAAA')).toEqual({ ok: true, value: { reverse: true } });
  expect(parseHealth({ reverse: false }, 'A')).toEqual({ ok: true, value: null });
  expect(parseHealth({ reverse: true, check: 'web' }, 'A')).toEqual({
    ok: true,
    value: { check: 'web', reverse: true },
  });
  expect(parseHealth({ reverse: true }, 'CNAME')).toMatchObject({ ok: false, problem: { field: 'reverse' } });
  expect(sameHealth({ reverse: true }, {})).toBe(false);
  expect(sameHealth({ reverse: true }, { reverse: true })).toBe(true);
});

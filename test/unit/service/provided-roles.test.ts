// The team roles that a person's groups grant by the rules.
import { expect, test } from 'vitest';
import { providedRoles } from '#service/accounts/provided-roles.ts';

const RULES = [
  { group: 'ops', team: 'platform', role: 'owner' },
  { group: 'dev', team: 'platform', role: 'member' },
  { group: 'dev', team: 'web', role: 'member' },
] as const;
const roles = (...groups: string[]) => Object.fromEntries(providedRoles(RULES, groups));

test('the groups of a person grant the highest of their roles, in any order of the rules', () => {
  expect(roles('dev', 'ops')).toEqual({ platform: 'owner', web: 'member' });
  expect(Object.fromEntries(providedRoles([...RULES].reverse(), ['ops', 'dev']))).toEqual({
    platform: 'owner',
    web: 'member',
  });
});

test('the groups of a person remove the person from a team if no rule for the team names one of the groups', () => {
  expect(roles('dev')).toEqual({ platform: 'member', web: 'member' });
  expect(roles('other')).toEqual({ platform: null, web: null });
});

test('the groups of a person do not affect teams without a rule', () => {
  expect(providedRoles([], ['ops']).size).toBe(0);
});

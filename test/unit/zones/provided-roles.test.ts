// What groups make of somebody in the teams that the rules name.
import { describe, expect, it } from 'vitest';
import { providedRoles } from '../../../src/zones/provided-roles.ts';

const RULES = [
  { group: 'ops', team: 'platform', role: 'owner' },
  { group: 'dev', team: 'platform', role: 'member' },
  { group: 'dev', team: 'web', role: 'member' },
] as const;
const roles = (...groups: string[]) => Object.fromEntries(providedRoles(RULES, groups));

describe('the groups of a person', () => {
  it('give the highest of their roles, whatever the order of the rules', () => {
    expect(roles('dev', 'ops')).toEqual({ platform: 'owner', web: 'member' });
    expect(Object.fromEntries(providedRoles([...RULES].reverse(), ['ops', 'dev']))).toEqual({
      platform: 'owner',
      web: 'member',
    });
  });

  it('take away the teams that none of them is in', () => {
    expect(roles('dev')).toEqual({ platform: 'member', web: 'member' });
    expect(roles('other')).toEqual({ platform: null, web: null });
  });

  it('say nothing of teams without a rule', () => {
    expect(providedRoles([], ['ops']).size).toBe(0);
  });
});

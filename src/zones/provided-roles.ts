// What the groups of a person at a provider make of it here. Pure.
import type { Role } from '../store/people.ts';

/** Members of the group have this role in the team of that name. */
export interface GroupRule {
  group: string;
  team: string;
  role: Role;
}

/**
 * The role in every team that a rule names; null where the person belongs to none of its groups any more. Teams that no rule
 * names are not the provider's, and are not in it.
 */
export function providedRoles(
  rules: readonly GroupRule[],
  groups: readonly string[],
): ReadonlyMap<string, Role | null> {
  const roles = new Map<string, Role | null>();
  for (const { group, team, role } of rules) {
    const known = roles.get(team) ?? null;
    roles.set(team, groups.includes(group) && known !== 'owner' ? role : known);
  }
  return roles;
}

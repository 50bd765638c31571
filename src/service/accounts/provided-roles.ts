// The team roles that a person's groups at the OpenID provider grant. Pure.
import type { Role } from '#store/people.ts';

/** Members of the group have this role in the team. */
export interface GroupRule {
  group: string;
  /** A team id (`team_` and 12 hexadecimal digits), or a name that is bound to an id (provided-teams.ts). */
  team: string;
  role: Role;
}

/**
 * The role in every team that a rule names; null if the person is in none of the team's groups. The provider does not
 * manage teams that no rule names, so the result does not contain them.
 */
export function providedRoles(
  rules: readonly GroupRule[],
  groups: readonly string[],
): ReadonlyMap<string, Role | null> {
  const roles = new Map<string, Role | null>();
  for (const { group, team, role } of rules) {
    const currentRole = roles.get(team) ?? null;
    roles.set(team, groups.includes(group) && currentRole !== 'owner' ? role : currentRole);
  }
  return roles;
}

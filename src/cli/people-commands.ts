// The commands for people, which the single file of the command line (deploy/cli) contains.
import type { CommandMap } from './command.ts';

/** In the order of the help. */
export const PEOPLE_COMMANDS: CommandMap = {
  keys: () => import('./commands/keys.ts'),
  trusts: () => import('./commands/trusts.ts'),
  nodes: () => import('./commands/nodes.ts'),
  secondaries: () => import('./commands/secondaries.ts'),
  users: () => import('./commands/users.ts'),
  teams: () => import('./commands/teams.ts'),
  zones: () => import('./commands/zones.ts'),
  records: () => import('./commands/records.ts'),
  changes: () => import('./commands/changes.ts'),
  diff: () => import('./commands/diff.ts'),
  import: () => import('./commands/import.ts'),
  delegation: () => import('./delegation.ts'),
  owners: () => import('./commands/owners.ts'),
  clusters: () => import('./commands/clusters.ts'),
  acme: () => import('./commands/acme.ts'),
  check: () => import('./check.ts'),
  doctor: () => import('./doctor.ts'),
  kubectl: () => import('./kubectl/kubectl.ts'),
  crds: () => import('./commands/crds.ts'),
  completion: () => import('./commands/completion.ts'),
  complete: () => import('./commands/complete.ts'),
};

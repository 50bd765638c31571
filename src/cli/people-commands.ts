// The commands for people, which the single file of the command line (deploy/cli) contains.
import type { CommandMap } from './command.ts';

/** In the order of the help. */
export const PEOPLE_COMMANDS: CommandMap = {
  keys: () => import('./keys/keys.ts'),
  trusts: () => import('./trusts/trusts.ts'),
  nodes: () => import('./nodes/nodes.ts'),
  secondaries: () => import('./secondaries/secondaries.ts'),
  users: () => import('./users/users.ts'),
  teams: () => import('./teams/teams.ts'),
  usage: () => import('./usage.ts'),
  zones: () => import('./zones/zones.ts'),
  records: () => import('./records/records.ts'),
  changes: () => import('./changes/changes.ts'),
  diff: () => import('./diff.ts'),
  import: () => import('./import/command.ts'),
  delegation: () => import('./delegation.ts'),
  owners: () => import('./owners/owners.ts'),
  clusters: () => import('./clusters/clusters.ts'),
  admin: () => import('./admin/admin.ts'),
  acme: () => import('./acme/command.ts'),
  check: () => import('./check.ts'),
  doctor: () => import('./doctor.ts'),
  kubectl: () => import('./kubectl/kubectl.ts'),
  crds: () => import('./crds.ts'),
  completion: () => import('./completion/completion.ts'),
  complete: () => import('./completion/complete.ts'),
};

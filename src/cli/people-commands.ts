// The commands for people, which the single file of the command line (deploy/cli) contains.
import type { CommandMap } from './command.ts';

/** In the order of the help. */
export const PEOPLE_COMMANDS: CommandMap = {
  keys: () => import('./admin/keys-commands.ts'),
  trusts: () => import('./admin/trusts-commands.ts'),
  nodes: () => import('./admin/nodes-commands.ts'),
  secondaries: () => import('./admin/secondaries-commands.ts'),
  users: () => import('./admin/users-commands.ts'),
  teams: () => import('./admin/teams-commands.ts'),
  zones: () => import('./zones/zones.ts'),
  records: () => import('./records/records.ts'),
  changes: () => import('./changes/changes.ts'),
  diff: () => import('./diff.ts'),
  import: () => import('./import/command.ts'),
  delegation: () => import('./commands/delegation.ts'),
  owners: () => import('./owners/owners.ts'),
  clusters: () => import('./clusters/clusters.ts'),
  acme: () => import('./acme/command.ts'),
  check: () => import('./commands/check.ts'),
  doctor: () => import('./commands/doctor.ts'),
  kubectl: () => import('./commands/kubectl.ts'),
  crds: () => import('./crds.ts'),
  completion: () => import('./completion/completion.ts'),
  complete: () => import('./completion/complete.ts'),
};

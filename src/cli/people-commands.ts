// The commands for people, which the single file of the command line (deploy/cli) contains.
import type { CommandMap } from './command.ts';

/** By the heading that help prints above them. Groups and commands are in the order of the help. */
export const PEOPLE_GROUPS: Readonly<Record<string, CommandMap>> = {
  'Zones and records': {
    zones: () => import('./zones/zones.ts'),
    records: () => import('./records/records.ts'),
    checks: () => import('./checks/checks.ts'),
    changes: () => import('./changes/changes.ts'),
    import: () => import('./import/command.ts'),
    diff: () => import('./diff.ts'),
    delegation: () => import('./delegation.ts'),
    owners: () => import('./owners/owners.ts'),
    usage: () => import('./usage.ts'),
  },
  'Teams and access': {
    teams: () => import('./teams/teams.ts'),
    users: () => import('./users/users.ts'),
    keys: () => import('./keys/keys.ts'),
    trusts: () => import('./trusts/trusts.ts'),
  },
  'Name servers and clusters': {
    nodes: () => import('./nodes/nodes.ts'),
    secondaries: () => import('./secondaries/secondaries.ts'),
    clusters: () => import('./clusters/clusters.ts'),
  },
  'Find faults': {
    check: () => import('./check.ts'),
    doctor: () => import('./doctor.ts'),
    kubectl: () => import('./kubectl/kubectl.ts'),
  },
  'This program': {
    login: () => import('./login/command.ts'),
    logout: () => import('./login/logout.ts'),
    contexts: () => import('./login/contexts.ts'),
    version: () => import('./version.ts'),
    completion: () => import('./completion/completion.ts'),
    complete: () => import('./completion/complete.ts'),
  },
  'For administrators and other programs': {
    admin: () => import('./admin/admin.ts'),
    acme: () => import('./acme/command.ts'),
    crds: () => import('./crds.ts'),
  },
};

/** By the first word of the command line, in the order of the help. */
export const PEOPLE_COMMANDS: CommandMap = Object.assign({}, ...Object.values(PEOPLE_GROUPS));

const SERVERS = 'Servers and jobs, which run in the image';

/** The heading above a command, by its first word. Commands that are not for people are those of servers. */
export function headingOf(name: string): string {
  const [heading = SERVERS] = Object.entries(PEOPLE_GROUPS).find(([, commands]) => Object.hasOwn(commands, name)) ?? [];
  return `${heading}:`;
}

// The commands of the servers and of the jobs of an installation. They run in the image. This is the only list of them:
// the single file of the command line (deploy/cli) has their names without their modules.
import type { CommandMap } from './command.ts';

/** In the order of the help. */
export const SERVER_COMMANDS: CommandMap = {
  api: () => import('./serve/api.ts'),
  operator: () => import('./serve/operator.ts'),
  solver: () => import('./serve/solver.ts'),
  nameserver: () => import('./serve/nameserver.ts'),
  'external-dns': () => import('./serve/external-dns.ts'),
  canary: () => import('./serve/canary.ts'),
  'knot-conf': () => import('./serve/knot-conf.ts'),
  'edge-conf': () => import('./serve/edge-conf.ts'),
  'edge-metrics': () => import('./serve/edge-metrics.ts'),
  migrate: () => import('./serve/migrate.ts'),
  bootstrap: () => import('./jobs/bootstrap-command.ts'),
  certificates: () => import('./jobs/certificates-command.ts'),
  'release-finalizers': () => import('./jobs/release-command.ts'),
};

// The commands of the servers and of the jobs of an installation. They run in the image.
import type { CommandMap } from './command.ts';
import type { ServerCommandName } from './standalone.ts';

/** In the order of the help. */
export const SERVER_COMMANDS = {
  api: () => import('./commands/api.ts'),
  operator: () => import('./commands/operator.ts'),
  solver: () => import('./commands/solver.ts'),
  nameserver: () => import('./commands/nameserver.ts'),
  'external-dns': () => import('./commands/external-dns.ts'),
  'knot-conf': () => import('./commands/knot-conf.ts'),
  'edge-conf': () => import('./commands/edge-conf.ts'),
  migrate: () => import('./commands/migrate.ts'),
  bootstrap: () => import('./commands/bootstrap.ts'),
  certificates: () => import('./commands/certificates.ts'),
  'release-finalizers': () => import('./commands/release-finalizers.ts'),
} satisfies CommandMap & Record<ServerCommandName, unknown>;

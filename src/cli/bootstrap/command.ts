// `bootstrap` as commander sees it, and its way to the cluster. What it does is loaded only when it is run.
import type { Command } from 'commander';

export function addBootstrap(program: Command, signal: AbortSignal): void {
  program
    .command('bootstrap')
    .description('in a cluster: make the Secrets, the database, the first team and the API key of the operator')
    .requiredOption('--database <mode>', 'builtin, external or cnpg')
    .option('--database-secret <name>', 'Secret with the logins, made here (builtin, cnpg)')
    .option('--database-host <host[:port]>', 'of Postgres (builtin, cnpg)')
    .option('--nameserver-host <host[:port]>', 'of the Postgres that PowerDNS reads (default: the same)')
    .option('--database-name <name>', 'the database', 'zonestead')
    .option('--given-secret <name>', 'Secret with passwords that are to be used')
    .option('--url-secret <name>', 'Secret with the address for the api (external, cnpg)')
    .option('--url-key <key>', 'its key', 'uri')
    .option('--key-secret <name>', "Secret with the operator's API key, made here")
    .option('--session-secret <name>', "Secret that seals the console's cookies, made here")
    .option('--team <name>', "the operator's team", 'platform')
    .option('--rotation <text>', 'another text than last time: the operator gets a new key', '')
    .option('--labels <key=value,…>', 'on every Secret made', '')
    .option('--timeout <seconds>', 'for what is missing', '300')
    .action(async (given) => {
      const { bootstrapOptions } = await import('./options.ts');
      const { BOOTSTRAP_SETTINGS, runBootstrap } = await import('./run.ts');
      const { readConfig } = await import('../../config.ts');
      await runBootstrap(bootstrapOptions(given), readConfig(BOOTSTRAP_SETTINGS), signal);
    });
  program
    .command('release-finalizers')
    .description('in a cluster, before an uninstall: stop the operator and take its finalizers off; DNS data stays')
    .requiredOption('--deployment <name>', "the operator's")
    .requiredOption('--pods <selector>', "the operator's pods, as labels")
    .option('--namespaces <names>', 'by commas (default: all)')
    .option('--timeout <seconds>', 'for its pods to end', '90')
    .action(async (given) => {
      const { BOOTSTRAP_SETTINGS, runRelease } = await import('./run.ts');
      const { readConfig } = await import('../../config.ts');
      await runRelease(given, readConfig(BOOTSTRAP_SETTINGS), signal);
    });
}

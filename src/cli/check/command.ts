// `check` as commander sees it. What it does is loaded only when it is run.
import type { Command } from 'commander';

export function addCheck(program: Command, print: (line: string) => void, signal: AbortSignal): void {
  program
    .command('check')
    .description(
      'ask an installation: name servers over UDP and TCP, the REST service (ZONESTEAD_URL, ZONESTEAD_API_KEY)',
    )
    .requiredOption('--dns <host:port>', 'the name servers')
    .action(async ({ dns }: { dns: string }) => {
      const { CHECK_SETTINGS, runCheck } = await import('./check.ts');
      const { readConfig, readHookEnvironment } = await import('../../config.ts');
      const { ZONESTEAD_API_KEY: key, ZONESTEAD_API_KEY_FILE: file } = readHookEnvironment();
      const withKey = key !== undefined || file !== undefined;
      const config = withKey ? readConfig([...CHECK_SETTINGS, 'ZONESTEAD_API_KEY']) : readConfig(CHECK_SETTINGS);
      process.exitCode = (await runCheck(config, dns, print, signal)) ? 0 : 1;
    });
}

// `zonestead acme` as commander sees it. Everything behind the first word belongs to the ACME client, hyphens included.
import { fileURLToPath } from 'node:url';
import type { Command } from 'commander';
import { Option } from 'commander';
import { SCRIPTS, type ScriptKind } from './scripts.ts';

const MAIN = fileURLToPath(new URL('../../main.ts', import.meta.url));

const HELP = `
Called by certbot (--manual-auth-hook and --manual-cleanup-hook), and through the file that "--print hook" writes by
lego (EXEC_PATH), dehydrated (HOOK) and uacme (-h); acme.sh needs the file of "--print acme.sh".`;

interface Options {
  credentials?: string;
  propagationSeconds?: string;
  print?: ScriptKind;
}

export function addAcme(program: Command, print: (line: string) => void, signal: AbortSignal): void {
  program.enablePositionalOptions();
  program
    .command('acme')
    .description('DNS-01 hook of ACME clients; finds out by itself who calls and what for')
    .argument('[words...]', 'what the ACME client says')
    .option('--credentials <file>', 'lines NAME=value with ZONESTEAD_URL and ZONESTEAD_API_KEY, mode 600')
    .option('--propagation-seconds <seconds>', 'wait so long instead of asking every name server')
    .addOption(new Option('--print <file>', 'print a file for clients that need one').choices([...SCRIPTS]))
    .addHelpText('after', HELP)
    .passThroughOptions()
    .action(async (words: string[], options: Options) => {
      if (options.print !== undefined) return print(await printed(options.print, options));
      await run(words, options, print, signal);
    });
}

async function printed(kind: ScriptKind, { credentials, propagationSeconds }: Options): Promise<string> {
  const { script } = await import('./scripts.ts');
  const own = [
    ...(credentials === undefined ? [] : ['--credentials', credentials]),
    ...(propagationSeconds === undefined ? [] : ['--propagation-seconds', propagationSeconds]),
  ];
  return script(kind, [process.execPath, MAIN, 'acme', ...own]).trimEnd();
}

async function run(
  words: string[],
  options: Options,
  print: (line: string) => void,
  signal: AbortSignal,
): Promise<void> {
  const { readConfig, readHookEnvironment } = await import('../../config.ts');
  const { readOrder } = await import('./caller.ts');
  const order = readOrder(words, readHookEnvironment());
  const { ACME_SETTINGS, runAcme } = await import('./acme.ts');
  const { readCredentials } = await import('./credentials.ts');
  const { realClock } = await import('../../client/clock.ts');
  const path = options.credentials ?? readConfig(['ZONESTEAD_CREDENTIALS']).ZONESTEAD_CREDENTIALS;
  const file = path === undefined ? {} : await readCredentials(path, process.getuid?.() ?? 0);
  const wait = options.propagationSeconds;
  const config = readConfig(ACME_SETTINGS, {
    ...readHookEnvironment(),
    ...file,
    ...(wait === undefined ? {} : { ZONESTEAD_PROPAGATION_SECONDS: wait }),
  });
  await runAcme(order, { config, print, clock: realClock, random: Math.random }, signal);
}

// `zonestead acme`: all words from the first one on belong to the ACME client, even those that begin with a hyphen.
import { hostname } from 'node:os';
import { isSea } from 'node:sea';
import { describeCommand } from '../command.ts';
import { SCRIPTS, type ScriptKind } from './scripts.ts';
import { ACME_SETTINGS } from './settings.ts';

const NOTES = `certbot runs this command directly (--manual-auth-hook and --manual-cleanup-hook). lego (EXEC_PATH), dehydrated (HOOK)
and uacme (-h) run the file that "--print hook" writes. acme.sh needs the file that "--print acme.sh" writes.

Each value belongs to the owner acme:hook/<name of this machine>/<value>. The service removes it after an hour if the client does not.`;

interface Options {
  credentials?: string;
  propagationSeconds?: string;
  print?: ScriptKind;
}

export const command = describeCommand({
  name: 'acme',
  describe: 'DNS-01 hook for ACME clients; detects the calling client automatically',
  arguments: [{ usage: '[words...]', describe: 'arguments of the ACME client' }],
  options: [
    {
      flags: '--credentials <file>',
      describe: 'file of mode 600 with lines NAME=value for ZONESTEAD_URL and ZONESTEAD_API_KEY',
    },
    {
      flags: '--propagation-seconds <seconds>',
      describe: 'wait this many seconds instead of polling the name servers',
    },
    { flags: '--print <file>', describe: 'print a file for clients that need one', choices: SCRIPTS },
  ],
  notes: NOTES,
  settings: ['ZONESTEAD_CREDENTIALS', ...ACME_SETTINGS],
  passThrough: true,
  examples: [
    "certbot certonly --manual --preferred-challenges dns --manual-auth-hook 'zonestead acme' -d shop.example",
    'zonestead acme --print hook',
  ],
  run: async (words, options: Options, { print, program, signal }) => {
    if (options.print !== undefined) return print(await printed(options.print, options, program));
    await run(words, options, print, signal);
  },
});

async function printed(
  kind: ScriptKind,
  { credentials, propagationSeconds }: Options,
  program: string,
): Promise<string> {
  const { script } = await import('./scripts.ts');
  const own = [
    ...(credentials === undefined ? [] : ['--credentials', credentials]),
    ...(propagationSeconds === undefined ? [] : ['--propagation-seconds', propagationSeconds]),
  ];
  return script(kind, [...programWords(program), 'acme', ...own]).trimEnd();
}

/** The words that start this program: a single executable needs no path of a module. */
function programWords(program: string): string[] {
  return isSea() ? [process.execPath] : [process.execPath, program];
}

async function run(
  words: readonly string[],
  options: Options,
  print: (line: string) => void,
  signal: AbortSignal,
): Promise<void> {
  const { readConfig, readHookEnvironment } = await import('#config.ts');
  const { readOrder } = await import('./caller.ts');
  const order = readOrder(words, readHookEnvironment());
  const { runAcme } = await import('./acme.ts');
  const { readCredentials } = await import('./credentials.ts');
  const { realClock } = await import('#base/clock.ts');
  const path = options.credentials ?? readConfig(['ZONESTEAD_CREDENTIALS']).ZONESTEAD_CREDENTIALS;
  const file = path === undefined ? {} : await readCredentials(path, process.getuid?.() ?? 0);
  const wait = options.propagationSeconds;
  const config = readConfig(ACME_SETTINGS, {
    ...readHookEnvironment(),
    ...file,
    ...(wait === undefined ? {} : { ZONESTEAD_PROPAGATION_SECONDS: wait }),
  });
  const host = hostname();
  const now = () => new Date();
  await runAcme(order, { config, print, clock: realClock, now, host, random: Math.random }, signal);
}

// `.local/bin`: the command line of this checkout, as the program `zonestead` and as a plugin of kubectl.
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { quoted } from './environment.ts';

const MAIN = new URL('../../src/main.ts', import.meta.url).pathname;

/**
 * `zonestead` uses the settings of the stack, also in a shell that has not read `.local/env`. With a ZONESTEAD_URL of
 * another service it takes none of them: a key of the stack must not be sent there. Pure.
 */
function zonesteadScript(stateDir: string): string {
  const env = quoted(join(stateDir, 'env'));
  return `#!/bin/sh
if [ -z "$ZONESTEAD_URL" ] && [ -r ${env} ]; then
  given=$(export -p)
  . ${env}
  # A variable that you set has priority.
  eval "$given"
fi
exec ${quoted(process.execPath)} ${quoted(MAIN)} "$@"
`;
}

/** kubectl runs the program of this name that is in PATH. */
const PLUGIN = `#!/bin/sh
exec ${quoted(process.execPath)} ${quoted(MAIN)} kubectl "$@"
`;

export async function writePrograms(stateDir: string): Promise<void> {
  const bin = join(stateDir, 'bin');
  await mkdir(bin, { recursive: true });
  for (const [name, text] of [
    ['zonestead', zonesteadScript(stateDir)],
    ['kubectl-zonestead', PLUGIN],
  ] as const) {
    await writeFile(join(bin, name), text);
    await chmod(join(bin, name), 0o755);
  }
}

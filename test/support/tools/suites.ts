// The test suites of two Go clients of the PowerDNS API, built once from the published modules into the cache. A file is added to
// each, so that the suite sends its requests to the server that a test names.
import { readFileSync } from 'node:fs';
import { chmod, cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cached, cacheKey, type Progress } from '../../../deploy/local/parts/cache.ts';
import { findCommand, runCommand } from '../../../deploy/local/parts/commands.ts';

export interface SuiteModule {
  /** As the documentation names it. */
  client: string;
  /** The name of the built program, and of the package of its tests. */
  name: string;
  module: string;
  version: string;
  /** The hash of the module, as in a go.sum. */
  sum: string;
}

export const SUITE_MODULES = {
  mittwald: {
    client: 'mittwald/go-powerdns',
    name: 'pdns',
    module: 'github.com/mittwald/go-powerdns',
    version: 'v0.6.7',
    sum: 'h1:r638QOYLWyJ5Wy+qynlq5nTRlhmfQMJvM9BDsbhyiro=',
  },
  joeig: {
    client: 'joeig/go-powerdns',
    name: 'powerdns',
    module: 'github.com/joeig/go-powerdns/v3',
    version: 'v3.21.0',
    sum: 'h1:W5XdncBvIK9H/Arj8FNUgvQ4cywUEeUWTKtfD3ad6SQ=',
  },
} as const satisfies Record<string, SuiteModule>;

const ADDED = readFileSync(new URL('suites/server.go', import.meta.url), 'utf8');
/** The suites allow 5 s for a request, which is not enough on a busy machine. */
const LONGER = 10;
const LIMIT_MS = 15 * 60_000;

/** A folder with the programs by their names. @throws Error when Go is missing, or with the compiler's last lines */
export async function ensureSuites(progress: Progress, signal: AbortSignal): Promise<string> {
  const go = findCommand('go') ?? findCommand('/usr/local/go/bin/go');
  const modules: readonly SuiteModule[] = Object.values(SUITE_MODULES);
  return cached({
    name: 'go-suites',
    key: cacheKey({
      modules: JSON.stringify(modules),
      added: ADDED,
      longer: String(LONGER),
      platform: `${process.platform}-${process.arch}`,
    }),
    progress,
    signal,
    fill: async (target) => {
      if (go === undefined)
        throw new Error(
          'Go is needed for the test suites of Go clients: install Go 1.26 or later (https://go.dev/dl/)',
        );
      for (const module of modules) {
        progress(`building the tests of ${module.module} ${module.version}: once, half a minute`);
        await build(go, module, target, signal);
      }
    },
  });
}

async function build(go: string, { name, module, version, sum }: SuiteModule, target: string, signal: AbortSignal) {
  const folder = await mkdtemp(join(tmpdir(), 'zonestead-suite-'));
  const run = async (...args: string[]) => {
    const env = { ...process.env, CGO_ENABLED: '0', GOWORK: 'off', GOFLAGS: '-mod=readonly' };
    const { code, out, tail } = await runCommand({ command: go, args, cwd: folder, env, timeoutMs: LIMIT_MS, signal });
    if (code !== 0) throw new Error(`go ${args.join(' ')} failed (${code}):\n${tail}`);
    return out;
  };
  try {
    const found = JSON.parse(await run('mod', 'download', '-json', `${module}@${version}`)) as Record<string, string>;
    if (found.Sum !== sum) throw new Error(`${module} ${version} has the hash ${found.Sum}, and not ${sum}`);
    await cp(found.Dir as string, folder, { recursive: true });
    for (const entry of ['.', ...(await readdir(folder, { recursive: true }))]) await chmod(join(folder, entry), 0o755);
    for (const file of (await readdir(folder)).filter((each) => each.endsWith('_test.go'))) {
      const text = await readFile(join(folder, file), 'utf8');
      const longer = text.replace(/\b(\d+)\*time\.Second/g, (_, count) => `${Number(count) * LONGER}*time.Second`);
      await writeFile(join(folder, file), longer);
    }
    await writeFile(join(folder, 'server_test.go'), ADDED.replace(/^package .*$/m, `package ${name}`));
    await run('test', '-c', '-vet=off', '-trimpath', '-o', join(target, name), '.');
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

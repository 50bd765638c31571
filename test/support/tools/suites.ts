// The test suites of two Go clients of the PowerDNS API, built once from the published modules into the cache. A file
// is added to each, so that the suite sends its requests to the server that a test names.
import { readFileSync } from 'node:fs';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { cached, cacheKey, type Progress } from '../../../deploy/local/parts/cache.ts';
import { goFlags } from '../../../deploy/local/parts/go-flags.ts';
import { type PinnedModule, withGoModule } from './go-module.ts';

export interface SuiteModule extends PinnedModule {
  /** As the documentation names it. */
  client: string;
  /** The name of the built program, and of the package of its tests. */
  name: string;
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
      for (const module of modules) {
        progress(`building the tests of ${module.module} ${module.version}: once, half a minute`);
        await build(module, target, signal);
      }
    },
  });
}

async function build({ name, ...module }: SuiteModule, target: string, signal: AbortSignal): Promise<void> {
  await withGoModule(module, { limitMs: LIMIT_MS, signal }, async (folder, run) => {
    for (const file of (await readdir(folder)).filter((each) => each.endsWith('_test.go'))) {
      const text = await readFile(join(folder, file), 'utf8');
      const longer = text.replace(/\b(\d+)\*time\.Second/g, (_, count) => `${Number(count) * LONGER}*time.Second`);
      await writeFile(join(folder, file), longer);
    }
    await writeFile(join(folder, 'server_test.go'), ADDED.replace(/^package .*$/m, `package ${name}`));
    await run('test', '-c', '-vet=off', ...goFlags(), '-o', join(target, name), '.');
  });
}

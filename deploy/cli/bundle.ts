// Builds the command line as one file that Node runs without packages, and as an npm package with that file.
import { chmod, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build, type Metafile } from 'esbuild';
import manifest from '../../package.json' with { type: 'json' };
import { runCommand } from '../local/parts/commands.ts';
import { drizzleInside } from './drizzle-inside.ts';
import { onlyKubeconfig } from './only-kubeconfig.ts';
import { serversOutside } from './servers-outside.ts';

const PACK_LIMIT_MS = 120_000;
const PROJECT = new URL('../..', import.meta.url).pathname;

/** Packages of CommonJS call `require` for the modules of Node. */
const BANNER = `#!/usr/bin/env node
import { createRequire as createRequireOfBundle } from 'node:module';
const require = createRequireOfBundle(import.meta.url);
if (Number.parseInt(process.versions.node) < 24) {
  process.stderr.write('zonestead: this program needs Node.js 24 or later, and this is ' + process.version + '\\n');
  process.exit(1);
}`;

export interface CommandLineFiles {
  /** The executable. */
  readonly file: string;
  /** In bytes. */
  readonly size: number;
  /** The folder of the npm package, which contains the executable. */
  readonly folder: string;
}

/**
 * Writes `zonestead`, package.json, and the licenses of the packages in it. The same sources give the same files.
 * @param folder is created if it is missing, and its files are replaced
 * @throws Error of esbuild, and if a package has no license
 */
export async function buildCommandLine(folder: string): Promise<CommandLineFiles> {
  await mkdir(folder, { recursive: true });
  const file = join(folder, 'zonestead');
  const { metafile } = await build({
    absWorkingDir: PROJECT,
    entryPoints: ['deploy/cli/main-of-bundle.ts'],
    outfile: file,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node24',
    minifySyntax: true,
    minifyWhitespace: true,
    keepNames: true,
    legalComments: 'none',
    banner: { js: BANNER },
    plugins: [onlyKubeconfig, drizzleInside, serversOutside],
    metafile: true,
    logLevel: 'warning',
  });
  await chmod(file, 0o755);
  const { name, version, description, license, engines } = manifest;
  // kubectl runs the second one as `kubectl zonestead`.
  const bin = { zonestead: 'zonestead', 'kubectl-zonestead': 'zonestead' };
  const files = ['zonestead', 'LICENSES-OF-PACKAGES.txt'];
  const packageJson = { name, version, description, license, type: 'module', engines, bin, files };
  await writeFile(join(folder, 'package.json'), `${JSON.stringify(packageJson, null, 2)}\n`);
  await writeFile(join(folder, 'LICENSE'), await readFile(join(PROJECT, 'LICENSE')));
  await writeFile(join(folder, 'LICENSES-OF-PACKAGES.txt'), await collectLicenses(metafile));
  return { file, size: (await stat(file)).size, folder };
}

/** Packs the folder of buildCommandLine for `npm install`. @returns the archive @throws Error with npm's last lines */
export async function packCommandLine(folder: string, signal: AbortSignal): Promise<string> {
  const args = ['pack', '--silent', '--ignore-scripts', '--pack-destination', folder, folder];
  const { code, tail } = await runCommand({ command: 'npm', args, timeoutMs: PACK_LIMIT_MS, signal });
  if (code !== 0) throw new Error(`npm pack failed (code ${code}):\n${tail}`);
  return join(folder, `${manifest.name}-${manifest.version}.tgz`);
}

/** The licenses of all packages with code in the file, by name. */
async function collectLicenses(metafile: Metafile): Promise<string> {
  const packages = new Set<string>();
  for (const output of Object.values(metafile.outputs)) {
    for (const [input, { bytesInOutput }] of Object.entries(output.inputs)) {
      const [name] = /^node_modules\/(?:@[^/]+\/)?[^/]+/.exec(input) ?? [];
      if (name !== undefined && bytesInOutput > 0) packages.add(name);
    }
  }
  const texts: string[] = [];
  for (const name of [...packages].sort()) {
    const folder = join(PROJECT, name);
    const { version } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as { version: string };
    const [file] = (await readdir(folder)).filter((each) => /^licen[cs]e/i.test(each)).sort();
    const text = file === undefined ? null : await readFile(join(folder, file), 'utf8');
    texts.push(`${name.replace('node_modules/', '')} ${version}\n\n${text?.trim() ?? ''}\n`);
  }
  return texts.join(`\n${'-'.repeat(80)}\n\n`);
}

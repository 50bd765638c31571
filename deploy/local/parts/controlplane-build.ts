// The Kubernetes programs: taken from KUBEBUILDER_ASSETS, downloaded, or built once from Go modules into the cache.
import { existsSync } from 'node:fs';
import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cached, cacheKey, cacheRoot, type Progress } from './cache.ts';
import { findCommand } from './commands.ts';
import { ensureEnvtest } from './envtest.ts';
import { buildGo, sourceInputs } from './go-build.ts';

const SOURCE = fileURLToPath(new URL('../controlplane', import.meta.url));
const SOURCE_FILES = ['main.go', 'go.mod', 'go.sum'];
/** The name of the entry in the cache. */
const NAME = 'controlplane';
const BINARY = 'controlplane';
const NAMES = ['etcd', 'kube-apiserver', 'kube-controller-manager', 'kube-scheduler', 'kubectl'];
/** The programs in envtest's folder; a controller manager is optional. */
const REQUIRED = ['etcd', 'kube-apiserver', 'kubectl'];

const VERSION = 'k8s.io/component-base/version';
const FLAGS = ['-trimpath', '-tags', 'grpcnotrace'].concat([
  '-ldflags',
  `-s -w -X ${VERSION}.gitVersion=v1.36.3 -X ${VERSION}.gitMajor=1 -X ${VERSION}.gitMinor=36`,
]);

export interface ControlPlaneSource {
  /**
   * The address of the archives of prebuilt programs, which have no controller manager and no scheduler; they are used when nothing has
   * been built here. (Default: none; the programs are built.)
   */
  prebuilt?: string | undefined;
  progress: Progress;
  signal: AbortSignal;
}

/**
 * A folder that holds etcd, kube-apiserver, kubectl and (always when built here) kube-controller-manager, kube-scheduler.
 * The first build takes minutes; `progress` gets a line at least every few seconds.
 * @throws when KUBEBUILDER_ASSETS lacks a program, when Go is missing, or with the compiler's last lines.
 */
export async function ensureControlPlane(source: ControlPlaneSource): Promise<{ dir: string }> {
  const { prebuilt, progress, signal } = source;
  const assets = process.env.KUBEBUILDER_ASSETS;
  if (assets !== undefined && assets !== '') return { dir: checkAssets(assets, 'KUBEBUILDER_ASSETS=') };
  const key = keyOfBuild();
  const built = existsSync(join(cacheRoot(), `${NAME}-${key}`));
  const downloaded = built || prebuilt === undefined ? undefined : await download(prebuilt, progress, signal);
  if (downloaded !== undefined) return { dir: downloaded };
  return {
    dir: await cached({ name: NAME, key, progress, signal, fill: (folder) => build(folder, progress, signal) }),
  };
}

/** The folder of prebuilt programs; undefined when there is no way to them. */
async function download(archives: string, progress: Progress, signal: AbortSignal): Promise<string | undefined> {
  try {
    return checkAssets(await ensureEnvtest({ archives, progress, signal }), '');
  } catch (error) {
    signal.throwIfAborted();
    progress(`no prebuilt Kubernetes programs (${(error as Error).message}); they are built instead`);
    return undefined;
  }
}

/** Whether ensureControlPlane has nothing to build. */
export function hasControlPlane(): boolean {
  return (process.env.KUBEBUILDER_ASSETS ?? '') !== '' || existsSync(join(cacheRoot(), `${NAME}-${keyOfBuild()}`));
}

function keyOfBuild(): string {
  const inputs = sourceInputs(SOURCE, SOURCE_FILES);
  return cacheKey({ ...inputs, flags: FLAGS.join(' '), platform: `${process.platform}-${process.arch}` });
}

function checkAssets(dir: string, setting: string): string {
  const missing = REQUIRED.filter((name) => findCommand(join(dir, name)) === undefined);
  if (missing.length === 0) return dir;
  throw new Error(`${setting}${dir} (an absolute path is needed) has no ${missing.join(', ')}`);
}

async function build(folder: string, progress: Progress, signal: AbortSignal): Promise<void> {
  const otherwise =
    'or set KUBEBUILDER_ASSETS to a folder with etcd, kube-apiserver and kubectl, or KUBECONFIG to use a cluster that runs already';
  await buildGo({
    source: SOURCE,
    what: 'the Kubernetes control plane',
    costs: "a few minutes, about 4 GB in Go's caches",
    otherwise,
    targets: [{ package: '.', file: join(folder, BINARY), flags: FLAGS }],
    progress,
    signal,
  });
  for (const name of NAMES) await symlink(BINARY, join(folder, name));
}

// The Kubernetes programs: taken from KUBEBUILDER_ASSETS, downloaded, or built once from Go modules into the cache.
import { existsSync } from 'node:fs';
import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cached, cacheKey, cacheRoot, type Progress } from './cache.ts';
import { findCommand } from './commands.ts';
import { ensureEnvtest } from './envtest.ts';
import { buildGo, sourceInputs } from './go-build.ts';
import { goFlags } from './go-flags.ts';

const SOURCE = fileURLToPath(new URL('../controlplane', import.meta.url));
/** The programs in envtest's folder; controllers are optional. */
const REQUIRED = ['etcd', 'kube-apiserver', 'kubectl'];

const VERSION = 'k8s.io/component-base/version';
/** The flags for all programs of Kubernetes, also for those of a node. */
export const KUBERNETES_FLAGS = goFlags({
  [`${VERSION}.gitVersion`]: 'v1.36.3',
  [`${VERSION}.gitMajor`]: '1',
  [`${VERSION}.gitMinor`]: '36',
});

interface Binary {
  /** The name of the entry in the cache. */
  entry: string;
  package: string;
  sources: readonly string[];
  /** The programs that it is, by the name that starts it. */
  names: readonly string[];
  what: string;
}

const CONTROL_PLANE: Binary = {
  entry: 'controlplane',
  package: '.',
  sources: ['main.go', ...['command', 'constructors', 'surroundings'].map((name) => `controllers/${name}.go`)],
  names: [...REQUIRED, 'controllers'],
  what: 'the Kubernetes control plane',
};
const MANAGER: Binary = {
  entry: 'controllermanager',
  package: './manager',
  sources: ['manager/main.go'],
  names: ['kube-controller-manager', 'kube-scheduler'],
  what: 'kube-controller-manager and kube-scheduler',
};

export interface ControlPlaneSource {
  /**
   * The address of the archives of prebuilt programs, which have no controllers; they are used when nothing has been
   * built here. Absent: the programs are built.
   */
  prebuilt?: string | undefined;
  progress: Progress;
  signal: AbortSignal;
}

/**
 * A folder that holds etcd, kube-apiserver, kubectl and (always when built here) `controllers`.
 * The first build takes minutes; `progress` gets a line at least every few seconds.
 * @throws when KUBEBUILDER_ASSETS lacks a program, when Go is missing, or with the compiler's last lines.
 */
export async function ensureControlPlane(source: ControlPlaneSource): Promise<{ dir: string }> {
  const { prebuilt, progress, signal } = source;
  const assets = process.env.KUBEBUILDER_ASSETS;
  if (assets !== undefined && assets !== '') return { dir: checkAssets(assets, 'KUBEBUILDER_ASSETS=') };
  const built = existsSync(chooseFolder(CONTROL_PLANE));
  const downloaded = built || prebuilt === undefined ? undefined : await download(prebuilt, progress, signal);
  return { dir: downloaded ?? (await ensure(CONTROL_PLANE, progress, signal)) };
}

/**
 * A folder that holds kube-controller-manager and kube-scheduler, for a cluster with nodes. Few of its packages are
 * compiled if the control plane has been built here. @throws as ensureControlPlane
 */
export function ensureControllerManager({ progress, signal }: ControlPlaneSource): Promise<string> {
  return ensure(MANAGER, progress, signal);
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
  return (process.env.KUBEBUILDER_ASSETS ?? '') !== '' || existsSync(chooseFolder(CONTROL_PLANE));
}

function computeKey({ sources }: Binary): string {
  const inputs = sourceInputs(SOURCE, [...sources, 'go.mod', 'go.sum']);
  return cacheKey({ ...inputs, flags: KUBERNETES_FLAGS.join(' '), platform: `${process.platform}-${process.arch}` });
}

function chooseFolder(binary: Binary): string {
  return join(cacheRoot(), `${binary.entry}-${computeKey(binary)}`);
}

function checkAssets(dir: string, setting: string): string {
  const missing = REQUIRED.filter((name) => findCommand(join(dir, name)) === undefined);
  if (missing.length === 0) return dir;
  throw new Error(`${setting}${dir} (an absolute path is needed) has no ${missing.join(', ')}`);
}

function ensure(binary: Binary, progress: Progress, signal: AbortSignal): Promise<string> {
  const fill = (folder: string) => build(binary, folder, progress, signal);
  return cached({ name: binary.entry, key: computeKey(binary), progress, signal, fill });
}

async function build(binary: Binary, folder: string, progress: Progress, signal: AbortSignal): Promise<void> {
  const { entry, package: main, names, what } = binary;
  const otherwise =
    'or set KUBEBUILDER_ASSETS to a folder with etcd, kube-apiserver and kubectl, or KUBECONFIG to use a cluster that runs already';
  await buildGo({
    source: SOURCE,
    what,
    costs: "a few minutes, about 4 GB in Go's caches",
    otherwise,
    targets: [{ package: main, file: join(folder, entry), flags: KUBERNETES_FLAGS }],
    progress,
    signal,
  });
  for (const name of names) await symlink(entry, join(folder, name));
}

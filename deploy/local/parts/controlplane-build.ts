// The Kubernetes programs: taken from KUBEBUILDER_ASSETS, or built once from Go modules into the cache.
import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cached, cacheKey, type Progress } from './cache.ts';
import { findCommand } from './commands.ts';
import { buildGo, sourceInputs } from './go-build.ts';

const SOURCE = fileURLToPath(new URL('../controlplane', import.meta.url));
const SOURCE_FILES = ['main.go', 'go.mod', 'go.sum'];
const BINARY = 'controlplane';
const NAMES = ['etcd', 'kube-apiserver', 'kube-controller-manager', 'kube-scheduler', 'kubectl'];
/** The programs in envtest's folder; a controller manager is optional. */
const REQUIRED = ['etcd', 'kube-apiserver', 'kubectl'];

const VERSION = 'k8s.io/component-base/version';
const FLAGS = ['-trimpath', '-tags', 'grpcnotrace'].concat([
  '-ldflags',
  `-s -w -X ${VERSION}.gitVersion=v1.36.3 -X ${VERSION}.gitMajor=1 -X ${VERSION}.gitMinor=36`,
]);

/**
 * A folder that holds etcd, kube-apiserver, kubectl and (always when built here) kube-controller-manager, kube-scheduler.
 * The first build takes minutes; `progress` gets a line at least every few seconds.
 * @throws when KUBEBUILDER_ASSETS lacks a program, when Go is missing, or with the compiler's last lines.
 */
export async function ensureControlPlane({
  progress,
  signal,
}: {
  progress: Progress;
  signal: AbortSignal;
}): Promise<{ dir: string }> {
  const assets = process.env.KUBEBUILDER_ASSETS;
  if (assets !== undefined && assets !== '') return { dir: checkAssets(assets) };
  const inputs = sourceInputs(SOURCE, SOURCE_FILES);
  const dir = await cached({
    name: 'controlplane',
    key: cacheKey({ ...inputs, flags: FLAGS.join(' '), platform: `${process.platform}-${process.arch}` }),
    progress,
    signal,
    fill: (folder) => build(folder, progress, signal),
  });
  return { dir };
}

function checkAssets(dir: string): string {
  const missing = REQUIRED.filter((name) => findCommand(join(dir, name)) === undefined);
  if (missing.length === 0) return dir;
  throw new Error(`KUBEBUILDER_ASSETS=${dir} (an absolute path is needed) has no ${missing.join(', ')}`);
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

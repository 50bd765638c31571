// The Kubernetes programs: taken from KUBEBUILDER_ASSETS, or built once from Go modules into the cache. It must not know
// how they are started.
import { readFileSync } from 'node:fs';
import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cached, cacheKey, type Progress } from './cache.ts';
import { findCommand, runCommand } from './commands.ts';

const SOURCE = fileURLToPath(new URL('../../../../deploy/local/controlplane', import.meta.url));
const SOURCE_FILES = ['main.go', 'go.mod', 'go.sum'];
const BINARY = 'controlplane';
const NAMES = ['etcd', 'kube-apiserver', 'kube-controller-manager', 'kube-scheduler', 'kubectl'];
/** What envtest's folder holds; a controller manager is a welcome addition. */
const REQUIRED = ['etcd', 'kube-apiserver', 'kubectl'];

const VERSION = 'k8s.io/component-base/version';
const FLAGS = ['-trimpath', '-tags', 'grpcnotrace'].concat([
  '-ldflags',
  `-s -w -X ${VERSION}.gitVersion=v1.36.3 -X ${VERSION}.gitMajor=1 -X ${VERSION}.gitMinor=36`,
]);

const NEWS_MS = 3_000;
const STEP_LIMIT_MS = 60 * 60_000;

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
  const inputs = Object.fromEntries(SOURCE_FILES.map((file) => [file, readFileSync(join(SOURCE, file))]));
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
  const go = findCommand('go') ?? findCommand('/usr/local/go/bin/go');
  if (go === undefined) {
    throw new Error(
      'Go is needed to build the Kubernetes control plane: install Go 1.26 or later (https://go.dev/dl/), or set ' +
        'KUBEBUILDER_ASSETS to a folder with etcd, kube-apiserver and kubectl, or KUBECONFIG to use a cluster that runs already',
    );
  }
  progress("building the Kubernetes control plane from Go modules: once, a few minutes, about 4 GB in Go's caches");
  const modules = countRequired(readFileSync(join(SOURCE, 'go.mod'), 'utf8'));
  const download = downloadCounter(modules);
  await step({
    go,
    args: ['mod', 'download', '-x'],
    what: 'downloading Go modules',
    count: download,
    progress,
    signal,
  });
  const packages = await step({
    go,
    args: ['list', '-deps', ...FLAGS, '.'],
    what: 'listing packages',
    count: () => undefined,
    progress,
    signal,
  });
  const compile = compileCounter(packages.split('\n').length);
  const output = ['-o', join(folder, BINARY)];
  await step({
    go,
    args: ['build', '-v', ...FLAGS, ...output, '.'],
    what: 'compiling',
    count: compile,
    progress,
    signal,
  });
  for (const name of NAMES) await symlink(BINARY, join(folder, name));
}

/** Takes a line of the program's output; gives what to show of the whole so far, or undefined for "nothing new". */
type Counter = (line: string) => string | undefined;

interface Step {
  go: string;
  args: readonly string[];
  what: string;
  count: Counter;
  progress: Progress;
  signal: AbortSignal;
}

async function step({ go, args, what, count, progress, signal }: Step): Promise<string> {
  const started = performance.now();
  let shown = '';
  const news = setInterval(() => {
    const seconds = Math.round((performance.now() - started) / 1000);
    progress(`  ${what}: ${shown === '' ? '' : `${shown}, `}${seconds} s`);
  }, NEWS_MS);
  try {
    const { code, out, tail } = await runCommand({
      command: go,
      args,
      cwd: SOURCE,
      // The module stands alone: neither a workspace around it nor flags meant for another build may change it.
      env: { ...process.env, CGO_ENABLED: '0', GOWORK: 'off', GOFLAGS: '-mod=readonly' },
      onLine: (line) => {
        shown = count(line) ?? shown;
      },
      timeoutMs: STEP_LIMIT_MS,
      signal,
    });
    if (code !== 0) throw new Error(`go ${args[0]} failed (code ${code}):\n${tail}`);
    return out;
  } finally {
    clearInterval(news);
  }
}

/** Modules that a go.mod text requires. */
export function countRequired(goMod: string): number {
  const blocks = [...goMod.matchAll(/^require \(\n([\s\S]*?)^\)/gm)].flatMap(([, lines]) =>
    (lines ?? '').trim().split('\n'),
  );
  return blocks.length + [...goMod.matchAll(/^require [^(]/gm)].length;
}

/** Counts the archives that `go mod download -x` reports as fetched: `# get https://…/@v/v1.2.3.zip: 200 OK (0.1s)`. */
export function downloadCounter(total: number): Counter {
  let fetched = 0;
  return (line) => {
    const [, module, version] = /^# get \S+?\/([^/]+\/[^/]+)\/@v\/(\S+)\.zip: 200/.exec(line) ?? [];
    if (module === undefined) return undefined;
    fetched++;
    return `${fetched} of at most ${total} (${module.replaceAll('%21', '')} ${version})`;
  };
}

/** Counts the packages that `go build -v` names as it starts on each; what is in Go's own cache is never named. */
export function compileCounter(total: number): Counter {
  let compiled = 0;
  return (line) => {
    if (!/^[\w.~/-]+$/.test(line)) return undefined;
    compiled++;
    return `${compiled} of at most ${total} packages (${line})`;
  };
}

// cert-manager's own test suite for DNS-01 solvers as a program, built once from Go modules into the cache.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { cached, cacheKey } from '../../../deploy/local/parts/cache.ts';
import { runCommand } from '../../../deploy/local/parts/commands.ts';
import { ensureControlPlane } from '../../../deploy/local/parts/controlplane-build.ts';
import { findGo, goEnvironment, goFlags } from '../../../deploy/local/parts/go-flags.ts';

const SOURCE = new URL('../../../deploy/local/certmanager/', import.meta.url).pathname;
const FILES = ['conformance/conformance_test.go', 'go.mod', 'go.sum'];
/** As cert-manager's controllers are built: most packages are in Go's cache then. */
const FLAGS = goFlags();
const BUILD_LIMIT_MS = 20 * 60_000;

const { signal } = new AbortController();
const progress = (line: string) => process.stdout.write(`${line}\n`);

export interface ConformanceTarget {
  /** The token of cert-manager's account. */
  kubeconfig: string;
  /** With a final dot. */
  zone: string;
  /** host:port */
  dns: string;
}

/** Runs Basic and Extended (strict). @returns the last lines of its output, and its exit code */
export async function runConformance({ kubeconfig, zone, dns }: ConformanceTarget) {
  const { dir } = await ensureControlPlane({ progress, signal });
  const env = {
    PATH: process.env.PATH,
    HOME: process.env.HOME,
    TEST_ASSET_ETCD: join(dir, 'etcd'),
    TEST_ASSET_KUBE_APISERVER: join(dir, 'kube-apiserver'),
    TEST_ASSET_KUBECTL: join(dir, 'kubectl'),
    // Its own kube-apiserver has 20 s to start, unless told otherwise.
    KUBEBUILDER_CONTROLPLANE_START_TIMEOUT: '120s',
    KUBEBUILDER_CONTROLPLANE_STOP_TIMEOUT: '60s',
    CONFORMANCE_KUBECONFIG: kubeconfig,
    CONFORMANCE_ZONE: zone,
    CONFORMANCE_DNS: dns,
  };
  const args = ['-test.v', '-test.timeout=350s'];
  return runCommand({ command: join(await ensureConformance(), 'conformance'), args, env, timeoutMs: 380_000, signal });
}

/** The folder of the program `conformance`; built first where it never was. @throws with the compiler's last lines */
export function ensureConformance(): Promise<string> {
  const key = cacheKey({
    ...Object.fromEntries(FILES.map((file) => [file, readFileSync(join(SOURCE, file))])),
    flags: FLAGS.join(' '),
    platform: `${process.platform}-${process.arch}`,
  });
  const fill = async (folder: string) => {
    const go = findGo('the test suite of cert-manager');
    progress('building the test suite of cert-manager for solvers: once, a minute or two');
    const args = ['test', '-c', ...FLAGS, '-o', join(folder, 'conformance'), './conformance'];
    const { code, tail } = await runCommand({
      command: go,
      args,
      cwd: SOURCE,
      env: goEnvironment(),
      timeoutMs: BUILD_LIMIT_MS,
      signal,
    });
    if (code !== 0) throw new Error(`go test -c failed:\n${tail}`);
  };
  return cached({ name: 'conformance', key, fill, progress, signal });
}

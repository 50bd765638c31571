// cert-manager's controller and cainjector, and Pebble, a certificate authority for trying ACME: built once from Go
// modules into the cache.
import { cp, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cached, cacheKey, type Progress } from './cache.ts';
import { runCommand } from './commands.ts';
import { buildGo, sourceInputs } from './go-build.ts';
import { findGo, goEnvironment, goFlags } from './go-flags.ts';

const SOURCE = fileURLToPath(new URL('../certmanager', import.meta.url));
const SOURCE_FILES = ['main.go', 'controller.go', 'cainjector.go', 'go.mod', 'go.sum'];
const MODULE = 'github.com/cert-manager/cert-manager';
const PEBBLE = 'github.com/letsencrypt/pebble/v2/cmd/pebble';
/** That of deploy/local/certmanager/go.mod. */
export const CERT_MANAGER_VERSION = 'v1.21.2';
/** The manifests of that release for a cluster, which `npm run kind` applies. */
export const CERT_MANAGER_MANIFESTS = {
  url: `https://github.com/cert-manager/cert-manager/releases/download/${CERT_MANAGER_VERSION}/cert-manager.yaml`,
  algorithm: 'sha256',
  digest: 'e03b668ec8675214af6b0a671699d088f2601fa3878e0dbe1b41d3feafd1879f',
  pinnedIn: 'deploy/local/parts/certmanager-build.ts',
} as const;
const FLAGS = goFlags({ [`${MODULE}/pkg/util.AppVersion`]: CERT_MANAGER_VERSION });
const NAMES = ['cert-manager', 'cainjector'];

/**
 * A folder that holds `cert-manager`, `cainjector`, `pebble`, and cert-manager's CRDs in `crds/`. The first build takes
 * minutes; `progress` gets a line at least every few seconds.
 * @throws when Go is missing, or with the compiler's last lines
 */
export async function ensureCertManager({
  progress,
  signal,
}: {
  progress: Progress;
  signal: AbortSignal;
}): Promise<{ dir: string }> {
  const dir = await cached({
    name: 'certmanager',
    key: cacheKey({
      ...sourceInputs(SOURCE, SOURCE_FILES),
      flags: FLAGS.join(' '),
      platform: `${process.platform}-${process.arch}`,
    }),
    progress,
    signal,
    fill: (folder) => build(folder, progress, signal),
  });
  return { dir };
}

async function build(folder: string, progress: Progress, signal: AbortSignal): Promise<void> {
  await buildGo({
    source: SOURCE,
    what: 'cert-manager and Pebble',
    costs: "a few minutes, about 2 GB in Go's caches",
    otherwise: 'or leave out --cert-manager',
    targets: [
      { package: PEBBLE, file: join(folder, 'pebble'), flags: FLAGS },
      { package: '.', file: join(folder, 'controllers'), flags: FLAGS },
    ],
    progress,
    signal,
  });
  for (const name of NAMES) await symlink('controllers', join(folder, name));
  await copyCrds(folder, signal);
}

/** The CRDs are files of the very module that the controllers were built from. */
async function copyCrds(folder: string, signal: AbortSignal): Promise<void> {
  const go = findGo('the CRDs of cert-manager');
  const env = goEnvironment();
  const args = ['list', '-m', '-f', '{{.Dir}}', MODULE];
  const { code, out, tail } = await runCommand({ command: go, args, cwd: SOURCE, env, timeoutMs: 60_000, signal });
  if (code !== 0) throw new Error(`go list failed:\n${tail}`);
  await cp(join(out.trim(), 'deploy', 'crds'), join(folder, 'crds'), { recursive: true });
}

// The CustomResourceDefinitions of the Gateway API: files of its Go module, in the version that cert-manager's module
// requires.
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { cached, cacheKey } from '../../../deploy/local/parts/cache.ts';
import { runCommand } from '../../../deploy/local/parts/commands.ts';
import { sourceInputs } from '../../../deploy/local/parts/go-build.ts';
import { findGo, goEnvironment } from '../../../deploy/local/parts/go-flags.ts';

const SOURCE = new URL('../../../deploy/local/certmanager/', import.meta.url).pathname;
const MODULE = 'sigs.k8s.io/gateway-api';
const KINDS = ['HTTPRoutes'];
const FILES = KINDS.map((kind) => `gateway.networking.k8s.io_${kind.toLowerCase()}.yaml`);
const LIMIT_MS = 10 * 60_000;

/** The paths of the files. @throws Error when Go is missing, or with its last lines */
export async function ensureGatewayCrds(signal: AbortSignal): Promise<string[]> {
  const folder = await cached({
    name: 'gateway-crds',
    key: cacheKey({ ...sourceInputs(SOURCE, ['go.mod']), files: FILES.join('\n') }),
    progress: () => undefined,
    signal,
    fill: (empty) => fill(empty, signal),
  });
  return FILES.map((file) => join(folder, file));
}

async function fill(folder: string, signal: AbortSignal): Promise<void> {
  const env = goEnvironment();
  const command = findGo('the CRDs of Gateway API');
  const args = ['mod', 'download', '-json', MODULE];
  const { code, out, tail } = await runCommand({ command, args, cwd: SOURCE, env, timeoutMs: LIMIT_MS, signal });
  if (code !== 0) throw new Error(`go mod download ${MODULE} failed:\n${tail}`);
  const { Dir } = JSON.parse(out) as { Dir: string };
  for (const file of FILES) await cp(join(Dir, 'config/crd/standard', file), join(folder, file));
}

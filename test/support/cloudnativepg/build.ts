// The operator of CloudNativePG, built once from Go modules into the cache, with its CustomResourceDefinitions and the
// configurations of its webhooks, which are files of the same module.
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cached, cacheKey, type Progress } from '../../../deploy/local/parts/cache.ts';
import { runCommand } from '../../../deploy/local/parts/commands.ts';
import { buildGo, sourceInputs } from '../../../deploy/local/parts/go-build.ts';
import { findGo, goEnvironment, goFlags } from '../../../deploy/local/parts/go-flags.ts';

const SOURCE = fileURLToPath(new URL('.', import.meta.url));
const MODULE = 'github.com/cloudnative-pg/cloudnative-pg';
const WHAT = 'the operator of CloudNativePG';
const FLAGS = goFlags();

/**
 * A folder with the program `manager`, the folder `crds` and the file `webhooks.yaml`. The first build takes minutes;
 * `progress` gets a line at least every few seconds. @throws when Go is missing, or with the compiler's last lines
 */
export function ensureCloudNativePg(progress: Progress, signal: AbortSignal): Promise<string> {
  return cached({
    name: 'cloudnativepg',
    key: cacheKey({
      ...sourceInputs(SOURCE, ['go.mod', 'go.sum']),
      flags: FLAGS.join(' '),
      platform: `${process.platform}-${process.arch}`,
    }),
    progress,
    signal,
    fill: (folder) => build(folder, progress, signal),
  });
}

async function build(folder: string, progress: Progress, signal: AbortSignal): Promise<void> {
  await buildGo({
    source: SOURCE,
    what: WHAT,
    costs: 'a few minutes',
    otherwise: 'which a test of the chart needs',
    targets: [{ package: `${MODULE}/cmd/manager`, file: join(folder, 'manager'), flags: FLAGS }],
    progress,
    signal,
  });
  const args = ['list', '-m', '-f', '{{.Dir}}', MODULE];
  const options = { cwd: SOURCE, env: goEnvironment(), timeoutMs: 60_000, signal };
  const { code, out, tail } = await runCommand({ command: findGo(WHAT), args, ...options });
  if (code !== 0) throw new Error(`go list failed:\n${tail}`);
  const config = join(out.trim(), 'config');
  await cp(join(config, 'crd', 'bases'), join(folder, 'crds'), { recursive: true });
  await cp(join(config, 'webhook', 'manifests.yaml'), join(folder, 'webhooks.yaml'));
}

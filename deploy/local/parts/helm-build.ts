// Helm, built once from Go modules into the cache: it installs the chart, and the tests render the chart with it.
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cached, cacheKey, type Progress } from './cache.ts';
import { buildGo, sourceInputs } from './go-build.ts';

const SOURCE = fileURLToPath(new URL('../helm', import.meta.url));
const PACKAGE = 'helm.sh/helm/v4/cmd/helm';
const VERSION = 'helm.sh/helm/v4/internal/version';
const FLAGS = ['-trimpath', '-ldflags', `-s -w -X ${VERSION}.version=v4.2.4`];

/**
 * The path of `helm`. The first build takes minutes; `progress` gets a line at least every few seconds.
 * @throws when Go is missing, or with the compiler's last lines
 */
export async function ensureHelm({ progress, signal }: { progress: Progress; signal: AbortSignal }): Promise<string> {
  const inputs = sourceInputs(SOURCE, ['go.mod', 'go.sum']);
  const folder = await cached({
    name: 'helm',
    key: cacheKey({ ...inputs, flags: FLAGS.join(' '), platform: `${process.platform}-${process.arch}` }),
    progress,
    signal,
    fill: (empty) =>
      buildGo({
        source: SOURCE,
        what: 'Helm',
        costs: 'a few minutes',
        otherwise: 'which the tests of the chart need',
        targets: [{ package: PACKAGE, file: join(empty, 'helm'), flags: FLAGS }],
        progress,
        signal,
      }),
  });
  return join(folder, 'helm');
}

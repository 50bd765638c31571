// Verification of signatures by the code of cosign, built once from Go modules into the cache.
import { join } from 'node:path';
import { cached, cacheKey, type Progress } from '../../../deploy/local/parts/cache.ts';
import { buildGo, sourceInputs } from '../../../deploy/local/parts/go-build.ts';

const SOURCE = new URL('cosign/', import.meta.url).pathname;
const FLAGS = ['-trimpath', '-ldflags', '-s -w'];

/** The path of the program. @throws Error when Go is missing, or with the compiler's last lines */
export async function ensureCosign(progress: Progress, signal: AbortSignal): Promise<string> {
  const folder = await cached({
    name: 'cosign',
    key: cacheKey({
      ...sourceInputs(SOURCE, ['main.go', 'go.mod', 'go.sum']),
      flags: FLAGS.join(' '),
      platform: `${process.platform}-${process.arch}`,
    }),
    progress,
    signal,
    fill: (target) =>
      buildGo({
        source: SOURCE,
        what: 'the verification of cosign',
        costs: 'a minute',
        otherwise: 'or leave out the tests in test/integration/release',
        targets: [{ package: '.', file: join(target, 'cosign'), flags: FLAGS }],
        progress,
        signal,
      }),
  });
  return join(folder, 'cosign');
}

// dnscontrol with the two providers that the tests need, built once from Go modules into the cache.
import { join } from 'node:path';
import { cached, cacheKey, type Progress } from '../../../deploy/local/parts/cache.ts';
import { buildGo, sourceInputs } from '../../../deploy/local/parts/go-build.ts';

const SOURCE = new URL('dnscontrol/', import.meta.url).pathname;
const FLAGS = ['-trimpath', '-ldflags', '-s -w'];

/** The path of the program. @throws Error when Go is missing, or with the compiler's last lines */
export async function ensureDnscontrol(progress: Progress, signal: AbortSignal): Promise<string> {
  const folder = await cached({
    name: 'dnscontrol',
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
        what: 'dnscontrol',
        costs: 'about two minutes',
        otherwise: 'or leave out the tests in test/e2e/doors',
        targets: [{ package: '.', file: join(target, 'dnscontrol'), flags: FLAGS }],
        progress,
        signal,
      }),
  });
  return join(folder, 'dnscontrol');
}

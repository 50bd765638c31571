// Helm, built once from Go modules into the cache: it installs the chart, and the tests render the chart with it.
import { fileURLToPath } from 'node:url';
import type { Progress } from './cache.ts';
import { goFlags } from './go-flags.ts';
import { ensureGoProgram } from './go-program.ts';

const SOURCE = fileURLToPath(new URL('../helm', import.meta.url));
const VERSION = 'helm.sh/helm/v4/internal/version';

/** The path of `helm`. @throws as ensureGoProgram */
export function ensureHelm({ progress, signal }: { progress: Progress; signal: AbortSignal }): Promise<string> {
  const program = {
    name: 'helm',
    source: SOURCE,
    package: 'helm.sh/helm/v4/cmd/helm',
    flags: goFlags({ [`${VERSION}.version`]: 'v4.2.4' }),
    what: 'Helm',
    costs: 'a few minutes',
    otherwise: 'which the tests of the chart need',
  };
  return ensureGoProgram(program, progress, signal);
}

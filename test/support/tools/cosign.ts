// Verification of signatures by the code of cosign.
import { fileURLToPath } from 'node:url';
import type { Progress } from '../../../deploy/local/parts/cache.ts';
import { ensureGoProgram } from '../../../deploy/local/parts/go-program.ts';

/** The path of the program. @throws as ensureGoProgram */
export function ensureCosign(progress: Progress, signal: AbortSignal): Promise<string> {
  const program = {
    name: 'cosign',
    source: fileURLToPath(new URL('cosign', import.meta.url)),
    files: ['main.go'],
    package: '.',
    what: 'the verification of cosign',
    costs: 'a minute',
    otherwise: 'or leave out the tests in test/integration/release',
  };
  return ensureGoProgram(program, progress, signal);
}

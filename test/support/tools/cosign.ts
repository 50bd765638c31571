// Verification of signatures by the code of cosign.
import type { Progress } from '../../../deploy/local/parts/cache.ts';
import { ensureGoProgram } from './go-program.ts';

/** The path of the program. @throws as ensureGoProgram */
export function ensureCosign(progress: Progress, signal: AbortSignal): Promise<string> {
  const program = {
    name: 'cosign',
    what: 'the verification of cosign',
    costs: 'a minute',
    otherwise: 'or leave out the tests in test/integration/release',
  };
  return ensureGoProgram(program, progress, signal);
}

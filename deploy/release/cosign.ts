// cosign, built once from Go modules into the cache: it signs what a release publishes, and the tests verify with it.
//
// A cosign of the machine is not taken: its version decides in which form it signs, and other versions have other
// flags. From nothing, a build takes five minutes of one processor for 1,640 packages, and the program has 94 MB.
import { fileURLToPath } from 'node:url';
import type { Progress } from '../local/parts/cache.ts';
import { ensureGoProgram } from '../local/parts/go-program.ts';

/** The path of `cosign`. @throws as ensureGoProgram */
export function ensureCosign({ progress, signal }: { progress: Progress; signal: AbortSignal }): Promise<string> {
  const program = {
    name: 'cosign',
    source: fileURLToPath(new URL('cosign', import.meta.url)),
    files: ['main.go'],
    package: '.',
    what: 'cosign',
    costs: 'about five minutes',
    otherwise: 'or leave out --sign-key',
  };
  return ensureGoProgram(program, progress, signal);
}

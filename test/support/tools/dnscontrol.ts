// dnscontrol with the two providers that the tests need.
import { fileURLToPath } from 'node:url';
import type { Progress } from '../../../deploy/local/parts/cache.ts';
import { ensureGoProgram } from '../../../deploy/local/parts/go-program.ts';

/** The path of the program. @throws as ensureGoProgram */
export function ensureDnscontrol(progress: Progress, signal: AbortSignal): Promise<string> {
  const program = {
    name: 'dnscontrol',
    source: fileURLToPath(new URL('dnscontrol', import.meta.url)),
    files: ['main.go'],
    package: '.',
    what: 'dnscontrol',
    costs: 'about two minutes',
    otherwise: 'or leave out the tests in test/e2e/doors',
  };
  return ensureGoProgram(program, progress, signal);
}

// dnscontrol with the two providers that the tests need.
import type { Progress } from '../../../deploy/local/parts/cache.ts';
import { ensureGoProgram } from './go-program.ts';

/** The path of the program. @throws as ensureGoProgram */
export function ensureDnscontrol(progress: Progress, signal: AbortSignal): Promise<string> {
  const program = {
    name: 'dnscontrol',
    what: 'dnscontrol',
    costs: 'about two minutes',
    otherwise: 'or leave out the tests in test/e2e/doors',
  };
  return ensureGoProgram(program, progress, signal);
}

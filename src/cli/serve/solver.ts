// `zonestead solver`
import { setFlagsFromString } from 'node:v8';
import { SOLVER_SETTINGS } from '#solver/settings.ts';
import { describeCommand } from '../command.ts';

export const command = describeCommand({
  name: 'solver',
  describe: 'solve DNS-01 challenges of cert-manager with DNSRecord objects',
  settings: SOLVER_SETTINGS,
  run: async (_args, _options, { config, signal }) => {
    // V8 then grows the heap in small steps. NODE_OPTIONS does not accept this flag.
    setFlagsFromString('--optimize-for-size');
    const { runSolver } = await import('#solver/main.ts');
    await runSolver(config(), signal);
  },
});

// `zonestead solver`
import { SOLVER_SETTINGS } from '#solver/settings.ts';
import { describeCommand } from '../command.ts';

export const command = describeCommand({
  name: 'solver',
  describe: 'solve DNS-01 challenges of cert-manager with DNSRecord objects',
  settings: SOLVER_SETTINGS,
  run: async (_args, _options, { config, signal }) => {
    const { runSolver } = await import('#solver/main.ts');
    await runSolver(config(), signal);
  },
});

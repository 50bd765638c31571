// `zonestead completion`
import { describeCommand } from '../command.ts';
import { COMPLETION_SCRIPTS, SHELLS, type Shell } from './scripts.ts';

export const command = describeCommand({
  name: 'completion',
  describe: 'print a script that completes commands, options, their values and names of zones in your shell',
  arguments: [{ usage: '<shell>', describe: 'your shell: bash, zsh or fish', choices: SHELLS }],
  notes: `Load the script in the startup file of your shell, for bash with "source <(zonestead completion bash)",
and for fish with "zonestead completion fish | source".`,
  examples: ['source <(zonestead completion bash)'],
  run: async ([shell], _options, { print }) => print(COMPLETION_SCRIPTS[shell as Shell]),
});

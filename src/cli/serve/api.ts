// `zonestead api`
import { API_PROCESS_SETTINGS } from '#api/settings.ts';
import { describeCommand } from '../command.ts';
import { untilSecretsChange } from '../secrets.ts';

export const command = describeCommand({
  name: 'api',
  describe: 'serve the REST API and the console; migrates the database first',
  settings: API_PROCESS_SETTINGS,
  run: async (_args, _options, context) => {
    const { runApi } = await import('#api/run.ts');
    const { loadParts } = await import('#api/parts.ts');
    const config = context.config();
    const outside = await loadParts(config);
    await untilSecretsChange(context, () => runApi(config, outside, context.signal));
  },
});

// `zonestead api`
import { API_PROCESS_SETTINGS } from '#api-process.ts';
import { describeCommand } from '../command.ts';
import { untilSecretsChange } from '../secrets.ts';

export const command = describeCommand({
  name: 'api',
  describe: 'serve the REST API and the console; migrates the database first',
  settings: API_PROCESS_SETTINGS,
  run: async (_args, _options, context) => {
    const { runApi } = await import('#api/server.ts');
    const { partsOfApi } = await import('#api-process.ts');
    const config = context.config();
    const outside = await partsOfApi(config);
    await untilSecretsChange(context, () => runApi(config, outside, context.signal));
  },
});

// `zonestead operator`
import { OPERATOR_SETTINGS } from '#operator/run/settings.ts';
import { describeCommand } from '../command.ts';
import { untilSecretsChange } from '../secrets.ts';

export const command = describeCommand({
  name: 'operator',
  describe: 'reconcile DNSZone and DNSRecord objects with the REST API',
  settings: OPERATOR_SETTINGS,
  run: async (_args, _options, context) => {
    const { runOperator } = await import('#operator/run/main.ts');
    const config = context.config();
    await untilSecretsChange(context, () => runOperator(config, context.signal));
  },
});

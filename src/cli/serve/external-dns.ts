// `zonestead external-dns`
import { EXTERNAL_DNS_SETTINGS } from '#external-dns/settings.ts';
import { describeCommand } from '../command.ts';
import { untilSecretsChange } from '../secrets.ts';

export const command = describeCommand({
  name: 'external-dns',
  describe: 'serve the webhook provider of external-dns; runs in the pod of external-dns',
  settings: EXTERNAL_DNS_SETTINGS,
  run: async (_args, _options, context) => {
    const { runExternalDns } = await import('#external-dns/main.ts');
    const config = context.config();
    await untilSecretsChange(context, () => runExternalDns(config, context.signal));
  },
});

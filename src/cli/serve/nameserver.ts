// `zonestead nameserver`
import { NODE_SETTINGS } from '#nameserver/settings.ts';
import { describeCommand } from '../command.ts';
import { untilSecretsChange } from '../secrets.ts';

export const command = describeCommand({
  name: 'nameserver',
  describe: 'follow the feed of an api, and apply it to the knotd on the same machine',
  settings: NODE_SETTINGS,
  run: async (_args, _options, context) => {
    const { runNode } = await import('#nameserver/node/server.ts');
    const config = context.config();
    await untilSecretsChange(context, () => runNode(config, context.signal));
  },
});

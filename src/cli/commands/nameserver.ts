// `zonestead nameserver`
import { CONF_SETTINGS, NAMESERVER_SETTINGS } from '#nameserver/settings.ts';
import { describeCommand } from '../command.ts';
import { untilSecretsChange } from '../secrets.ts';

export const command = describeCommand({
  name: 'nameserver',
  describe: 'keep the cache of the PowerDNS in the same pod up to date',
  settings: ['ZONESTEAD_PDNS_CONF', ...NAMESERVER_SETTINGS, ...CONF_SETTINGS],
  run: async (_args, _options, context) => {
    const { runNameserver } = await import('#nameserver/server.ts');
    const { renewConf } = await import('#nameserver/companion/conf-file.ts');
    const config = context.config();
    const { ZONESTEAD_PDNS_CONF: conf, ZONESTEAD_PDNS_SOCKET: socket } = config;
    if (conf !== undefined) await renewConf(config, conf, socket);
    await untilSecretsChange(context, () => runNameserver(config, context.signal));
  },
});

// `zonestead pdns-conf`
import { CONF_SETTINGS } from '#nameserver/settings.ts';
import { describeCommand } from '../command.ts';

export const command = describeCommand({
  name: 'pdns-conf',
  describe: 'write the configuration of PowerDNS from the settings of the name server',
  options: [
    { flags: '--output <file>', describe: 'file to write, with mode 600', isRequired: true },
    { flags: '--socket-dir <folder>', describe: 'folder of the control socket', default: '/run/pdns' },
  ],
  settings: CONF_SETTINGS,
  run: async (_args, { output, socketDir }: { output: string; socketDir: string }, { config }) => {
    const { writeConf } = await import('#nameserver/companion/conf-file.ts');
    await writeConf(config(), output, socketDir);
  },
});

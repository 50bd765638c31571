// `zonestead check`
import { describeCommand } from '../command.ts';

export const command = describeCommand({
  name: 'check',
  describe: 'check an installation: the name servers over UDP and TCP, the REST API, and the API key if there is one',
  options: [{ flags: '--dns <host:port>', describe: 'address of the name servers', isRequired: true }],
  settings: ['ZONESTEAD_URL', 'ZONESTEAD_API_KEY'],
  run: async (_args, { dns }: { dns: string }, { print, signal }) => {
    const { runCheck } = await import('../check.ts');
    const { isSet, readConfig } = await import('#config.ts');
    const config = isSet('ZONESTEAD_API_KEY')
      ? readConfig(['ZONESTEAD_URL', 'ZONESTEAD_API_KEY'])
      : readConfig(['ZONESTEAD_URL']);
    return (await runCheck(config, dns, print, signal)) ? 0 : 1;
  },
});

// `zonestead check`
import { describeCommand } from '../command.ts';
import { REST_SETTINGS } from './rest.ts';

export const command = describeCommand({
  name: 'check',
  describe: 'check an installation: the name servers over UDP and TCP, the REST API, and the API key if there is one',
  options: [
    { flags: '--dns <host:port>', describe: 'address of the name servers', isRequired: true },
    { flags: '--dns-only', describe: 'check the name servers alone' },
  ],
  settings: REST_SETTINGS,
  run: async (_args, { dns, dnsOnly = false }: { dns: string; dnsOnly?: boolean }, { print, signal }) => {
    const { runCheck } = await import('../check.ts');
    if (dnsOnly) return (await runCheck(null, dns, print, signal)) ? 0 : 1;
    const { isSet, readConfig } = await import('#config.ts');
    const config = isSet('ZONESTEAD_API_KEY')
      ? readConfig(REST_SETTINGS)
      : readConfig(['ZONESTEAD_URL', 'ZONESTEAD_URL_CA']);
    return (await runCheck(config, dns, print, signal)) ? 0 : 1;
  },
});

// `zonestead check`: a client's view of an installation, which `helm test` runs.
import { describeCommand } from './command.ts';
import { printFindings } from './findings.ts';
import { REST_SETTINGS } from './rest/with-rest.ts';

export const command = describeCommand({
  name: 'check',
  describe: 'check an installation: the name servers over UDP and TCP, the REST API, and the API key if there is one',
  options: [
    { flags: '--dns <host:port>', describe: 'address of the name servers', isRequired: true },
    { flags: '--dns-only', describe: 'check the name servers alone' },
  ],
  settings: REST_SETTINGS,
  run: async (_args, { dns, dnsOnly = false }: { dns: string; dnsOnly?: boolean }, { print, signal }) => {
    const { isSet, readConfig } = await import('#config.ts');
    const { diagnoseService } = await import('#diagnosis/service.ts');
    const { hasFailure } = await import('#diagnosis/rank.ts');
    const readService = () =>
      isSet('ZONESTEAD_API_KEY') ? readConfig(REST_SETTINGS) : readConfig(['ZONESTEAD_URL', 'ZONESTEAD_URL_CA']);
    const findings = await diagnoseService(dnsOnly ? null : readService(), dns, signal);
    printFindings(findings, print);
    return hasFailure(findings) ? 1 : 0;
  },
});

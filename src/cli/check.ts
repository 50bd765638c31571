// `zonestead check`: a client's view of an installation, which `helm test` runs.
import { describeCommand } from './command.ts';
import { printFindings } from './findings.ts';
import { CONTEXT_OPTION, type ContextOption, findAccess, REST_SETTINGS } from './rest/access.ts';

export const command = describeCommand({
  name: 'check',
  describe: 'check an installation: the name servers over UDP and TCP, the REST API, and the API key if there is one',
  options: [
    { flags: '--dns <host:port>', describe: 'address of the name servers', isRequired: true },
    { flags: '--dns-only', describe: 'check the name servers alone' },
    CONTEXT_OPTION,
  ],
  settings: REST_SETTINGS,
  examples: ['zonestead check --dns ns1.example.net:53', 'zonestead check --dns 192.0.2.53:53 --dns-only'],
  run: async (
    _args,
    { dns, dnsOnly = false, ...access }: ContextOption & { dns: string; dnsOnly?: boolean },
    { print, signal },
  ) => {
    const { isSet, readConfig } = await import('#config.ts');
    const { diagnoseService } = await import('#diagnosis/service.ts');
    const { hasFailure } = await import('#diagnosis/rank.ts');
    const readService = async () => {
      const { environment } = await findAccess(access);
      return isSet('ZONESTEAD_API_KEY', environment)
        ? readConfig(REST_SETTINGS, environment)
        : readConfig(['ZONESTEAD_URL', 'ZONESTEAD_URL_CA'], environment);
    };
    const findings = await diagnoseService(dnsOnly ? null : await readService(), dns, signal);
    printFindings(findings, print);
    return hasFailure(findings) ? 1 : 0;
  },
});

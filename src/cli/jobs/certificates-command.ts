// `zonestead certificates`
import { describeCommand } from '../command.ts';
import { CERTIFICATE_OPTION } from './certificate-option.ts';

export const command = describeCommand({
  name: 'certificates',
  describe: 'in a cluster: create the certificates of the api and of the built-in Postgres, or renew them',
  options: [
    { ...CERTIFICATE_OPTION, isRequired: true },
    { flags: '--labels <key=value,...>', describe: 'labels of a new Secret', default: '' },
  ],
  settings: ['ZONESTEAD_LOG_LEVEL', 'KUBECONFIG', 'KUBERNETES_SERVICE_HOST', 'KUBERNETES_SERVICE_PORT'],
  run: async (_args, options: object, { config, signal }) => {
    const { certificatesOptions } = await import('./options.ts');
    const { runCertificates } = await import('./run.ts');
    await runCertificates(certificatesOptions(options), config(), signal);
  },
});

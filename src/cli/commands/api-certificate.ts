// `zonestead api-certificate`
import { describeCommand } from '../command.ts';

export const command = describeCommand({
  name: 'api-certificate',
  describe: 'in a cluster: create the certificate of the api for HTTPS, or renew it',
  options: [
    { flags: '--secret <name>', describe: 'Secret that this command creates for the certificate', isRequired: true },
    { flags: '--hosts <names>', describe: 'comma-separated names and addresses of the api', isRequired: true },
    { flags: '--labels <key=value,...>', describe: 'labels of a new Secret', default: '' },
  ],
  settings: ['ZONESTEAD_LOG_LEVEL', 'KUBECONFIG', 'KUBERNETES_SERVICE_HOST', 'KUBERNETES_SERVICE_PORT'],
  run: async (_args, options: object, { config, signal }) => {
    const { certificateOptions } = await import('../jobs/options.ts');
    const { runCertificate } = await import('../jobs/run.ts');
    await runCertificate(certificateOptions(options), config(), signal);
  },
});

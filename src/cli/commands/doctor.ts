// `zonestead doctor`
import { describeCommand } from '../command.ts';

export const command = describeCommand({
  name: 'doctor',
  describe: 'check every step from cert-manager to the name servers, and print how to fix each problem',
  arguments: [{ usage: '[names...]', describe: 'names for a certificate, for instance www.example.org' }],
  options: [
    { flags: '--namespace <name>', describe: 'namespace of the Certificate', default: 'default' },
    {
      flags: '--account <user>',
      describe: 'user name of cert-manager in Kubernetes',
      default: 'system:serviceaccount:cert-manager:cert-manager',
    },
  ],
  settings: ['KUBECONFIG', 'ZONESTEAD_NAMESERVER_ADDRESSES'],
  run: async (names, options: { namespace: string; account: string }, { config, print, signal }) => {
    const { runDoctor } = await import('../doctor/doctor.ts');
    return runDoctor(config(), names, options, print, signal);
  },
});

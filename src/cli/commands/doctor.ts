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
    const { findSharedModules } = await import('#nameserver/knot/shared-modules.ts');
    const { fail, findingLines } = await import('../doctor/finding.ts');
    const fault = await findSharedModules('knotc', signal);
    if (fault !== null) for (const line of findingLines(fail('the knotd of this machine', fault))) print(line);
    const { runDoctor } = await import('../doctor/doctor.ts');
    const code = await runDoctor(config(), names, options, print, signal);
    return fault === null ? code : 1;
  },
});

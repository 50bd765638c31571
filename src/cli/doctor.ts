// `zonestead doctor`: checks every step from cert-manager to the name servers in a live cluster, and prints how to fix
// each problem. It changes nothing.
import type { Finding } from '#diagnosis/finding.ts';
import { describeCommand } from './command.ts';
import { printFindings } from './findings.ts';

interface DoctorOptions {
  /** The namespace of the Certificates. */
  readonly namespace: string;
  /** The user name of cert-manager in Kubernetes. */
  readonly account: string;
}

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
  notes: 'With DATABASE_URL, as in a pod of the api, it also says whether private keys are in clear in the database.',
  examples: ['zonestead doctor', 'zonestead doctor www.shop.example --namespace team-a'],
  run: async (names, { namespace, account }: DoctorOptions, { config, print, signal }) => {
    const { hasFailure } = await import('#diagnosis/rank.ts');
    let failed = false;
    const report = (findings: readonly Finding[]) => {
      printFindings(findings, print);
      failed ||= hasFailure(findings);
    };
    report(await examineMachine(signal));
    report(await examineDatabase());
    const { KUBECONFIG, ZONESTEAD_NAMESERVER_ADDRESSES } = config();
    const { Resolver } = await import('node:dns/promises');
    const { diagnoseName, diagnoseSolver, diagnoseZones } = await import('#diagnosis/chain.ts');
    const { parseOverrides } = await import('#nameserver/probe/probe.ts');
    const { withReader } = await import('./kubectl/cluster.ts');
    await withReader(null, KUBECONFIG, async ({ reader }) => {
      report(await diagnoseSolver(reader, account, signal));
      if (names.length === 0) report(await diagnoseZones(reader, signal));
      const overrides = parseOverrides(ZONESTEAD_NAMESERVER_ADDRESSES);
      const ports = { reader, overrides, resolver: new Resolver({ timeout: 2_000, tries: 1 }) };
      for (const name of names) {
        print('');
        print(`${name}, for a Certificate in namespace ${namespace}:`);
        report(await diagnoseName(ports, name, namespace, signal));
      }
    });
    return failed ? 1 : 0;
  },
});

/** The Knot DNS of this machine, which a local stack runs. */
async function examineMachine(signal: AbortSignal): Promise<Finding[]> {
  const { findSharedModules } = await import('#nameserver/knot/shared-modules.ts');
  const { fail } = await import('#diagnosis/finding.ts');
  const fault = await findSharedModules('knotc', signal);
  return fault === null ? [] : [fail('machine', 'the knotd of this machine', fault)];
}

async function examineDatabase(): Promise<Finding[]> {
  const { isSet, readConfig } = await import('#config.ts');
  if (!isSet('DATABASE_URL')) return [];
  const { examineStoredKeys } = await import('./admin/examine-keys.ts');
  return [await examineStoredKeys(readConfig(['DATABASE_URL']).DATABASE_URL)];
}

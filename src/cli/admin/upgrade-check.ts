// `zonestead admin upgrade-check`: whether the installation is fit for an upgrade to this version.
import { DATABASE_SETTINGS } from '#base/postgres-settings.ts';
import type { Finding } from '#diagnosis/finding.ts';
import { describeCommand } from '../command.ts';
import { printFindings } from '../findings.ts';
import { OUTPUT_OPTION, type OutputOption, show } from '../output.ts';

export const upgradeCheck = describeCommand({
  name: 'upgrade-check',
  describe: 'check whether the installation can be upgraded to this version, and which parts have another one',
  options: [OUTPUT_OPTION],
  settings: [...DATABASE_SETTINGS, 'KUBECONFIG'],
  notes:
    'Run it with the image of the new version. It exits with 1 if something must be repaired before the upgrade. Parts of ' +
    'other versions are warnings: after the upgrade, none must remain. It reads the CRDs and the edges from the cluster of ' +
    'the kubeconfig or of its pod, and says so if it cannot. It changes nothing.',
  run: async (_args, { output: format }: OutputOption, { config, print, signal }): Promise<number> => {
    const { adminReadUpgrade } = await import('#service/upgrade.ts');
    const { checkUpgrade } = await import('#diagnosis/upgrade-checks.ts');
    const { hasFailure } = await import('#diagnosis/rank.ts');
    const { default: manifest } = await import('../../../package.json', { with: { type: 'json' } });
    const { DATABASE_URL, KUBECONFIG } = config();
    const findings = [
      ...checkUpgrade(await adminReadUpgrade(DATABASE_URL), manifest.version),
      ...(await checkCluster(KUBECONFIG, manifest.version, signal)),
    ];
    await show({ format, print }, { version: manifest.version, findings }, () => printFindings(findings, print));
    return hasFailure(findings) ? 1 : 0;
  },
});

/** A cluster that cannot be read is a finding, because the database shows most parts without it. */
async function checkCluster(kubeconfig: string | undefined, version: string, signal: AbortSignal): Promise<Finding[]> {
  const { checkClusterParts, readClusterParts, unchecked } = await import('#diagnosis/upgrade-cluster.ts');
  const { withReader } = await import('../kubectl/cluster.ts');
  try {
    return await withReader(null, kubeconfig, async ({ reader }) =>
      checkClusterParts(await readClusterParts(reader, signal), version),
    );
  } catch (error) {
    signal.throwIfAborted();
    return [unchecked('CRDs and the edges', (error as Error).message)];
  }
}

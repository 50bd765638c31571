// Edges in front of the name servers of a release that had none, on real pods.
import { expect, test } from 'vitest';
import type { TestCluster } from '../../support/kubelet/cluster.ts';
import { CHART, NAMESPACE, RELEASE, type Release } from '../../support/kubelet/release.ts';

/** It needs the zone node.example with www in the namespace `team`. */
export function hidesBehindEdges(of: () => { cluster: TestCluster; release: Release }): void {
  test('edges answer, also while a name server is replaced, and after the name servers have other addresses', async () => {
    const { cluster, release } = of();
    const kubectl = (...args: string[]) => cluster.kubectl('-n', NAMESPACE, ...args);
    const upgrade = () =>
      cluster.helm(
        'upgrade',
        RELEASE,
        CHART,
        '--reset-values',
        '--set=edge.enabled=true',
        '-n',
        NAMESPACE,
        '--wait',
        '--timeout=300s',
      );
    const answers = async () => (await release.dns.lookup('www.node.example', 'A')).answers;
    const change = async (content: string) => {
      const spec = { zoneRef: { name: 'node' }, name: 'www', type: 'A', content };
      const metadata = { name: 'www', namespace: 'team' };
      await release.apply([{ apiVersion: 'zonestead.dev/v1alpha1', kind: 'DNSRecord', metadata, spec }]);
      await expect.poll(answers, { timeout: 240_000, interval: 300 }).toEqual([`www.node.example 3600 A ${content}`]);
    };

    await upgrade();
    expect(await release.dns.dig('+nsid', 'www.node.example', 'A')).toContain(`("${RELEASE}-edge-`);
    expect((await release.dns.delv('node.example', 'www.node.example', 'A')).state).toBe('secure');
    await kubectl('delete', 'pod', `${RELEASE}-nameserver-0`, '--wait=false');
    expect(await answers()).toHaveLength(1);
    await change('192.0.2.31');

    await kubectl('delete', 'service', `${RELEASE}-nameserver-0`, `${RELEASE}-nameserver-1`);
    await upgrade();
    await change('192.0.2.32');
    const edges = (await release.pods()).filter(({ component }) => component === 'edge');
    expect(edges.map(({ containers }) => containers[0]?.restarts)).toEqual([0, 0]);
    await cluster.kubectl('-n', 'team', 'wait', '--for=condition=Ready', 'dnsrecord/www', '--timeout=180s');
  });
}

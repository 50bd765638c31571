// Containers that die by SIGKILL, as of a crash or too little memory: pods stay, and the kubelet starts them again.
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { TestCluster } from '../../support/kubelet/cluster.ts';
import { DNS_LIMIT_MS, startDnsLoad } from '../../support/kubelet/dns-load.ts';
import { killContainer } from '../../support/kubelet/kill.ts';
import { type Container, NAMESPACE, type Pod, RELEASE, type Release } from '../../support/kubelet/release.ts';
import { startWrites } from '../../support/kubelet/writes.ts';

const TEAM = 'crash';
const API_VERSION = 'zonestead.dev/v1alpha1';
const zone = {
  apiVersion: API_VERSION,
  kind: 'DNSZone',
  metadata: { name: 'crash', namespace: TEAM },
  spec: { zoneName: 'crash.example' },
};
const record = (name: string) => ({
  apiVersion: API_VERSION,
  kind: 'DNSRecord',
  metadata: { name, namespace: TEAM },
  spec: { zoneRef: { name: 'crash' }, name, type: 'A', content: '192.0.2.30' },
});

/** To be called where the release is installed with its default values and nothing is under way in it. */
export function survivesCrashes(theNode: () => { cluster: TestCluster; release: Release }): void {
  test('the release loses no acknowledged write, and next to no query, while a container of each kind is killed', async ({
    skip,
  }) => {
    const { cluster, release } = theNode();
    if (cluster.node === undefined) skip('the processes of a cluster that KUBECONFIG names are out of reach');
    const ready = (...objects: string[]) =>
      cluster.kubectl('-n', TEAM, 'wait', '--for=condition=Ready', '--timeout=180s', ...objects);
    await release.apply([{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: TEAM } }, zone, record('www')]);
    await ready('dnszone/crash', 'dnsrecord/www');
    const before = placesIn(await release.pods());
    const victims = await oneOfEachKind(cluster, before);

    const writes = await startWrites(release, 'crash-load', { pauseMs: 150, writers: 2 });
    const questions = startDnsLoad(release.dns, 'www.crash.example', 50);
    const failed: Record<string, number> = {};
    const asked: Record<string, number> = {};
    for (const victim of victims) {
      const soFar = questions.count();
      await killContainer(victim.container);
      const back = async () => {
        const now = placesIn(await release.pods());
        const same = now.find((place) => idOf(place) === idOf(victim));
        return (
          same?.container.restarts === victim.container.restarts + 1 && now.every(({ container }) => container.ready)
        );
      };
      await expect.poll(back, { timeout: 240_000, interval: 200 }).toBe(true);
      const kind = kindOf(victim);
      // Queries in flight have been answered by then, or have failed because of this crash.
      if (kind === KNOT) await sleep(DNS_LIMIT_MS);
      const now = questions.count();
      failed[kind] = now.failed - soFar.failed;
      asked[kind] = now.asked - soFar.asked;
    }
    await writes.stop();
    const { asked: all, repeated, reasons } = await questions.stop();
    const told = `${all} queries, ${repeated} datagrams unanswered, failed by container ${JSON.stringify(failed)} ${reasons}`;
    process.stdout.write(`killed inside: ${writes.acknowledged()} writes, ${writes.doubtful()} unanswered; ${told}\n`);
    await writes.settle(release.dns);
    expect(writes.acknowledged()).toBeGreaterThan(20);
    const none = Object.fromEntries(victims.map((victim) => [kindOf(victim), 0]));
    expect({ ...failed, [KNOT]: 0 }).toEqual(none);
    // A crash is not announced: until kubelet and kube-proxy know of it, three datagrams in a row may go where no
    // process listens.
    expect((failed[KNOT] ?? 0) / (asked[KNOT] ?? 0)).toBeLessThan(0.05);
    expect(Object.keys(none).sort()).toEqual(KINDS);

    // Each started again once, and no other part because of it.
    const killed = new Set(victims.map(idOf));
    const wanted = before.map((each) => [idOf(each), each.container.restarts + (killed.has(idOf(each)) ? 1 : 0)]);
    const after = placesIn(await release.pods()).map((each) => [idOf(each), each.container.restarts]);
    expect(Object.fromEntries(after)).toEqual(Object.fromEntries(wanted));
    // The operator works: the one that died led.
    await release.apply([record('after')]);
    await ready('dnsrecord/after');
    await cluster.kubectl('delete', 'namespace', TEAM, '--timeout=180s');
  });
}

const KNOT = 'nameserver/knot';
const KINDS = ['api/api', KNOT, 'nameserver/nameserver', 'operator/operator', 'postgres/postgres', 'solver/solver'];

/** A container where it runs. */
interface Place {
  pod: Pod;
  container: Container;
}

const placesIn = (pods: readonly Pod[]): Place[] =>
  pods.flatMap((pod) => pod.containers.map((container) => ({ pod, container })));
const kindOf = ({ pod, container }: Place) => `${pod.component}/${container.name}`;
/** The same when the container was started again. */
const idOf = ({ pod, container }: Place) => `${pod.uid} ${container.name}`;

/**
 * Every container of one pod of each component: of the operators the one that leads, and last what questions may fail
 * with.
 */
async function oneOfEachKind(cluster: TestCluster, all: readonly Place[]): Promise<Place[]> {
  const lease = ['-n', NAMESPACE, 'get', 'lease', `${RELEASE}-operator`, '-o=jsonpath={.spec.holderIdentity}'];
  const leader = await cluster.kubectl(...lease);
  const candidates = all.filter(({ pod }) => pod.component !== 'operator' || leader.startsWith(pod.name));
  const first = [...Map.groupBy(candidates, kindOf).values()].flatMap((same) => same.slice(0, 1));
  const last = [KNOT];
  return first.sort((a, b) => last.indexOf(kindOf(a)) - last.indexOf(kindOf(b)));
}

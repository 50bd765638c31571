// Containers that die by SIGKILL, as of a crash or too little memory: pods stay, and the kubelet starts them again.
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import type { TestCluster } from '../../support/node/cluster.ts';
import { type Container, containersOf, killContainer } from '../../support/node/containers.ts';
import { DNS_LIMIT_MS, startDnsLoad } from '../../support/node/dns-load.ts';
import { NAMESPACE, RELEASE, type Release } from '../../support/node/release.ts';
import { startWriteLoad } from '../../support/write-load.ts';

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
  it('loses no acknowledged write, and next to no query, while a container of each kind is killed', async () => {
    const { cluster, release } = theNode();
    // Of another machine's containers no process is in reach; their pods are killed through the API server elsewhere.
    if (cluster.node === undefined) return;
    const ready = (...objects: string[]) =>
      cluster.kubectl('-n', TEAM, 'wait', '--for=condition=Ready', '--timeout=60s', ...objects);
    await release.apply([{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: TEAM } }, zone, record('www')]);
    await ready('dnszone/crash', 'dnsrecord/www');
    const { key, teamId } = await release.mintKey('crash');
    const request = release.requests(key);
    const load = { zoneName: 'crash-load.example', owner: `org:${teamId}` };
    const made = await request('POST', '/zones', load);
    expect(made.status).toBe(200);
    const before = await containersOf(cluster, NAMESPACE);
    const victims = await oneOfEachKind(cluster, before);

    const paced: typeof request = async (...words) => sleep(150).then(() => request(...words));
    const writes = startWriteLoad(paced, [{ id: made.body.id as string, zoneName: load.zoneName }], 2);
    const questions = startDnsLoad(release.dns, 'www.crash.example', 50);
    const failed: Record<string, number> = {};
    const asked: Record<string, number> = {};
    for (const victim of victims) {
      const soFar = questions.count();
      await killContainer(victim);
      const back = async () => {
        const now = await containersOf(cluster, NAMESPACE);
        const same = now.find(({ uid, name }) => uid === victim.uid && name === victim.name);
        return same?.restarts === victim.restarts + 1 && now.every((container) => container.ready);
      };
      await expect.poll(back, { timeout: 60_000, interval: 200 }).toBe(true);
      const kind = kindOf(victim);
      // What was asked meanwhile has then been answered, or has failed because of this one.
      if (kind === POWERDNS) await sleep(DNS_LIMIT_MS);
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
    // There is one Postgres: while it is away PowerDNS has only what it answered a moment ago.
    const none = Object.fromEntries(victims.map((victim) => [kindOf(victim), 0]));
    expect({ ...failed, [POSTGRES]: 0, [POWERDNS]: 0 }).toEqual(none);
    // Nobody announces a crash: until kubelet and kube-proxy know of it, three datagrams in a row may go where nobody listens.
    expect((failed[POWERDNS] ?? 0) / (asked[POWERDNS] ?? 0)).toBeLessThan(0.01);
    expect(Object.keys(none).sort()).toEqual(KINDS);

    // Each started again once, and nobody else because of it.
    const placeOf = ({ uid, name }: Container) => `${uid} ${name}`;
    const killed = new Set(victims.map(placeOf));
    const wanted = Object.fromEntries(
      before.map((each) => [placeOf(each), each.restarts + (killed.has(placeOf(each)) ? 1 : 0)]),
    );
    const after = (await containersOf(cluster, NAMESPACE)).map((each) => [placeOf(each), each.restarts]);
    expect(Object.fromEntries(after)).toEqual(wanted);
    // The operator works: the one that died led.
    await release.apply([record('after')]);
    await ready('dnsrecord/after');
    await cluster.kubectl('delete', 'namespace', TEAM, '--timeout=60s');
  });
}

const POSTGRES = 'postgres/postgres';
const POWERDNS = 'nameserver/powerdns';
const KINDS = ['api/api', 'nameserver/companion', POWERDNS, 'operator/operator', POSTGRES, 'solver/solver'];
const kindOf = ({ component, name }: Container) => `${component}/${name}`;

/** Every container of one pod of each component: of the operators the one that leads, and last what questions may fail with. */
async function oneOfEachKind(cluster: TestCluster, all: readonly Container[]): Promise<Container[]> {
  const lease = ['-n', NAMESPACE, 'get', 'lease', `${RELEASE}-operator`, '-o=jsonpath={.spec.holderIdentity}'];
  const leader = await cluster.kubectl(...lease);
  const candidates = all.filter(({ component, pod }) => component !== 'operator' || leader.startsWith(pod));
  const first = [...Map.groupBy(candidates, kindOf).values()].flatMap((same) => same.slice(0, 1));
  const last = [POWERDNS, POSTGRES];
  return first.sort((a, b) => last.indexOf(kindOf(a)) - last.indexOf(kindOf(b)));
}

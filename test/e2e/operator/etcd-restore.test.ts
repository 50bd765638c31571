// A real etcd that is set back to an earlier copy of its data, under a real kube-apiserver: nothing leaves DNS, and
// both ways out of it work, with the commands of the page. And a control plane that is down longer than a cluster may
// be silent.
import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, expect, inject, test, vi } from 'vitest';
import { createClient } from '#client/client.ts';
import { listClusters } from '#contract/operations/clusters.ts';
import { KubeError } from '#kube/api/errors.ts';
import { EVENTS } from '#kube/events/events.ts';
import { findCondition } from '#kube/objects/conditions.ts';
import type { KubeObject } from '#kube/objects/resource.ts';
import { DNS_RECORD, type DNSRecord } from '#resources/dnsrecord.ts';
import { DNS_ZONE, type DNSZone } from '#resources/dnszone.ts';
import { runCommand } from '../../../deploy/local/parts/commands.ts';
import { scenario } from '../../support/docs/scenario.ts';
import { startChain } from '../../support/matrix/chain.ts';
import { startOperator, type TestOperator } from '../../support/matrix/operator.ts';
import { COMPILED } from '../../support/program/compiled.ts';
import { temporaryFolder } from '../../support/runner/temporary.ts';

const LEASE = { durationMs: 12_000, deadlineMs: 10_000, retryMs: 300 };
/** Objects in the backup. `TEST_OBJECTS=10000` repeats the figure of the page of failures. */
const OLD = Number(process.env.TEST_OBJECTS ?? (process.env.TEST_EFFORT === 'full' ? 600 : 60));
/** Changes of each kind that it does not have. */
const NEW = Math.max(12, 0.03 * OLD);
/** kubectl sends 50 requests a second, and two for each object. */
const COMMAND_MS = 150_000 + 120 * OLD;
vi.setConfig({ testTimeout: 400_000 + 600 * OLD, hookTimeout: 400_000 });
const PATIENCE = { timeout: 120_000 + 120 * OLD, interval: OLD > 2_000 ? 2_000 : 200 };
const { signal } = new AbortController();

/**
 * Thousands of objects keep the processor busy for so long that requests between the parts of this process time out.
 */
const BUSY = OLD > 2_000 ? ['retrying', 'retries it', 'trying again', 'the next round follows', 'fell behind'] : [];
const chain = await startChain(BUSY);
const { api, sql } = chain;
const folder = await temporaryFolder('etcd');
const owner = await chain.person({ team: 'first' });
const people = createClient({ baseUrl: chain.url, key: owner.text });
afterAll(() => people.close());
await writeFile(join(folder, 'zonestead'), `#!/bin/sh\nexec ${process.execPath} ${inject('program')} "$@"\n`);
await chmod(join(folder, 'zonestead'), 0o755);

let operator: TestOperator | undefined;
let starts = 0;
const start = (options: object = {}, isAlone = false) => {
  starts += 1;
  const identity = `replica-${starts}`;
  const election = isAlone ? {} : { identity, lease: LEASE };
  operator = startOperator(chain, { cluster: 'prod', ...election, heartbeatMs: 500, ...options });
};
/** A process that lost its lease ends with that. */
const stop = async () => {
  const ending = operator;
  operator = undefined;
  await ending?.stop().catch(() => undefined);
};
/** As kubelet does with a process that exits. */
const startAgainAtEnd = () => {
  const running = operator;
  running?.ended.catch(() => {
    if (running !== operator) return;
    start();
    startAgainAtEnd();
  });
};
afterAll(stop);

const put = async (name: string, content = '192.0.2.1') => chain.record(name, 'example', { name, type: 'A', content });
/** The writes may be repeated; one without an answer is. */
async function each(from: number, to: number, work: (n: number) => Promise<unknown>): Promise<void> {
  const insist = (n: number) =>
    work(n).catch((error) =>
      error instanceof KubeError && error.reason === 'Timeout' ? work(n) : Promise.reject(error),
    );
  for (let n = from; n < to; n += 20)
    await Promise.all(Array.from({ length: Math.min(20, to - n) }, (_, at) => insist(n + at)));
}
const served = async () => {
  const rows = await sql`select r.name, r.content from records r join zones z on z.no = r.zone_no
    where z.name = 'example.org' and r.type = 'A' order by r.ordername`;
  return rows.map(({ name, content }) => `${name} ${content}`);
};
const reasons = async () => {
  const { items } = await api.list<DNSRecord>(DNS_RECORD, {});
  return Map.groupBy(items, ({ metadata, status }) => {
    const ready = findCondition(status?.conditions, 'Ready');
    return ready?.observedGeneration === metadata.generation ? (ready?.reason ?? '') : 'stale';
  });
};
const count = async (reason: string) => (await reasons()).get(reason)?.length ?? 0;
const conditionOf = async (type: string) => {
  const { status } = await api.get<DNSZone>(DNS_ZONE, { namespace: 'default', name: 'example' });
  const condition = findCondition(status?.conditions, type);
  return `${condition?.status} ${condition?.reason}`;
};
const clusterState = async () => (await people.call(listClusters, {})).clusters.find(({ name }) => name === 'prod');
const removals = async () => (await sql`select count(*)::int as n from changes where action = 'record.delete'`)[0]?.n;

const page = await scenario('after an etcd restore');
/** @param filter shortens an output of which only the end would be kept */
async function type(begins: string, filter = ''): Promise<string> {
  const command = `${page.find(({ text }) => text.startsWith(begins))?.text ?? ''}${filter}`;
  const env = {
    ...COMPILED,
    PATH: `${folder}:${chain.programs}:${process.env.PATH}`,
    HOME: folder,
    KUBECONFIG: chain.kubeconfig,
    ZONESTEAD_URL: chain.url,
    ZONESTEAD_API_KEY: owner.text,
  };
  const shell = { command: '/bin/sh', args: ['-ec', command], env, cwd: folder, timeoutMs: COMMAND_MS, signal };
  const { code, tail } = await runCommand(shell);
  if (code !== 0) throw new Error(`${command}: ${tail}`);
  return tail;
}

/** A backup, and everything that it does not have: NEW objects that were made, edited, replaced and deleted. */
async function changeAfterBackup(): Promise<{ copy: string; newer: string[] }> {
  const copy = await chain.backUpEtcd();
  start();
  await expect.poll(() => count('Ready'), PATIENCE).toBe(OLD);
  await each(0, NEW, (n) => put(`made${n}`, '192.0.2.7'));
  await each(0, NEW, (n) => put(`host${n}`, '192.0.2.7'));
  await each(NEW, NEW + 3, (n) => chain.remove(DNS_RECORD, `host${n}`));
  await each(NEW + 3, NEW + 5, (n) => chain.remove(DNS_RECORD, `host${n}`));
  await expect.poll(async () => (await served()).length, PATIENCE).toBe(OLD + NEW - 5);
  await each(NEW + 3, NEW + 5, (n) => put(`host${n}`, '192.0.2.8'));
  await expect.poll(() => count('Ready'), PATIENCE).toBe(OLD + NEW - 3);
  // More renewals of the Lease than a late heartbeat explains.
  await new Promise((resolve) => setTimeout(resolve, 6_000));
  return { copy, newer: await served() };
}

test('an etcd that is restored while the operator is stopped takes nothing out of DNS, and the newer data can be written again', async ({
  annotate,
}) => {
  start();
  // Without the annotation that lets the zones of other tests go at once.
  await api.create<DNSZone>(DNS_ZONE, {
    metadata: { namespace: 'default', name: 'example' },
    spec: { zoneName: 'example.org' } as DNSZone['spec'],
  });
  await each(0, OLD, (n) => put(`host${n}`));
  await expect.poll(() => count('Ready'), PATIENCE).toBe(OLD);
  await stop();
  const { copy, newer } = await changeAfterBackup();
  await stop();
  const before = await removals();
  await chain.restoreEtcd(copy);
  const since = performance.now();
  start();
  await expect.poll(() => conditionOf('EtcdRestored'), PATIENCE).toBe('True OlderObjects');
  await annotate(`EtcdRestored ${Math.round(performance.now() - since)} ms after the start of the operator`);
  await expect.poll(() => conditionOf('DeletionsHeld'), PATIENCE).toBe('True EtcdRestored');
  // The edited, the replaced and the deleted ones.
  await expect.poll(() => count('OlderThanService'), PATIENCE).toBe(NEW + 5);
  expect(await count('Ready')).toBe(OLD - NEW - 5);
  expect([await served(), await removals()]).toEqual([newer, before]);
  const { items } = await api.list<KubeObject & { reason: string }>(EVENTS, { namespace: 'default' });
  expect(items.filter(({ reason }) => reason === 'EtcdRestored').length).toBeGreaterThan(0);
  expect(await type('zonestead clusters list')).toContain('active, etcd restored');
  expect(await type('kubectl get dnsrecords', ' | grep OlderThan')).toContain('OlderThanService');

  await type('zonestead owners manifests');
  const applied = performance.now();
  await type('kubectl apply');
  await annotate(`kubectl applied ${OLD + NEW} objects in ${Math.round(performance.now() - applied)} ms`);
  await expect.poll(() => count('OlderThanService'), PATIENCE).toBe(5);
  expect([await served(), await removals()]).toEqual([newer, before]);
  await each(NEW, NEW + 3, (n) => chain.remove(DNS_RECORD, `host${n}`));
  expect(await type('zonestead clusters accept-older')).toContain('accepted the objects of prod');
  await expect.poll(() => count('Ready'), PATIENCE).toBe(OLD + NEW - 3);
  await expect.poll(() => conditionOf('EtcdRestored'), PATIENCE).toBe('False NotRestored');
  expect([await served(), await removals()]).toEqual([newer, before]);
  // The next edit of an object whose generation is a lower one counts.
  await put('host0', '192.0.2.9');
  await expect.poll(async () => (await served()).includes('host0 192.0.2.9'), PATIENCE).toBe(true);
});

test('an etcd that is restored under a running operator takes nothing out of DNS, and the older objects can be accepted', async () => {
  await stop();
  await each(0, OLD, (n) => put(`host${n}`));
  await each(0, NEW, (n) => chain.remove(DNS_RECORD, `made${n}`));
  start();
  await expect.poll(async () => (await served()).length, PATIENCE).toBe(OLD);
  await expect.poll(() => count('Ready'), PATIENCE).toBe(OLD);
  await stop();
  const old = await served();
  const { copy, newer } = await changeAfterBackup();
  const before = await removals();
  await chain.restoreEtcd(copy);
  // The process ends if it lost its lease, on a busy machine after a while.
  startAgainAtEnd();
  await expect.poll(async () => (await clusterState())?.etcdRestoredAt ?? null, PATIENCE).not.toBeNull();
  await expect.poll(() => conditionOf('EtcdRestored'), PATIENCE).toBe('True OlderObjects');
  await new Promise((resolve) => setTimeout(resolve, 5_000));
  const missing = newer.filter((line) => line.startsWith('made'));
  expect(await served()).toEqual(expect.arrayContaining(missing));
  expect(await removals()).toBe(before);
  await type('zonestead clusters accept-older');
  await expect.poll(served, PATIENCE).toEqual(old);
  await expect.poll(() => count('Ready'), PATIENCE).toBe(OLD);
});

test('an etcd that is restored under a running operator without a Lease takes nothing out of DNS, and the operator continues with the restored objects', async () => {
  await stop();
  const copy = await chain.backUpEtcd();
  start({}, true);
  await expect.poll(() => count('Ready'), PATIENCE).toBe(OLD);
  const old = await served();
  // So few that their number alone tells no restore.
  await each(0, 4, (n) => put(`made${n}`, '192.0.2.7'));
  await put('host1', '192.0.2.7');
  await expect.poll(() => count('Ready'), PATIENCE).toBe(OLD + 4);
  const [newer, before] = [await served(), await removals()];
  await chain.restoreEtcd(copy);
  await expect.poll(async () => (await clusterState())?.etcdRestoredAt ?? null, PATIENCE).not.toBeNull();
  await expect.poll(() => conditionOf('EtcdRestored'), PATIENCE).toBe('True OlderObjects');
  await expect.poll(() => count('OlderThanService'), PATIENCE).toBe(1);
  expect([await served(), await removals()]).toEqual([newer, before]);
  // The watch follows the restored etcd.
  await put('host2', '192.0.2.9');
  await expect.poll(async () => (await served()).includes('host2 192.0.2.9'), PATIENCE).toBe(true);
  await type('zonestead clusters accept-older');
  const expected = old.map((line) => (line.startsWith('host2 ') ? 'host2 192.0.2.9' : line));
  await expect.poll(served, PATIENCE).toEqual(expected);
  await expect.poll(() => conditionOf('EtcdRestored'), PATIENCE).toBe('False NotRestored');
});

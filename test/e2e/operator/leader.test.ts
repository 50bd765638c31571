// Two replicas of the operator on a real API server: one works, the other takes over, and at no moment do both write.
import { afterEach, expect, test } from 'vitest';
import { isNotFound } from '#kube/api/errors.ts';
import { LEASES, type Lease } from '#kube/leader/lease.ts';
import { startChain } from '../../support/matrix/chain.ts';
import { inconsistencies } from '../../support/matrix/invariants.ts';
import { type OperatorOptions, startOperator, type TestOperator } from '../../support/matrix/operator.ts';
import { startPausedOperator } from '../../support/matrix/paused-operator.ts';
import { startStillProxy } from '../../support/matrix/still-proxy.ts';

/**
 * On a busy machine, a thread that has just started may get no processor time for seconds, and must not lose its lease
 * by that.
 */
const LEASE = { durationMs: 12_000, deadlineMs: 10_000, retryMs: 600 };
const PATIENCE = { timeout: 100_000, interval: 50 };

const chain = await startChain();
const started: TestOperator[] = [];
const replica = (identity: string, options: OperatorOptions = {}): TestOperator => {
  const operator = startOperator(chain, { identity, lease: LEASE, callTimeoutMs: 3_000, ...options });
  started.push(operator);
  return operator;
};
afterEach(async () => {
  await Promise.allSettled(started.splice(0).map((operator) => operator.stop()));
});

/** Null before the first replica has made it. */
const lease = async (): Promise<Lease | null> => {
  try {
    return await chain.api.get<Lease>(LEASES, { namespace: 'zonestead', name: 'zonestead-operator' });
  } catch (error) {
    if (isNotFound(error)) return null;
    throw error;
  }
};
const holder = async (): Promise<string | null | undefined> => (await lease())?.spec?.holderIdentity;

/** Records in a zone of their own, one after the other, as fast as the API server takes them. */
async function many(zone: string, count: number): Promise<void> {
  await chain.namespace(zone);
  await chain.zone('zone', { zoneName: `${zone}.example` }, zone);
  for (let each = 1; each <= count; each += 1)
    await chain.record(`r${each}`, 'zone', { name: `r${each}`, type: 'A', content: `192.0.2.${each}` }, zone);
}

async function allMadeOnce(zone: string, count: number): Promise<void> {
  const world = {
    namespace: zone,
    zoneName: `${zone}.example`,
    foreign: [],
    history: `record.create ${count}, zone.create 1`,
  };
  await expect.poll(() => inconsistencies(chain, world), PATIENCE).toEqual([]);
}

const lastEnd = ({ spans }: TestOperator) => Math.max(...spans.map(([, end]) => end));
const firstBegin = ({ spans }: TestOperator) => Math.min(...spans.map(([begin]) => begin));

test('a leader that shuts down gracefully in the middle of its work hands over at once', async () => {
  const a = replica('a');
  await expect.poll(holder, PATIENCE).toBe('a');
  const b = replica('b');
  const writing = many('orderly', 40);
  await expect.poll(() => a.writes.length, PATIENCE).toBeGreaterThan(20);
  expect(b.writes).toEqual([]);
  await a.stop();
  // It has released the lease: without that it would hold it for seconds more.
  expect(await holder()).not.toBe('a');
  await expect.poll(holder, PATIENCE).toBe('b');
  await writing;
  await allMadeOnce('orderly', 40);
  expect(b.writes.length).toBeGreaterThan(0);
  expect(firstBegin(b)).toBeGreaterThan(lastEnd(a));
});

test('a leader that is cut off from the API server stops writing before the other begins', async () => {
  const proxy = await startStillProxy(chain.apiserverPort, chain.operatorKubeconfig);
  const a = replica('a', { kubeconfig: proxy.kubeconfig });
  const failure = a.ended.then(
    () => 'ended',
    (error: unknown) => error,
  );
  await expect.poll(holder, PATIENCE).toBe('a');
  const b = replica('b');
  const writing = many('cut', 40);
  await expect.poll(() => a.writes.length, PATIENCE).toBeGreaterThan(20);
  await proxy.close();
  await expect.poll(holder, PATIENCE).toBe('b');
  await writing;
  await allMadeOnce('cut', 40);
  expect(firstBegin(b)).toBeGreaterThan(lastEnd(a));
  // It lives on without work, to report that kube-apiserver does not answer it.
  const [count, ending] = [a.writes.length, new Promise((resolve) => setTimeout(resolve, 2_000, 'lives'))];
  expect(await Promise.race([failure, ending])).toBe('lives');
  expect(a.writes).toHaveLength(count);
});

test('a leader that was paused until another one leads sends none of its pending writes', async () => {
  const { url, key, operatorKubeconfig, nameservers, dns } = chain;
  const place = { url, key, operatorKubeconfig, nameservers, dns: { address: dns.address, port: dns.port } };
  // Right before it writes the status of the record: in the same turn, with no timer in between.
  const a = startPausedOperator({ place, identity: 'a', lease: LEASE, write: 'applyRecords' });
  try {
    await expect.poll(holder, PATIENCE).toBe('a');
    const b = replica('b');
    await many('still', 1);
    await a.paused;
    await expect.poll(holder, PATIENCE).toBe('b');
    await allMadeOnce('still', 1);
    expect(await a.resume()).toBe('LeadershipLost');
    expect(a.writesAfter).toEqual([]);
    expect(b.writes).toContain('status dnsrecords');
  } finally {
    await a.stop();
  }
});

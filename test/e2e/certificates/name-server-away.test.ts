// One of three name servers falls silent, as a lost machine does, or only its knotd ends. The records and certificates
// of another team wait for it for two minutes, and not longer; afterwards they are as fast as before.
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { certificateObject } from '../../support/cert-manager/certificates.ts';
import { recordObject, startTestStack, type TestStack, zoneObject } from '../../support/stack/stack.ts';
import { keyObjects } from './ground.ts';

const TEAM = 'other-team';
/** The bar: silence to Ready, for objects that were applied in the moment of the silence. */
const BAR_MS = 180_000;
/** Ends what hangs. The bar is checked on the measured time. */
const LIMIT_MS = 400_000;
/** cert-manager and its CA take some seconds without any failure, and a busy machine some times as long. */
const NORMAL_MS = 30_000;
const PARTS = ['knot-3', 'nameserver-3'] as const;

let stack: TestStack;
beforeAll(async () => {
  stack = await startTestStack({ nodes: 3, certManager: true });
  const { key } = stack.stack.service.keys.second;
  const credentialsSecretRef = { name: 'dns-key' };
  await stack.apply(...keyObjects(TEAM, key));
  await stack.apply(zoneObject('site', 'other.example', { acme: {}, credentialsSecretRef }, TEAM));
  await stack.ready('-n', TEAM, 'zdz/site');
}, LIMIT_MS);
afterAll(async () => {
  if (stack !== undefined) signal('SIGCONT');
  await stack?.stop();
});

function signal(name: 'SIGSTOP' | 'SIGCONT'): void {
  for (const part of PARTS) process.kill(stack.stack.service.running.part(part).pid, name);
}

async function untilReady(name: string): Promise<number> {
  const ready = async () => (await stack.condition(name, 'Ready', TEAM))?.status;
  await expect.poll(ready, { timeout: LIMIT_MS, interval: 100 }).toBe('True');
  return performance.now();
}

/** Applies a record and a certificate together. @returns the time from `since` until each is Ready, in ms */
async function apply(name: string, since = performance.now()): Promise<{ record: number; certificate: number }> {
  const record = { name, type: 'A', content: '192.0.2.1' };
  const { ok, words } = await stack.apply(
    recordObject(name, 'site', record, TEAM),
    certificateObject(name, [`${name}.other.example`], TEAM),
  );
  expect(ok, words).toBe(true);
  const [recordAt, certificateAt] = await Promise.all([untilReady(`zdr/${name}`), untilReady(`certificate/${name}`)]);
  return { record: Math.round(recordAt - since), certificate: Math.round(certificateAt - since) };
}

const degraded = async () => {
  const condition = await stack.condition('zdz/site', 'Degraded', TEAM);
  return `${condition?.status} ${condition?.reason}`;
};

test('one of three name servers that is silent delays records and certificates of another team by at most 3 minutes, and later ones not at all', {
  timeout: 4 * LIMIT_MS,
}, async ({ annotate }) => {
  const say = (what: string, { record, certificate }: Awaited<ReturnType<typeof apply>>) =>
    annotate(`${what}: record ${record} ms, certificate ${certificate} ms`);
  await apply('first');
  await say('all three answer', await apply('before'));

  signal('SIGSTOP');
  const first = await apply('during');
  await say('in the moment of the silence', first);
  expect(first.record).toBeGreaterThan(100_000);
  expect(Math.max(first.record, first.certificate)).toBeLessThan(BAR_MS);
  await expect.poll(degraded, { timeout: LIMIT_MS }).toBe('True NameServerUnreachable');

  for (const name of ['after1', 'after2', 'after3']) {
    const next = await apply(name);
    await say('later', next);
    expect(Math.max(next.record, next.certificate)).toBeLessThan(NORMAL_MS);
    // The silent address is asked again now and then.
    await sleep(5_000);
  }

  signal('SIGCONT');
  await expect.poll(degraded, { timeout: LIMIT_MS }).toBe('False NotDegraded');
  await say('it is back', await apply('back'));
});

test('a knotd that has ended delays records and certificates of another team by at most 3 minutes while its node lives', {
  timeout: 3 * LIMIT_MS,
}, async ({ annotate }) => {
  const { running } = stack.stack.service;
  await running.part('knot-3').stop({ signal: 'SIGKILL' });
  const { record, certificate } = await apply('ended');
  await annotate(`in the moment of its end: record ${record} ms, certificate ${certificate} ms`);
  expect(Math.max(record, certificate)).toBeLessThan(BAR_MS);
  await running.start('knot-3');
  await expect.poll(degraded, { timeout: LIMIT_MS }).toBe('False NotDegraded');
  await apply('restarted');
});

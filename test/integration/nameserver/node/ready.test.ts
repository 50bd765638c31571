// Whether a node is ready after a start of a real knotd with many zones and a large one: not before the last of them
// answers.
import { generateKeyPairSync } from 'node:crypto';
import { afterAll, beforeAll, expect, inject, test, vi } from 'vitest';
import { keyStore } from '#nameserver/knot/keys.ts';
import { identifyRun } from '#nameserver/knot/run.ts';
import { zoneEngine } from '#nameserver/knot/zones.ts';
import { createResolver } from '../../../support/dns/resolver.ts';
import { address, FakeFeed } from '../../../support/faulty-node/fake-feed.ts';
import { startTestNode } from '../../../support/faulty-node/node.ts';
import { testKnot } from '../../../support/knot/knot.ts';
import { temporaryFolder } from '../../../support/runner/temporary.ts';

const SMALL_ZONES = 300;
const LARGE = 'large.test';
const LARGE_RECORDS = 12_000;
const WAIT = { timeout: 240_000, interval: 20 };

const feed = new FakeFeed();
const knot = await testKnot();
const resolver = createResolver(knot, knot.folder.root);
const names = Array.from({ length: SMALL_ZONES }, (_, at) => `z${at}.test`);

beforeAll(async () => {
  await feed.start();
  const key = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'pkcs8', format: 'pem' });
  for (const name of [LARGE, ...names]) feed.keys.set(name, key as string);
  feed.create(
    LARGE,
    Array.from({ length: LARGE_RECORDS }, (_, at) => address(`n${at}`)),
  );
  for (const name of names) feed.create(name, [address('www')]);
});
afterAll(() => feed.stop());

const rcodeOf = async (name: string) => (await resolver.lookup(name, 'SOA')).rcode;

test('a node whose knotd starts again is ready when the last of 301 zones answers, and not before', async () => {
  const { node } = startTestNode({
    url: feed.url,
    folder: await temporaryFolder('ready-node'),
    engine: zoneEngine({
      control: knot.control,
      folder: knot.folder,
      keys: keyStore({ keymgr: inject('knot').keymgr, folder: knot.folder }),
    }),
    engineRun: () => identifyRun(knot.folder),
  });
  await vi.waitFor(() => expect(feed.reports.at(-1)?.zones).toBe(SMALL_ZONES + 1), WAIT);
  await vi.waitFor(() => expect(node.ready()).toMatchObject({ ok: true, checks: { behind: '0 s' } }), WAIT);
  await vi.waitFor(async () => expect(await rcodeOf(LARGE)).toBe('NOERROR'), WAIT);
  await knot.restart('SIGKILL');
  await vi.waitFor(() => expect(node.ready().checks?.loading).toBeDefined(), { ...WAIT, interval: 1 });
  const early: string[] = [];
  while (!node.ready().ok) {
    early.push(await rcodeOf(LARGE));
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  expect(early).toContain('SERVFAIL');
  for (const name of [LARGE, ...names]) expect(`${name} ${await rcodeOf(name)}`).toBe(`${name} NOERROR`);
});

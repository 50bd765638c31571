// The configuration database of a real knotd.
import { beforeAll, expect, test } from 'vitest';
import { applyConfiguration } from '#nameserver/knot/apply.ts';
import { configuration, type KnotSettings, rateItemsOfVersion } from '#nameserver/knot/configuration.ts';
import { createResolver } from '../../../support/dns/resolver.ts';
import { type TestKnot, testKnot } from '../../../support/knot/knot.ts';

const { signal } = new AbortController();
let knot: TestKnot;
beforeAll(async () => {
  knot = await testKnot();
});

function apply(settings: Partial<KnotSettings> = {}) {
  const listen = [{ address: knot.address, port: knot.port }];
  const items = configuration({ folder: knot.folder, version: knot.version, listen, identity: 'local', ...settings });
  return applyConfiguration(knot.control, items, signal);
}

test('the configuration is complete in a new folder', async () => {
  expect(await apply()).toEqual({ changed: [], needsRestart: [] });
});

test('the configuration changes by its difference, and leaves zones and groups of others', async () => {
  await knot.control.session(async ({ run }) => {
    await run('conf-begin');
    await run('conf-set', { section: 'zone', item: 'domain', data: 'kept.example.' });
    await run('conf-set', { section: 'remote', item: 'id', data: 'kept' });
    await run('conf-set', { section: 'remote', id: 'kept', item: 'address', data: '192.0.2.1' });
    await run('conf-commit');
  });
  const rateItems = [...Object.keys(rateItemsOfVersion(knot.version, 1)), 'rate-limit', 'slip'].sort();
  const { changed, needsRestart } = await apply({ rateLimit: { perSecond: 100_000 }, identity: 'ns1-eu' });
  expect(changed).toEqual([
    ...['mod-rrl.id', ...rateItems.map((item) => `mod-rrl[default].${item}`)],
    ...['server.identity', 'server.nsid', 'template[default].global-module'],
  ]);
  expect(needsRestart).toEqual([]);
  const dns = createResolver(knot, knot.folder.root);
  expect(await dns.dig('+nsid', 'kept.example', 'SOA')).toContain('("ns1-eu")');
  const items = await knot.control.run('conf-read', { section: 'remote' });
  expect(items.map(({ data }) => data)).toEqual(['kept', '192.0.2.1']);
  expect(await knot.control.run('zone-status', { zone: 'kept.example.', filters: 'r' })).toHaveLength(1);
  expect((await apply()).changed).toEqual(changed);
  expect((await apply()).changed).toEqual([]);
});

test('the configuration names the items that need a restart', async () => {
  const { changed, needsRestart } = await apply({ udpWorkers: 3 });
  expect([changed, needsRestart]).toEqual([['server.udp-workers'], ['server.udp-workers']]);
  await apply();
});

test('the configuration stays as it is if Knot refuses one item', async () => {
  const items = configuration({ folder: knot.folder, version: knot.version, listen: [], identity: 'local' });
  const wrong = { section: 'policy', id: 'zonestead', item: 'rrsig-lifetime', value: 'long' };
  await expect(applyConfiguration(knot.control, [...items, wrong], signal)).rejects.toMatchObject({
    failure: 'refused',
    message: expect.stringContaining('policy[zonestead].rrsig-lifetime = long'),
  });
  expect((await apply()).changed).toEqual([]);
});

test('the configuration aborts the transaction that a predecessor left open', async () => {
  await knot.control.run('conf-begin');
  expect((await apply()).changed).toEqual([]);
});

test('the configuration limits the answers to one network, except over TCP', async () => {
  await apply({ rateLimit: { perSecond: 1, slip: 1 } });
  const dns = createResolver(knot, knot.folder.root);
  // A truncated answer is asked for again over TCP, so every lookup has its answer.
  const lookups = Array.from({ length: 30 }, () => dns.lookup('elsewhere.example', 'A'));
  expect((await Promise.all(lookups)).map(({ rcode }) => rcode)).toEqual(lookups.map(() => 'REFUSED'));
  const [slipped] = await knot.control.run('stats', { section: 'mod-rrl', item: 'slipped' });
  expect(Number(slipped?.data)).toBeGreaterThan(0);
  await apply();
});

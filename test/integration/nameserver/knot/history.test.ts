// The history of zones in the journal of a real knotd.
import { expect, inject, test } from 'vitest';
import { keyStore } from '#nameserver/knot/keys.ts';
import { zoneEngine } from '#nameserver/knot/zones.ts';
import { createResolver } from '../../../support/dns/resolver.ts';
import { servedSet } from '../../../support/dns/served-sets.ts';
import { testKnot } from '../../../support/knot/knot.ts';
import { NS, newKey, SOA } from '../../../support/knot/knot-zones.ts';
import { onlyKey } from '../../../support/knot/only-key.ts';

const { signal } = new AbortController();
/** More than the 20 changes of Knot's default, and than the places where it merges them. */
const CHANGES = 45;
const LARGE_SETS = 10;

const knot = await testKnot();
const keys = keyStore({ keymgr: inject('knot').keymgr, folder: knot.folder });
const engine = zoneEngine({ control: knot.control, folder: knot.folder, keys, largeSets: LARGE_SETS });
const dns = createResolver({ address: knot.address, port: knot.port }, knot.folder.root);

test('a large zone keeps enough changes for an incremental transfer to a secondary that is far behind, also after it was removed and added', async () => {
  await giveTransfers();
  for (const _round of ['first', 'again']) {
    await create('large.example', LARGE_SETS + 1);
    await changeOften('large.example');
    expect(await isIncremental('large.example')).toBe(true);
    await engine.remove(['large.example'], signal);
  }
});

test('a zone that has become large by small changes keeps them from its next comparison on', async () => {
  await giveTransfers();
  await create('grown.example', 1);
  const names = Array.from({ length: LARGE_SETS }, (_, n) => `more${n}`);
  await change('grown.example', names, 2);
  for await (const _page of engine.read('grown.example', signal));
  await changeOften('grown.example');
  expect(await isIncremental('grown.example')).toBe(true);
});

test('a small zone does not keep them: there may be many of them', async () => {
  await giveTransfers();
  await create('small.example', 1);
  for await (const _page of engine.read('small.example', signal));
  await changeOften('small.example');
  expect(await isIncremental('small.example')).toBe(false);
});

async function giveTransfers(): Promise<void> {
  await knot.control.sessionAlone(async ({ run }) => {
    await run('conf-begin');
    const isSet = { section: 'template', id: 'default', item: 'acl', data: 'all' };
    await run('conf-set', { section: 'acl', item: 'id', data: 'all' }).catch(() => {});
    await run('conf-set', { section: 'acl', id: 'all', item: 'action', data: 'transfer' });
    await run('conf-set', isSet);
    await run('conf-commit');
  }, signal);
}

async function create(zone: string, count: number): Promise<void> {
  await engine.add([{ name: zone, keys: onlyKey(newKey()) }], signal);
  const sets = [NS, ...Array.from({ length: count }, (_, n) => servedSet(`n${n}`, 'A', ['192.0.2.1']))];
  const whole = Map.groupBy(sets, ({ name }) => name);
  await engine.change(zone, { names: [...whole.keys()], sets, soa: SOA, serial: 1, whole }, signal);
}

function change(zone: string, names: readonly string[], n: number): Promise<number> {
  const sets = names.map((name) => servedSet(name, 'A', [`192.0.2.${n}`]));
  return engine.change(zone, { names, sets, serial: n }, signal);
}

async function changeOften(zone: string): Promise<void> {
  for (let n = 0; n < CHANGES; n++) await change(zone, ['n0'], 100 + n);
}

/** Whether a secondary with the serial before the last 40 changes gets their differences, and not the whole zone. */
async function isIncremental(zone: string): Promise<boolean> {
  const lines = (await dns.dig('+tcp', '+onesoa', '+noall', '+answer', zone, `IXFR=${100 + CHANGES - 40}`)).split('\n');
  return lines.some((line) => line.includes(`192.0.2.${100 + CHANGES - 2}`));
}

// Zones with weights at a real knotd: which records it answers, and that every answer is signed. Knot 3.2 answers with
// all records, so each test also says what it does there.
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, inject, test } from 'vitest';
import type { ServedSet } from '#dns/served.ts';
import { keyStore } from '#nameserver/knot/keys.ts';
import { isSince } from '#nameserver/knot/version.ts';
import { zoneEngine } from '#nameserver/knot/zones.ts';
import { expectNegative, expectPositive } from '../../../support/dns/answers.ts';
import { createResolver } from '../../../support/dns/resolver.ts';
import { servedSet } from '../../../support/dns/served-sets.ts';
import { newKey, testKnotZones } from '../../../support/knot/knot-zones.ts';
import { onlyKey } from '../../../support/knot/only-key.ts';

const { signal } = new AbortController();
const { knot, engine, put, zoneWith, contents, answered } = await testKnotZones();
const dns = createResolver({ address: knot.address, port: knot.port }, knot.folder.root);
const draws = isSince(knot.version, '3.4');
const THREE = ['192.0.2.1', '192.0.2.2', '192.0.2.3'];

function weighted(name: string, contents: readonly string[], weights: readonly number[], type: 'A' | 'AAAA' = 'A') {
  return { ...servedSet(name, type, contents, 30), weights };
}

/** How often each answer came; an answer of several values is one text. */
async function countAnswers(zone: string, set: Pick<ServedSet, 'name' | 'type'>, questions: number) {
  const counts: Record<string, number> = {};
  for (let left = questions; left > 0; left -= 50) {
    for (const values of await Promise.all(Array.from({ length: 50 }, () => answered(zone, set)))) {
      const text = values.join(' ');
      counts[text] = (counts[text] ?? 0) + 1;
    }
  }
  return counts;
}

/** Each value alone with about its share, or all together from a knotd without the module. */
async function expectShares(zone: string, set: ServedSet, shares: readonly number[], questions = 1_000, points = 0.06) {
  const counts = await countAnswers(zone, set, questions);
  if (!draws) return expect(counts).toEqual({ [set.rdata.join(' ')]: questions });
  for (const [at, share] of shares.entries())
    expect(Math.abs((counts[set.rdata[at]!] ?? 0) / questions - share), JSON.stringify(counts)).toBeLessThan(points);
  return expect(Object.keys(counts).every((text) => set.rdata.includes(text))).toBe(true);
}

const files = () => readdirSync(knot.folder.storage).filter((name) => /^(draw|weights)-/.test(name));

test('10,000 answers have the shares of the weights 1, 10 and 10', async () => {
  const www = weighted('www', THREE, [1, 10, 10]);
  const { name } = await zoneWith([www]);
  await expectShares(name, www, [1 / 21, 10 / 21, 10 / 21], 10_000, 0.03);
});

test('each drawn record validates, and so do other types and names', async () => {
  const www = weighted('www', THREE, [1, 1, 1]);
  const { name } = await zoneWith([www, servedSet('www', 'TXT', ['other']), servedSet('mail', 'A', THREE)]);
  const seen = new Set<string>();
  for (let turn = 0; turn < 30; turn++)
    for (const text of await expectPositive(dns, name, `www.${name}`, 'A')) seen.add(text);
  expect(seen).toEqual(new Set(THREE.map((address) => `www.${name} 30 A ${address}`)));
  expect(await expectPositive(dns, name, `www.${name}`, 'TXT')).toHaveLength(1);
  expect(await expectPositive(dns, name, `mail.${name}`, 'A')).toHaveLength(3);
  await expectNegative(dns, name, `www.${name}`, 'AAAA', 'nodata');
  await expectNegative(dns, name, `none.www.${name}`, 'A', 'nxdomain');
});

test('A and AAAA of one name are drawn by weights of their own', async () => {
  const four = weighted('www', THREE, [1, 2, 1]);
  const six = weighted('www', ['2001:db8::1', '2001:db8::2'], [9, 1], 'AAAA');
  const { name } = await zoneWith([four, six]);
  await expectShares(name, four, [1 / 4, 1 / 2, 1 / 4]);
  await expectShares(name, six, [9 / 10, 1 / 10]);
});

test('other weights apply at once, and their removal leaves no file', async () => {
  const before = files().length;
  const www = weighted('www', THREE, [1, 10, 10]);
  const { name } = await zoneWith([www]);
  await put(name, [{ ...www, weights: [20, 1, 1] }], { serial: 101 });
  await expectShares(name, www, [20 / 22, 1 / 22, 1 / 22]);
  await put(name, [servedSet('www', 'A', THREE, 30)], { serial: 102 });
  expect(await answered(name, www)).toEqual(THREE);
  expect(files()).toHaveLength(before);
});

test('a record that fails leaves the draw with its commit, and the contents have the set as a whole', async () => {
  const { name } = await zoneWith([weighted('www', THREE, [1, 10, 10])]);
  const two = weighted('www', THREE.slice(0, 2), [1, 10]);
  await put(name, [two], { serial: 101 });
  await expectShares(name, two, [1 / 11, 10 / 11]);
  expect(await contents(name)).toContainEqual(two);
  const [first] = THREE;
  await put(name, [servedSet('www', 'A', [first!], 30)], { serial: 102 });
  expect(await answered(name, two)).toEqual([first]);
});

test('a name below a zone cut or a DNAME, and a name that is gone, are not drawn', async () => {
  const glue = weighted('ns.sub', THREE, [1, 1, 1]);
  const moved = weighted('www.old', THREE, [1, 1, 1]);
  const { name } = await zoneWith([servedSet('sub', 'NS', [`ns.sub.example.com`]), glue, moved]);
  const { aa, answers } = await dns.lookup(`ns.sub.${name}`, 'A');
  expect({ aa, answers }).toEqual({ aa: false, answers: [] });
  await put(name, [servedSet('old', 'NS', ['ns1.example.net'])], { serial: 101 });
  expect(await dns.lookup(`www.old.${name}`, 'A')).toMatchObject({ aa: false, answers: [] });
  await put(name, [weighted('www', THREE, [1, 1, 1])], { serial: 102 });
  await engine.change(name, { names: ['www'], sets: [], serial: 103 }, signal);
  await expectNegative(dns, name, `www.${name}`, 'A', 'nxdomain');
});

test('drawn records are signed with a new key', async () => {
  const www = weighted('www', THREE, [1, 1, 1]);
  const { name } = await zoneWith([www]);
  await engine.add([{ name, keys: onlyKey(newKey()) }], signal);
  // knotd signs the zone with the new key after the command that loads it.
  const validates = () =>
    expectPositive(dns, name, `www.${name}`, 'A').then(
      () => true,
      () => false,
    );
  await expect.poll(validates).toBe(true);
  for (let turn = 0; turn < 10; turn++) await expectPositive(dns, name, `www.${name}`, 'A');
  await expectShares(name, www, [1 / 3, 1 / 3, 1 / 3]);
});

test('signatures of drawn records are a week old at most', async () => {
  const { name } = await zoneWith([weighted('www', THREE, [1, 1, 1])]);
  const own = () =>
    files().find((file) => readFileSync(join(knot.folder.storage, file), 'utf8').includes(`.${name}.:`));
  const file = own();
  expect(file !== undefined).toBe(draws);
  if (file === undefined) return;
  const path = join(knot.folder.storage, file);
  const age = (days: number) =>
    utimesSync(path, Date.now() / 1_000 - days * 86_400, Date.now() / 1_000 - days * 86_400);
  const hoursOld = () => (Date.now() - statSync(path).mtimeMs) / 3_600_000;
  age(6);
  await contents(name);
  expect(hoursOld()).toBeGreaterThan(100);
  age(8);
  await contents(name);
  expect(hoursOld()).toBeLessThan(1);
  await expectPositive(dns, name, `www.${name}`, 'A');
});

test('a node that was killed between the weights and the commit, and a damaged file, do no harm', async () => {
  const www = weighted('www', THREE, [1, 1, 8]);
  const { name } = await zoneWith([www]);
  const stored = files().find(
    (file) =>
      file.startsWith('weights-') && readFileSync(join(knot.folder.storage, file), 'utf8').includes(`"${name}"`),
  )!;
  const other = { ...www, rdata: ['192.0.2.8', '192.0.2.9'], weights: [1, 1] };
  writeFileSync(join(knot.folder.storage, stored), JSON.stringify({ zone: name, sets: [other] }));
  for (const file of files())
    if (file.startsWith('draw-')) writeFileSync(join(knot.folder.storage, file), randomBytes(99));
  await knot.restart('SIGKILL');
  const keys = keyStore({ keymgr: inject('knot').keymgr, folder: knot.folder });
  const next = zoneEngine({ control: knot.control, folder: knot.folder, keys });
  await next.tidy(signal);
  // The zone may be loading.
  await expect.poll(() => answered(name, www)).toEqual(THREE);
  expect((await Array.fromAsync(next.read(name, signal))).flat()).toContainEqual(servedSet('www', 'A', THREE, 30));
  await next.change(name, { names: ['www'], sets: [www], serial: 101 }, signal);
  await expectShares(name, www, [1 / 10, 1 / 10, 8 / 10]);
  await knot.restart('SIGTERM');
  await next.tidy(signal);
  // The zone may have been loading.
  await expect.poll(async () => (await answered(name, www)).length).toBe(draws ? 1 : 3);
  await expectShares(name, www, [1 / 10, 1 / 10, 8 / 10]);
});

test('a removed zone leaves no weights to a zone of the same name', async () => {
  const { name } = await zoneWith([weighted('www', THREE, [1, 1, 1])]);
  const own = () => files().filter((file) => readFileSync(join(knot.folder.storage, file), 'utf8').includes(name));
  expect(own()).not.toEqual([]);
  await engine.remove([name], signal);
  expect(own()).toEqual([]);
  await engine.add([{ name, keys: onlyKey(newKey()) }], signal);
  expect((await engine.zones(signal)).map((zone) => zone.name)).toContain(name);
});

test('the version says whether knotd draws', async () => {
  expect((await engine.version()).includes('(without weights')).toBe(!draws);
});

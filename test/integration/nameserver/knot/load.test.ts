// Much work at once with a real knotd: large changes, which are loaded from a file, and the keys of many zones.
import { generateKeyPairSync } from 'node:crypto';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { beforeAll, describe, expect, inject, test, vi } from 'vitest';
import type { ServedSet } from '#dns/served.ts';
import { keyId, keyStore } from '#nameserver/knot/keys.ts';
import { type KnotEngine, zoneEngine } from '#nameserver/knot/zones.ts';
import { createResolver } from '../../../support/dns/resolver.ts';
import { servedSet, typedRdata } from '../../../support/dns/served-sets.ts';
import { type TestKnot, testKnot } from '../../../support/knot/knot.ts';
import { onlyKey } from '../../../support/knot/only-key.ts';

const { signal } = new AbortController();
const SOA = { mname: 'ns.example.', rname: 'h.example.', refresh: 900, retry: 900, expire: 900, minimum: 60, ttl: 60 };
const NS = servedSet('@', 'NS', ['ns1.example.net', 'ns2.example.net']);
/** Long before the time of the clock, which Knot takes for a serial of its own. */
const FIRST = 1_000;

let knot: TestKnot;
let engine: KnotEngine;
beforeAll(async () => {
  knot = await testKnot();
  const keys = keyStore({ keymgr: inject('knot').keymgr, folder: knot.folder });
  engine = zoneEngine({ control: knot.control, folder: knot.folder, keys, loadSets: 3 });
});

const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;

/** Makes these the contents of the zone, in one change. */
function become(name: string, sets: readonly ServedSet[], serial = FIRST) {
  const whole = Map.groupBy([NS, ...sets], (set) => set.name);
  return engine.change(
    name,
    { names: [...whole.keys()], sets: [...whole.values()].flat(), soa: SOA, serial, whole },
    signal,
  );
}

async function contentsOf(name: string): Promise<ServedSet[]> {
  const all: ServedSet[] = [];
  for await (const sets of engine.read(name, signal)) all.push(...sets);
  return all;
}

const numbered = (count: number, last: number) =>
  Array.from({ length: count }, (_, n) => servedSet(`n${n}`, 'A', [`192.0.2.${last}`]));
const sorted = (sets: readonly ServedSet[]) => sets.map((set) => JSON.stringify(set)).sort();
const added = async (name: string) => engine.add([{ name, keys: onlyKey(pem) }], signal);
/** The items of loads and their files. */
async function left(): Promise<unknown[]> {
  const items = await knot.control.run('conf-read', { section: 'zone' });
  const files = readdirSync(knot.folder.storage).filter((file) => file.endsWith('.zone'));
  return [...items.map(({ item }) => item).filter((item) => item !== 'domain'), ...files];
}
describe('a large change', () => {
  test('a large change gives a zone its first contents of all types, with the serial that a commit gives', async () => {
    await added('first.example');
    const values = fc.sample(typedRdata, { numRuns: 60, seed: 15 }).filter(({ type }) => type !== 'CNAME');
    const sets = values.map(({ type, text }, n) => ({ name: `t${n}`, type, ttl: 300, rdata: [text] }));
    expect(await become('first.example', sets)).toBe(FIRST);
    expect(sorted(await contentsOf('first.example'))).toEqual(sorted([NS, ...sets]));
    expect(await left()).toEqual([]);
    const dns = createResolver(knot, knot.folder.root);
    expect((await dns.delv('first.example', 't0.first.example', values[0]!.type)).state).toBe('secure');
    expect(await dns.dig('first.example', 'SOA', '+short')).toContain(` ${FIRST} 900 `);
  });

  test('a large change changes contents by a difference, with the serial that a commit gives, whether it is later or not', async () => {
    await added('second.example');
    await become('second.example', numbered(10, 1));
    expect(await become('second.example', numbered(8, 2), FIRST + 5)).toBe(FIRST + 5);
    expect(sorted(await contentsOf('second.example'))).toEqual(sorted([NS, ...numbered(8, 2)]));
    expect(await become('second.example', numbered(9, 3), FIRST)).toBe(FIRST + 6);
    expect(sorted(await contentsOf('second.example'))).toEqual(sorted([NS, ...numbered(9, 3)]));
    // The incremental transfer has the difference, not the whole zone again.
    await knot.restart('SIGKILL');
    await vi.waitFor(async () => expect(sorted(await contentsOf('second.example'))).toHaveLength(10), {
      timeout: 60_000,
    });
    expect((await engine.zones(signal)).find(({ name }) => name === 'second.example')?.serial).toBe(FIRST + 6);
    expect(await left()).toEqual([]);
  });

  test('a large change that Knot refuses changes nothing, and the error has its words', async () => {
    await added('refused.example');
    await become('refused.example', numbered(4, 1));
    const wrong = [...numbered(4, 2), servedSet('n0', 'CNAME', ['elsewhere.example'])];
    await expect(become('refused.example', wrong, FIRST + 1)).rejects.toMatchObject({ failure: 'refused' });
    expect(sorted(await contentsOf('refused.example'))).toEqual(sorted([NS, ...numbered(4, 1)]));
    expect(await left()).toEqual([]);
  });

  test('a large change with names that a zone file would need to quote is a commit', async () => {
    await added('quoted.example');
    const sets = [servedSet('a\\;b', 'A', ['192.0.2.1']), ...numbered(4, 1)];
    expect(await become('quoted.example', sets)).toBe(FIRST);
    expect(await contentsOf('quoted.example')).toHaveLength(6);
  });

  test('a large change keeps no change of another zone waiting, only additions', async () => {
    await Promise.all([added('large.example'), added('small.example')]);
    await become('small.example', []);
    let order: string[] = [];
    // On a busy machine, the large zone may be complete before the small one is changed.
    for (let time = 1; time <= 5 && order[0] !== 'small'; time += 1) order = await both(time);
    expect(order).toEqual(['small', 'large', 'added']);
  });

  /** The order in which changes of a large and of a small zone end that begin together, and an addition after them. */
  async function both(time: number): Promise<string[]> {
    const order: string[] = [];
    const large = become('large.example', numbered(4_000, time), FIRST + time).then(() => order.push('large'));
    await vi.waitFor(async () => expect(await left()).not.toEqual([]), { timeout: 60_000 });
    const later = added(`later${time}.example`).then(() => order.push('added'));
    await engine.change(
      'small.example',
      { names: ['x'], sets: [servedSet('x', 'A', [`192.0.2.${time}`])], serial: time },
      signal,
    );
    order.push('small');
    await Promise.all([large, later]);
    return order;
  }
});

test('an interrupted load leaves nothing after the next start of the node, and the zone as it was', async () => {
  await added('left.example');
  await become('left.example', numbered(5, 1));
  writeFileSync(join(knot.folder.storage, 'load-left.example.zone'), '');
  await knot.control.session(async ({ run }) => {
    const zone = { section: 'zone', id: 'left.example.' };
    await run('conf-begin');
    await run('conf-set', { ...zone, item: 'zonefile-load', data: 'difference' });
    await run('conf-set', { ...zone, item: 'file', data: join(knot.folder.storage, 'load-left.example.zone') });
    await run('conf-commit');
  });
  await engine.tidy(signal);
  expect(await left()).toEqual([]);
  await knot.restart('SIGKILL');
  await vi.waitFor(
    async () => expect(sorted(await contentsOf('left.example'))).toEqual(sorted([NS, ...numbered(5, 1)])),
    {
      timeout: 60_000,
    },
  );
});

const some = (key: string) => Array.from({ length: 30 }, (_, n) => ({ name: `many${n}.example`, keys: onlyKey(key) }));

test('many zones at once get their keys', async () => {
  await engine.add(some(pem), signal);
  const keys = keyStore({ keymgr: inject('knot').keymgr, folder: knot.folder });
  for (const { name } of some(pem)) expect(await keys.list(name, signal)).toEqual([keyId(pem)]);
  await engine.remove(
    some(pem).map(({ name }) => name),
    signal,
  );
});

test('many zones at once fail with the words of keymgr', async () => {
  const keys = keyStore({ keymgr: '/bin/false', folder: knot.folder });
  const wanted = some(pem).map(({ name, keys }) => ({ zone: name, keys }));
  await expect(keys.add(wanted, signal)).rejects.toThrow('keymgr import-pem failed for the zone many0.example');
});

// Additions of zones to a real knotd, next to zones that are there or were there.
import { generateKeyPairSync } from 'node:crypto';
import { beforeAll, expect, inject, test } from 'vitest';
import type { ServedSet } from '#dns/served.ts';
import type { ZoneEngine } from '#nameserver/engine.ts';
import type { KnotControl, KnotSession } from '#nameserver/knot/control.ts';
import { keyStore } from '#nameserver/knot/keys.ts';
import { zoneEngine } from '#nameserver/knot/zones.ts';
import { servedSet } from '../../../support/dns/served-sets.ts';
import { type TestKnot, testKnot } from '../../../support/knot/knot.ts';
import { onlyKey } from '../../../support/knot/only-key.ts';

const { signal } = new AbortController();
const SOA = {
  ...{ mname: 'ns1.example.net.', rname: 'hostmaster.example.net.' },
  ...{ refresh: 10_800, retry: 3_600, expire: 604_800, minimum: 60, ttl: 60 },
};
const NS = servedSet('@', 'NS', ['ns1.example.net']);

let knot: TestKnot;
let engine: ZoneEngine;
beforeAll(async () => {
  knot = await testKnot();
  engine = engineWith(knot.control);
});

function engineWith(control: KnotControl): ZoneEngine {
  const keys = keyStore({ keymgr: inject('knot').keymgr, folder: knot.folder });
  return zoneEngine({ control, folder: knot.folder, keys });
}

function newKey(): string {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({
    type: 'pkcs8',
    format: 'pem',
  }) as string;
}

function put(zone: string, sets: readonly ServedSet[], serial: number) {
  return engine.change(zone, { names: sets.map(({ name }) => name), sets, serial, soa: SOA }, signal);
}

const serialOf = async (name: string) => (await engine.zones(signal)).find((zone) => zone.name === name)?.serial;

test('an added zone that is listed during the addition is known, so a second addition takes nothing for new', async () => {
  const zone = { name: 'listed.example', keys: onlyKey(newKey()) };
  const adding = engine.add([zone], signal);
  let isAdded = false;
  void adding.finally(() => {
    isAdded = true;
  });
  while (!isAdded) await engine.zones(signal);
  await adding;
  await put(zone.name, [NS, servedSet('old', 'A', ['192.0.2.1'])], 100);
  await engine.add([zone], signal);
  await engine.change(zone.name, { names: ['old'], sets: [], serial: 101 }, signal);
  expect((await Array.fromAsync(engine.read(zone.name, signal))).flat()).toEqual([NS]);
});

test('an added zone that another client removed gets no old contents', async () => {
  const [name, key] = ['lost.example', newKey()];
  await engine.add([{ name, keys: onlyKey(key) }], signal);
  await put(name, [NS, servedSet('old', 'A', ['192.0.2.1'])], 100);
  await knot.control.session(async ({ run }) => {
    await run('conf-begin');
    await run('conf-unset', { section: 'zone', id: `${name}.` });
    await run('conf-commit');
  });
  expect((await engine.zones(signal)).map((zone) => zone.name)).not.toContain(name);
  await engine.add([{ name, keys: onlyKey(key) }], signal);
  // knotd would load the contents of a journal now.
  await expect.poll(() => engine.check(name, signal).then(() => true)).toBe(true);
  expect(await serialOf(name)).toBeNull();
  await put(name, [NS], 50);
  expect((await Array.fromAsync(engine.read(name, signal))).flat()).toEqual([NS]);
  expect(await serialOf(name)).toBe(50);
});

test('a zone is added although a predecessor left transactions of a zone and of the configuration open', async () => {
  const [name, added] = ['open.example', ['after-zone.example', 'after-both.example']];
  await engine.add([{ name, keys: onlyKey(newKey()) }], signal);
  await put(name, [NS], 100);
  const { run } = knot.control;
  await run('zone-begin', { zone: `${name}.` });
  await engine.add([{ name: added[0]!, keys: onlyKey(newKey()) }], signal);
  // With Knot 3.4 it had to be aborted.
  await run('zone-abort', { zone: `${name}.` }).catch(() => undefined);
  await run('conf-begin');
  await engine.add([{ name: added[1]!, keys: onlyKey(newKey()) }], signal);
  expect((await engine.zones(signal)).map((zone) => zone.name)).toEqual(expect.arrayContaining(added));
});

test('a zone is changed although a predecessor left a transaction of the configuration open', async () => {
  const name = 'changed.example';
  await engine.add([{ name, keys: onlyKey(newKey()) }], signal);
  await put(name, [NS], 100);
  await knot.control.run('conf-begin');
  expect(await put(name, [NS, servedSet('www', 'A', ['192.0.2.1'])], 101)).toBe(101);
  await knot.control.run('conf-abort').catch(() => undefined);
});

test('zones are added while others are changed, without a refusal', async () => {
  const names = Array.from({ length: 4 }, (_, at) => `busy${at}.example`);
  await engine.add(
    names.map((name) => ({ name, keys: onlyKey(newKey()) })),
    signal,
  );
  await Promise.all(names.map((name) => put(name, [NS], 100)));
  const changes = names.map(async (name) => {
    for (let at = 0; at < 20; at++) await put(name, [NS, servedSet('www', 'A', [`192.0.2.${at}`])], 101 + at);
  });
  for (let at = 0; at < 10; at++) await engine.add([{ name: `new${at}.example`, keys: onlyKey(newKey()) }], signal);
  await Promise.all(changes);
  for (const name of names) expect(await serialOf(name)).toBe(120);
  expect(await engine.zones(signal)).toHaveLength(
    (await knot.control.run('conf-read', { section: 'zone', item: 'domain' })).length,
  );
});

test('an added zone after others needs no look at all of them', async () => {
  const commands: string[] = [];
  const observe = (session: KnotSession): KnotSession => ({
    ...session,
    run: (command, ...rest) => {
      commands.push(command);
      return session.run(command, ...rest);
    },
  });
  const control: KnotControl = {
    ...knot.control,
    session: (work, limit) => knot.control.session((session) => work(observe(session)), limit),
    sessionAlone: (work, limit) => knot.control.sessionAlone((session) => work(observe(session)), limit),
  };
  const own = engineWith(control);
  await own.add([{ name: 'first.example', keys: onlyKey(newKey()) }], signal);
  expect(commands).toContain('zone-status');
  commands.length = 0;
  await own.add([{ name: 'second.example', keys: onlyKey(newKey()) }], signal);
  expect(commands).toEqual(['conf-begin', 'conf-commit']);
  await own.remove(['first.example', 'second.example'], signal);
});

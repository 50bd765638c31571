// A knotd whose databases may only take a part of a small volume: a change that does not fit is refused, and nothing
// else happens.
import { generateKeyPairSync } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, inject, test } from 'vitest';
import { diskPlan } from '#nameserver/knot/disk.ts';
import { keyStore } from '#nameserver/knot/keys.ts';
import { zoneEngine } from '#nameserver/knot/zones.ts';
import { servedSet } from '../../../support/dns/served-sets.ts';
import { testKnot } from '../../../support/knot/knot.ts';
import { onlyKey } from '../../../support/knot/only-key.ts';

const { signal } = new AbortController();
const MIB = 1024 * 1024;
const SOA = {
  ...{ mname: 'ns1.example.net.', rname: 'hostmaster.example.net.' },
  ...{ refresh: 10_800, retry: 3_600, expire: 604_800, minimum: 60, ttl: 60 },
};

test('the plan for a disk divides a volume, and refuses one that is too small', () => {
  const { journalMiB, zoneMiB, keysMiB, timersMiB, catalogMiB } = diskPlan(1024 * MIB);
  expect(journalMiB + keysMiB! + timersMiB! + catalogMiB!).toBeLessThanOrEqual(0.9 * 1024);
  expect(zoneMiB).toBeLessThanOrEqual(journalMiB / 2);
  expect(diskPlan(100 * 1024 * MIB).zoneMiB).toBe(1_024);
  expect(() => diskPlan(63 * MIB)).toThrow('the volume of Knot DNS has 63 MiB; it must have at least 64 MiB');
});

test('knotd keeps the journal within its size: a zone that does not fit is refused, and others still change', async () => {
  const disk = { ...diskPlan(64 * MIB), journalMiB: 1, zoneMiB: 1 };
  const knot = await testKnot({ disk });
  const keys = keyStore({ keymgr: inject('knot').keymgr, folder: knot.folder });
  const engine = zoneEngine({ control: knot.control, folder: knot.folder, keys });
  const pem = () =>
    generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;
  await engine.add(
    [
      { name: 'small.example', keys: onlyKey(pem()) },
      { name: 'large.example', keys: onlyKey(pem()) },
    ],
    signal,
  );
  const put = (zone: string, count: number, serial: number) => {
    const names = ['@', ...Array.from({ length: count }, (_, at) => `h${at}`)];
    const sets = names.map((name) =>
      name === '@' ? servedSet('@', 'NS', ['ns1.example.net']) : servedSet(name, 'A', ['192.0.2.1']),
    );
    return engine.change(zone, { names, sets, serial, soa: SOA }, signal);
  };
  expect(await put('small.example', 5, 100)).toBe(100);
  await expect(put('large.example', 4_000, 100)).rejects.toThrow(
    'the zone does not fit into the journal of the name server. Enlarge the volume and ZONESTEAD_KNOT_DISK',
  );
  expect(await put('small.example', 6, 101)).toBe(101);
  const { size } = await stat(join(knot.folder.storage, 'journal', 'data.mdb'));
  // LMDB rounds up.
  expect(size).toBeLessThanOrEqual(1.1 * MIB);
  await knot.restart('SIGKILL', { disk });
  await expect
    .poll(async () => (await engine.zones(signal)).find(({ name }) => name === 'small.example')?.serial, {
      timeout: 60_000,
    })
    .toBe(101);
});

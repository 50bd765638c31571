// A zone that knotd loads from its journal after a restart: its contents are unknown, not none.
import { generateKeyPairSync } from 'node:crypto';
import { expect, inject, test } from 'vitest';
import { ZoneLoading } from '#nameserver/engine.ts';
import { keyStore } from '#nameserver/knot/keys.ts';
import { zoneEngine } from '#nameserver/knot/zones.ts';
import { servedSet } from '../../../support/dns/served-sets.ts';
import { testKnot } from '../../../support/knot/knot.ts';
import { onlyKey } from '../../../support/knot/only-key.ts';

const NAME = 'large.example';
const SOA = {
  ...{ mname: 'ns1.example.net.', rname: 'hostmaster.example.net.' },
  ...{ refresh: 10_800, retry: 3_600, expire: 604_800, minimum: 60, ttl: 60 },
};
const { signal } = new AbortController();
const knot = await testKnot();
const engine = zoneEngine({
  control: knot.control,
  folder: knot.folder,
  keys: keyStore({ keymgr: inject('knot').keymgr, folder: knot.folder }),
});
const orLoading = (error: Error) => (error instanceof ZoneLoading ? 'loading' : Promise.reject(error));
const change = (sets: ReturnType<typeof servedSet>[], serial: number) =>
  engine.change(NAME, { names: sets.map(({ name }) => name), sets, serial, soa: SOA }, signal);
const count = async () => {
  let sets = 0;
  for await (const page of engine.read(NAME, signal)) sets += page.length;
  return sets;
};

test('a zone of the journal is changed only when it is loaded', async () => {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  await engine.add(
    [{ name: NAME, keys: onlyKey(privateKey.export({ type: 'pkcs8', format: 'pem' }) as string) }],
    signal,
  );
  const numbered = Array.from({ length: 3_000 }, (_, at) => servedSet(`n${at}`, 'A', ['192.0.2.1']));
  await change([servedSet('@', 'NS', ['ns1.example.net']), ...numbered], 100);
  await knot.restart('SIGKILL');
  const again = () => change([servedSet('n0', 'A', ['192.0.2.2'])], 101).catch(orLoading);
  await again();
  expect(['loading', 3_001]).toContain(await count().catch(orLoading));
  await expect.poll(again, { timeout: 60_000 }).toBe(101);
  expect(await count()).toBe(3_001);
});

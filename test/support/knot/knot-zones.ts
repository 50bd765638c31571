// Zones of a real knotd for one test file.
import { generateKeyPairSync } from 'node:crypto';
import { inject } from 'vitest';
import { fqdn } from '#dns/names/name.ts';
import type { ServedSet } from '#dns/served.ts';
import { numberOfType } from '#dns/types/numbers.ts';
import { rdataOfOctets } from '#dns/wire/canonical-rdata.ts';
import { keyStore } from '#nameserver/knot/keys.ts';
import { zoneEngine } from '#nameserver/knot/zones.ts';
import { ask, type WireType } from '#nameserver/probe/probe.ts';
import { servedSet } from '../dns/served-sets.ts';
import { testKnot } from './knot.ts';
import { onlyKey } from './only-key.ts';

const { signal } = new AbortController();

/** The SOA of each test zone. */
export const SOA = {
  ...{ mname: 'ns1.example.net.', rname: 'hostmaster.example.net.' },
  ...{ refresh: 10_800, retry: 3_600, expire: 604_800, minimum: 60, ttl: 60 },
};
/** The NS of each test zone. */
export const NS = servedSet('@', 'NS', ['ns1.example.net', 'ns2.example.net']);

/** A private key as the service keeps it. */
export function newKey(): string {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({
    type: 'pkcs8',
    format: 'pem',
  }) as string;
}

/** In the order of names and types. */
export function ordered(sets: readonly ServedSet[]): ServedSet[] {
  const keyOf = ({ name, type }: ServedSet) => `${name} ${type}`;
  return sets.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
}

/** Starts a knotd that ends after the tests of the file, with functions that add, change and read its zones. */
export async function testKnotZones() {
  const knot = await testKnot();
  const keys = keyStore({ keymgr: inject('knot').keymgr, folder: knot.folder });
  const engine = zoneEngine({ control: knot.control, folder: knot.folder, keys });
  let number = 0;

  /** Gives the names of the RRsets exactly these. */
  const put = (
    zone: string,
    sets: readonly ServedSet[],
    { serial = 100, soa = undefined as typeof SOA | undefined } = {},
  ) => {
    const names = [...new Set(sets.map(({ name }) => name))];
    return engine.change(zone, { names, sets, serial, ...(soa === undefined ? {} : { soa }) }, signal);
  };

  /** A zone with NS and these RRsets. */
  const zoneWith = async (sets: readonly ServedSet[], serial = 100): Promise<{ name: string; key: string }> => {
    const [name, key] = [`zone${number++}.example`, newKey()];
    await engine.add([{ name, keys: onlyKey(key) }], signal);
    await put(name, [NS, ...sets], { serial, soa: SOA });
    return { name, key };
  };

  const contents = async (zone: string): Promise<ServedSet[]> =>
    (await Array.fromAsync(engine.read(zone, signal))).flat();

  /** The values that are answered, as canonical text. */
  const answered = async (zone: string, { name, type }: Pick<ServedSet, 'name' | 'type'>) => {
    const question = { name: fqdn(name, zone), type: type as WireType };
    const { answers } = await ask({ address: knot.address, port: knot.port }, question, { signal });
    const own = answers.filter((answer) => answer.type === numberOfType(type as WireType));
    return own.map(({ rdata }) => rdataOfOctets(type, rdata)).sort();
  };

  const readSerial = async (zone: string): Promise<number | null> =>
    (await engine.zones(signal)).find(({ name }) => name === zone)?.serial ?? null;

  return { knot, engine, put, zoneWith, contents, answered, serialOf: readSerial };
}

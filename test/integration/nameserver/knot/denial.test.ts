// The denial of names in a real knotd: NSEC, NSEC3 and the way between them. delv and ldns judge single answers and
// whole zones, and unbound, with a cache, every answer during the change. With Knot 3.2, zones keep NSEC.
import { randomInt } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, inject, test } from 'vitest';
import { realClock } from '#base/clock.ts';
import { sleep } from '#base/wait.ts';
import type { Denial } from '#dns/dnssec/denial.ts';
import { readSigningKey } from '#dns/dnssec/signing-key.ts';
import { NSEC3_WORKS } from '#nameserver/knot/configuration.ts';
import { keyId } from '#nameserver/knot/keys.ts';
import { isSince } from '#nameserver/knot/version.ts';
import { allocatePorts } from '../../../../deploy/local/parts/ports.ts';
import { expectNegative, expectPositive } from '../../../support/dns/answers.ts';
import { verifyZone, zoneText } from '../../../support/dns/check-zones.ts';
import { createResolver } from '../../../support/dns/resolver.ts';
import { servedSet } from '../../../support/dns/served-sets.ts';
import { startValidatingResolver } from '../../../support/dns/validating-resolver.ts';
import { NS, newKey, ordered, SOA, testKnotZones } from '../../../support/knot/knot-zones.ts';
import { onlyKey } from '../../../support/knot/only-key.ts';
import { temporaryFolder } from '../../../support/runner/temporary.ts';

const { signal } = new AbortController();
const { knot, engine, put, zoneWith, contents, serialOf } = await testKnotZones();
const dns = createResolver({ address: knot.address, port: knot.port }, knot.folder.root);
const folder = await temporaryFolder('denial');

/** A wildcard, an empty non-terminal, a delegation without DS, one with DS, and a name of each kind. */
const SETS = [
  servedSet('www', 'A', ['192.0.2.1'], 2),
  servedSet('*.wild', 'TXT', ['any'], 2),
  servedSet('deep.empty.between', 'A', ['192.0.2.3'], 2),
  servedSet('cut', 'NS', ['ns.example.org'], 2),
  servedSet('secure', 'NS', ['ns.example.org'], 2),
  servedSet('secure', 'DS', [`1 13 2 ${'ab'.repeat(32)}`], 2),
];
const hasNsec3 = isSince(knot.version, NSEC3_WORKS);
/** The denial that this knotd serves for one that is chosen. */
const servedFor = (denial: Denial) => (hasNsec3 ? denial : 'NSEC');
const deny = (zone: string, denial: Denial, names = 10) => engine.deny(zone, { denial, names }, signal);

const readTypes = async (zone: string) => {
  const lines = (await zoneText(knot.control, zone)).split('\n');
  return new Set(lines.flatMap((line) => line.split(' ')[3] ?? []));
};

/** The zone has the records that are served for this denial and none of the other, and ldns verifies it. */
async function expectDenial(zone: string, denial: Denial) {
  const types = await readTypes(zone);
  expect([types.has('NSEC'), types.has('NSEC3'), types.has('NSEC3PARAM')]).toEqual(
    servedFor(denial) === 'NSEC' ? [true, false, false] : [false, true, true],
  );
  expect(await verifyZone(await zoneText(knot.control, zone), folder)).toMatch(/Zone is verified and complete/);
}

/** knotd renews the signatures in time: two weeks before they end. */
async function expectRenewal(zone: string) {
  const states = await knot.control.run('zone-status', { zone: `${zone}.` });
  expect(states.find(({ type }) => type === 're-sign')?.data).toMatch(/^\+[67]D/);
}

/** Every kind of answer validates. */
async function expectProofs(zone: string) {
  await expectPositive(dns, zone, `www.${zone}`, 'A');
  await expectPositive(dns, zone, `a.b.wild.${zone}`, 'TXT');
  await expectPositive(dns, zone, `secure.${zone}`, 'DS');
  await expectNegative(dns, zone, `none.${zone}`, 'A', 'nxdomain');
  await expectNegative(dns, zone, `none.www.${zone}`, 'A', 'nxdomain');
  await expectNegative(dns, zone, `www.${zone}`, 'AAAA', 'nodata');
  await expectNegative(dns, zone, `empty.between.${zone}`, 'A', 'nodata');
  await expectNegative(dns, zone, `x.wild.${zone}`, 'A', 'nodata');
  // Without opt-out, the parent proves that the delegation has no DS.
  await expectNegative(dns, zone, `cut.${zone}`, 'DS', 'nodata');
}

async function addZone(name: string, denial: Denial) {
  const key = newKey();
  await engine.add([{ name, keys: onlyKey(key), denial }], signal);
  await put(name, [NS, ...SETS], { soa: { ...SOA, minimum: 2, ttl: 2 } });
  return key;
}

test('a new zone with NSEC3 has it from its first contents on, as RFC 9276 recommends', async () => {
  await addZone('new.example', 'NSEC3');
  await expectDenial('new.example', 'NSEC3');
  await expectProofs('new.example');
  await expectRenewal('new.example');
  if (!hasNsec3) return;
  const [parameters] = await knot.control.run('zone-read', { zone: 'new.example.', owner: '@', type: 'NSEC3PARAM' });
  expect(parameters?.data).toBe('1 0 0 -');
  const text = await zoneText(knot.control, 'new.example');
  const flags = text.split('\n').flatMap((line) => / IN NSEC3 (\d+ \d+ \d+ \S+)/.exec(line)?.[1] ?? []);
  expect([flags.length > 5, new Set(flags)]).toEqual([true, new Set(['1 0 0 -'])]);
});

test('a zone changes to NSEC3 and back, with the same records and later serials', async () => {
  const { name } = await zoneWith(SETS);
  await expectDenial(name, 'NSEC');
  const before = ordered(await contents(name));
  for (const denial of ['NSEC3', 'NSEC', 'NSEC3'] as const) {
    const serial = (await serialOf(name))!;
    await deny(name, denial);
    await expectDenial(name, denial);
    await expectProofs(name);
    expect(ordered(await contents(name))).toEqual(before);
    if (hasNsec3) expect(await serialOf(name)).toBeGreaterThan(serial);
    await expectRenewal(name);
  }
});

test('a zone that has the denial already is not signed again', async () => {
  const { name } = await zoneWith(SETS);
  for (const denial of ['NSEC', 'NSEC3'] as const) {
    await deny(name, denial);
    const serial = await serialOf(name);
    await deny(name, denial);
    expect(await serialOf(name)).toBe(serial);
  }
});

test('changes of a zone with NSEC3 keep its chain right', async () => {
  await addZone('changed.example', 'NSEC3');
  await put('changed.example', [servedSet('new', 'A', ['192.0.2.8']), servedSet('x.y.z', 'TXT', ['deep'])], {
    serial: 200,
  });
  await engine.change('changed.example', { names: ['www', 'cut'], sets: [], serial: 201 }, signal);
  await expectDenial('changed.example', 'NSEC3');
  await expectNegative(dns, 'changed.example', 'www.changed.example', 'A', 'nxdomain');
  await expectNegative(dns, 'changed.example', 'y.z.changed.example', 'A', 'nodata');
  expect(ordered(await contents('changed.example')).map(({ name }) => name)).toContain('new');
});

test('a zone without contents gets the denial for its first ones', async () => {
  await engine.add([{ name: 'bare.example', keys: onlyKey(newKey()) }], signal);
  await deny('bare.example', 'NSEC3', 0);
  await put('bare.example', [NS, ...SETS], { soa: SOA });
  await expectDenial('bare.example', 'NSEC3');
});

test('a zone keeps its denial and gets another key', async () => {
  await addZone('rekeyed.example', 'NSEC3');
  await engine.add([{ name: 'rekeyed.example', keys: onlyKey(newKey()) }], signal);
  await expect.poll(async () => (await dns.delv('rekeyed.example', 'none.rekeyed.example', 'A')).state).toBe('secure');
  await expectDenial('rekeyed.example', 'NSEC3');
});

test('a zone whose key knotd lost keeps its denial until it gets the key again', async () => {
  const key = await addZone('keyless.example', 'NSEC');
  const file = join(knot.folder.storage, 'keys', 'keys', `${keyId(key)}.pem`);
  rmSync(file);
  if (hasNsec3)
    await expect(deny('keyless.example', 'NSEC3')).rejects.toThrow('did not sign the zone keyless.example with NSEC3');
  await expectNegative(dns, 'keyless.example', 'none.keyless.example', 'A', 'nxdomain');
  await engine.add([{ name: 'keyless.example', keys: onlyKey(key), isKeyLost: true }], signal);
  await deny('keyless.example', 'NSEC3');
  await expectDenial('keyless.example', 'NSEC3');
});

test.each(['NSEC3', 'NSEC'] as const)(
  'a knotd that is killed during the change to %s ends it after its start',
  async (denial) => {
    const name = `killed-${denial.toLowerCase()}.example`;
    await addZone(name, denial === 'NSEC' ? 'NSEC3' : 'NSEC');
    const change = deny(name, denial).catch((error: unknown) => error);
    await sleep(realClock, randomInt(60), signal);
    await knot.restart('SIGKILL');
    await change;
    await expect.poll(() => serialOf(name)).not.toBeNull();
    // As the node does with a row whose denial is not known.
    await deny(name, denial);
    await expectDenial(name, denial);
    await expectProofs(name);
  },
);

test('records with weights are answered and validate before and after the change', async () => {
  const www = { ...servedSet('www', 'A', ['192.0.2.1', '192.0.2.2'], 30), weights: [1, 1] };
  const { name } = await zoneWith([www, servedSet('other', 'A', ['192.0.2.9'])]);
  for (const denial of ['NSEC3', 'NSEC'] as const) {
    await deny(name, denial);
    for (let turn = 0; turn < 5; turn++) {
      const answers = await expectPositive(dns, name, `www.${name}`, 'A');
      expect(answers).toHaveLength(isSince(knot.version, '3.4') ? 1 : 2);
    }
    await expectNegative(dns, name, `www.${name}`, 'AAAA', 'nodata');
    await expectNegative(dns, name, `none.${name}`, 'A', 'nxdomain');
  }
});

describe('clients of a resolver that validates, with a cache', async () => {
  const zone = 'switched.example';
  const key = await addZone(zone, 'NSEC');
  const { port } = await allocatePorts([{ name: 'port', dns: true }], { stateDir: folder });
  const resolver = await startValidatingResolver({
    command: inject('tools').unbound,
    folder,
    port,
    zone,
    server: dns,
    anchor: `${zone}. DNSKEY 257 3 13 ${readSigningKey(key)?.publicKey}`,
    signal,
  });

  const questions = (): [name: string, type: string, rcode: string] => {
    const label = randomInt(2_000);
    const kinds = [
      [`www.${zone}`, 'A', 'NOERROR'],
      [`www.${zone}`, 'AAAA', 'NOERROR'],
      [`n${label}.${zone}`, 'A', 'NXDOMAIN'],
      [`n${label}.www.${zone}`, 'A', 'NXDOMAIN'],
      [`n${label}.wild.${zone}`, 'TXT', 'NOERROR'],
      [`n${label}.wild.${zone}`, 'A', 'NOERROR'],
      [`empty.between.${zone}`, 'A', 'NOERROR'],
      [`cut.${zone}`, 'DS', 'NOERROR'],
    ] as const;
    return [...kinds[randomInt(kinds.length)]!];
  };

  test('get no bogus answer while the zone changes to NSEC3 and back', async () => {
    const wrong: string[] = [];
    let asked = 0;
    let isOver = false;
    const ask = async () => {
      while (!isOver) {
        const [name, type, rcode] = questions();
        const answer = await resolver.resolve(name, type);
        asked += 1;
        if (answer.state !== 'secure' || answer.rcode !== rcode)
          wrong.push(`${name} ${type}: ${answer.state} ${answer.rcode}`);
      }
    };
    const clients = Array.from({ length: 16 }, ask);
    try {
      for (const denial of ['NSEC3', 'NSEC', 'NSEC3', 'NSEC'] as const) {
        await sleep(realClock, 1_500, signal);
        await deny(zone, denial);
        expect((await dns.dig('+dnssec', `none.${zone}`, 'A')).includes('NSEC3')).toBe(servedFor(denial) === 'NSEC3');
      }
      await sleep(realClock, 1_500, signal);
    } finally {
      isOver = true;
      await Promise.all(clients);
      resolver.close();
      await resolver.part.stop();
    }
    expect(wrong).toEqual([]);
    expect(asked).toBeGreaterThan(2_000);
  });
});

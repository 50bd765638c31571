// The folder of a knotd, such as the volume of a pod, whose Knot DNS is replaced by another version, and back: the
// zones stay, with their keys and journals, and are changed.
import { expect, test } from 'vitest';
import { knotControl } from '#nameserver/knot/control.ts';
import { keyStore } from '#nameserver/knot/keys.ts';
import { runningVersion } from '#nameserver/knot/version.ts';
import { zoneEngine } from '#nameserver/knot/zones.ts';
import { ensureKnot, type Knot, startKnot } from '../../../../deploy/local/parts/knot.ts';
import { allocatePorts } from '../../../../deploy/local/parts/ports.ts';
import { createResolver } from '../../../support/dns/resolver.ts';
import { servedSet } from '../../../support/dns/served-sets.ts';
import { NS, newKey, SOA } from '../../../support/knot/knot-zones.ts';
import { onlyKey } from '../../../support/knot/only-key.ts';
import { temporaryFolder } from '../../../support/runner/temporary.ts';

const { signal } = new AbortController();
const VERSIONS = ['host', '3.4'] as const;

/** Runs the work with a knotd of this version in the folder, and kills it. @returns its version */
async function withKnot(
  version: (typeof VERSIONS)[number],
  place: { stateDir: string; port: number },
  work: (engine: ReturnType<typeof zoneEngine>, knot: Knot) => Promise<void>,
): Promise<string | null> {
  const programs = await ensureKnot({ version, progress: () => undefined, signal });
  const warnings: string[] = [];
  const settings = { rateLimit: { perSecond: 1_000 } };
  const knot = await startKnot({ ...place, programs, settings, signal, warn: (text) => void warnings.push(text) });
  const control = knotControl({ socket: knot.folder.socket });
  try {
    const keys = keyStore({ keymgr: programs.keymgr, folder: knot.folder });
    await work(zoneEngine({ control, folder: knot.folder, keys }), knot);
    expect(warnings).toEqual([]);
    return await runningVersion(control, signal);
  } finally {
    control.close();
    await knot.part.stop({ signal: 'SIGKILL' });
  }
}

test.each([
  ['that is installed', '3.4', ['host', '3.4', 'host']],
  ['3.4', 'that is installed', ['3.4', 'host', '3.4']],
] as const)(
  'zones of a Knot DNS %s are served and changed by the version %s, and after the way back',
  async (_, __, versions) => {
    const stateDir = await temporaryFolder('other-version');
    const { knot: port } = await allocatePorts([{ name: 'knot', dns: true }], { stateDir });
    const name = 'moved.example';
    const privateKey = newKey();
    const found: (string | null)[] = [];
    for (const [at, version] of versions.entries()) {
      const held = await withKnot(version, { stateDir, port: port as number }, async (engine, knot) => {
        const dns = createResolver(knot, stateDir);
        if (at === 0) await engine.add([{ name, keys: onlyKey(privateKey) }], signal);
        else {
          await expect
            .poll(async () => (await engine.zones(signal)).map(({ serial }) => serial))
            .toEqual([100 + at - 1]);
          expect((await dns.delv(name, `www.${name}`, 'A')).state).toBe('secure');
          // The same key is not imported again, and the zone keeps its contents.
          await engine.add([{ name, keys: onlyKey(privateKey) }], signal);
        }
        const sets = [NS, servedSet('www', 'A', [`192.0.2.${at}`])];
        const change = { names: ['@', 'www'], sets, serial: 100 + at, ...(at === 0 ? { soa: SOA } : {}) };
        expect(await engine.change(name, change, signal)).toBe(100 + at);
        expect((await dns.lookup(`www.${name}`, 'A')).answers).toEqual([`www.${name} 300 A 192.0.2.${at}`]);
        expect((await dns.delv(name, `www.${name}`, 'A')).state).toBe('secure');
      });
      found.push(held);
    }
    expect(found[0]).toBe(found[2]);
    expect(found.join()).toContain('3.4.');
  },
);

test('a zone with NSEC3 has it with Knot DNS 3.4, and NSEC with 3.2', async () => {
  const stateDir = await temporaryFolder('other-version');
  const { knot: port } = await allocatePorts([{ name: 'knot', dns: true }], { stateDir });
  const name = 'hashed.example';
  for (const [at, version] of (['host', '3.4', 'host', '3.4'] as const).entries()) {
    await withKnot(version, { stateDir, port: port as number }, async (engine, knot) => {
      const dns = createResolver(knot, stateDir);
      if (at === 0) {
        await engine.add([{ name, keys: onlyKey(newKey()), denial: 'NSEC3' }], signal);
        await engine.change(name, { names: ['@'], sets: [NS], serial: 100, soa: SOA }, signal);
      }
      const hasNsec3 = !(await engine.version()).includes('NSEC3');
      const readProof = async () => (await dns.dig('+dnssec', `none.${name}`, 'A')).match(/\bNSEC3?\b/)?.[0];
      await expect.poll(readProof, { timeout: 20_000 }).toBe(hasNsec3 ? 'NSEC3' : 'NSEC');
      expect(await dns.delv(name, `none.${name}`, 'A')).toMatchObject({ state: 'secure', negative: 'nxdomain' });
    });
  }
});

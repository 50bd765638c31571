// A disk that fills up: the node refuses changes in time, because knotd would end with SIGBUS. It needs root, for a
// small tmpfs.
import { execFileSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, inject, test } from 'vitest';
import { knotControl } from '#nameserver/knot/control.ts';
import { keyStore } from '#nameserver/knot/keys.ts';
import { checkRoom, neededBytes } from '#nameserver/knot/room.ts';
import { zoneEngine } from '#nameserver/knot/zones.ts';
import { startKnot } from '../../../../deploy/local/parts/knot.ts';
import { allocatePorts } from '../../../../deploy/local/parts/ports.ts';
import { servedSet } from '../../../support/dns/served-sets.ts';
import { onlyKey } from '../../../support/knot/only-key.ts';
import { temporaryFolder } from '../../../support/runner/temporary.ts';

const MIB = 1024 * 1024;
const { signal } = new AbortController();
const SOA = {
  ...{ mname: 'ns1.example.net.', rname: 'hostmaster.example.net.' },
  ...{ refresh: 10_800, retry: 3_600, expire: 604_800, minimum: 60, ttl: 60 },
};

test('a change needs 64 MiB, or a tenth of a small disk, and more if it is large', async () => {
  expect(neededBytes({ size: 1e12 }, 0)).toBe(64 * MIB);
  expect(neededBytes({ size: 100 * MIB }, 1_024)).toBe(11 * MIB);
  const disk = async () => ({ size: 1_000 * MIB, free: 65 * MIB });
  await expect(checkRoom('/disk', 0, disk)).resolves.toBeUndefined();
  await expect(checkRoom('/disk', 10_000, disk)).rejects.toThrow(
    'the disk of the name server is full: 65 MiB of /disk are free, and 74 MiB must be. Make room',
  );
});

const stateDir = await temporaryFolder('full-disk');
const mount = join(stateDir, 'knot');
mkdirSync(mount);

function isMounted(): boolean {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=16m', 'none', mount], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

describe.runIf(isMounted())('a disk that is full', async () => {
  const { knot: port } = await allocatePorts([{ name: 'knot', dns: true }], { stateDir });
  const knot = await startKnot({ programs: inject('knot'), stateDir, port, signal });
  const control = knotControl({ socket: knot.folder.socket });
  afterAll(async () => {
    control.close();
    await knot.part.stop();
    execFileSync('umount', [mount]);
  });

  test('a disk that is full refuses changes, keeps knotd alive, and is used again when there is room', async () => {
    const keys = keyStore({ keymgr: inject('knot').keymgr, folder: knot.folder });
    const engine = zoneEngine({ control, folder: knot.folder, keys });
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    await engine.add(
      [{ name: 'a.example', keys: onlyKey(privateKey.export({ type: 'pkcs8', format: 'pem' }) as string) }],
      signal,
    );
    const change = (address: string, serial: number) => {
      const sets = [servedSet('@', 'NS', ['ns1.example.net']), servedSet('www', 'A', [address])];
      return engine.change('a.example', { names: ['@', 'www'], sets, serial, soa: SOA }, signal);
    };
    expect(await change('192.0.2.1', 100)).toBe(100);
    const ballast = join(mount, 'ballast');
    expect(() => writeFileSync(ballast, Buffer.alloc(32 * MIB))).toThrow(/ENOSPC/);
    await expect(change('192.0.2.2', 101)).rejects.toThrow(/the disk of the name server is full: 0 MiB/);
    expect(await engine.zones(signal)).toEqual([{ name: 'a.example', serial: 100 }]);
    rmSync(ballast);
    expect(await change('192.0.2.2', 101)).toBe(101);
  });
});

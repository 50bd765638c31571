// Knot DNS for the local stack: the version of the machine, or that of Debian 13 from unpacked packages.
import { access } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { programVersion } from '#nameserver/knot/version.ts';
import { ensureKnot, startKnot } from '../../../../deploy/local/parts/knot.ts';
import { allocatePorts } from '../../../../deploy/local/parts/ports.ts';
import { temporaryFolder } from '../../../support/runner/temporary.ts';

const { signal } = new AbortController();
const options = { progress: () => undefined, signal };

test('Knot DNS 3.4 runs from unpacked packages of Debian 13', { timeout: 600_000 }, async () => {
  const programs = await ensureKnot({ ...options, version: '3.4' });
  const { weightModule = '', ...executables } = programs;
  for (const program of Object.values(executables)) expect(await programVersion(program, signal)).toMatch(/^3\.4\./);
  await access(weightModule);
  expect(await ensureKnot({ ...options, version: '3.4' })).toEqual(programs);
  const stateDir = await temporaryFolder('knot');
  const { knot: port } = await allocatePorts([{ name: 'knot', dns: true }], { stateDir });
  const { part } = await startKnot({ programs, stateDir, port: port as number, signal });
  await part.stop();
  expect(await part.tail(20)).toMatch(/Knot DNS 3\.4\.\d+ starting/);
});

test('another version of Knot DNS is refused with the versions that there are', async () => {
  await expect(ensureKnot({ ...options, version: '3.9' })).rejects.toThrow(
    'KNOT_VERSION is "3.9", and must be 3.4 (from the packages of Debian 13) or host (the version of this machine)',
  );
});

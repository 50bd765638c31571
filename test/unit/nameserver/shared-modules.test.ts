import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { knotFolder } from '#nameserver/knot/folder.ts';
import { prepareKnot } from '#nameserver/knot/prepare.ts';
import { findSharedModules, judgeSharedModules } from '#nameserver/knot/shared-modules.ts';

const GEOIP = '/usr/lib/x86_64-linux-gnu/knot/modules-3.2/geoip.so';
const { signal } = new AbortController();
const folder = await mkdtemp(join(tmpdir(), 'zonestead-modules-'));
afterAll(() => rm(folder, { recursive: true, force: true }));

/** A machine with a shared module, and a program that answers as one of Knot does. */
async function machine(version: string): Promise<{ program: string; places: string[] }> {
  const modules = join(folder, version, 'knot/modules-3.2');
  await mkdir(modules, { recursive: true });
  await writeFile(join(modules, 'geoip.so'), '');
  const program = join(folder, version, 'knotc');
  await writeFile(program, `#!/bin/sh\necho 'knotc (Knot DNS), version ${version}'\n`, { mode: 0o755 });
  return { program, places: [join(folder, version, 'knot/modules-*/*.so')] };
}

test('Knot DNS 3.2 with a shared module is refused, and the message names the package to remove', () => {
  expect(judgeSharedModules('3.2.6', [GEOIP])).toMatch(
    /^Knot DNS 3\.2 with a shared module \(.*geoip\.so\) crashes .*apt-get remove knot-module-geoip\. Knot DNS 3\.4 works/,
  );
});

test('Knot DNS 3.4 with shared modules works, and so does 3.2 without its own ones', () => {
  const newer = GEOIP.replace('3.2', '3.4');
  expect(judgeSharedModules('3.4.6', [newer])).toBeNull();
  expect(judgeSharedModules('3.2.6', [])).toBeNull();
  expect(judgeSharedModules('3.2.6', [newer])).toBeNull();
  expect(judgeSharedModules(null, [GEOIP])).toBeNull();
});

test('a folder is not prepared for a knotd that would crash, and a program that is not there has no fault', async () => {
  const { program, places } = await machine('3.2.6');
  const settings = { folder: knotFolder(join(folder, 'state')), listen: [], identity: 'ns1' };
  await expect(prepareKnot({ knotc: program, settings, signal, modules: places })).rejects.toThrow(
    /apt-get remove knot-module-geoip/,
  );
  const newer = await machine('3.4.6');
  expect(await findSharedModules(newer.program, signal, newer.places)).toBeNull();
  expect(await findSharedModules(join(folder, 'none'), signal, places)).toBeNull();
});

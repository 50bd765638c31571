// The command line as one executable, without Node.js in PATH.
import { execFile } from 'node:child_process';
import { mkdir, readFile, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect, test } from 'vitest';
import { buildCommandLine } from '../../../../deploy/cli/bundle.ts';
import { packExecutable } from '../../../../deploy/cli/executable.ts';
import { hostArchitecture } from '../../../../deploy/local/parts/architecture.ts';
import manifest from '../../../../package.json' with { type: 'json' };
import { temporaryFolder } from '../../../support/runner/temporary.ts';

const folder = await temporaryFolder('executable');
const bin = join(folder, 'bin');
const program = join(bin, 'zonestead');
const { signal } = new AbortController();
const license = join(dirname(process.execPath), '../LICENSE');
const node = { architecture: hostArchitecture(), node: { program: process.execPath, license } };

async function run(file: string, ...args: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(file, args, { env: { HOME: folder }, cwd: '/', timeout: 60_000 });
  return stdout;
}

beforeAll(async () => {
  await mkdir(bin);
  await buildCommandLine(folder);
  const archive = await packExecutable(folder, node, signal);
  await promisify(execFile)('tar', ['--extract', '--gzip', '--file', join(folder, archive), '--directory', bin]);
  await symlink('zonestead', join(bin, 'kubectl-zonestead'));
}, 600_000);

test('the executable runs without Node.js, and as a plugin of kubectl under the name of a link', async () => {
  expect(await run(program, '--version')).toBe(`${manifest.version}\n`);
  expect(await run(program, 'crds')).toContain('kind: CustomResourceDefinition');
  expect(await run(join(bin, 'kubectl-zonestead'), '--help')).toContain('zonestead kubectl [options] [command]');
});

test('the executable names itself, and no module, in the files for ACME clients', async () => {
  const hook = await run(program, 'acme', '--print', 'hook');
  expect(hook.trimEnd().split('\n').at(-1)).toBe(`exec ${program} acme "$@"`);
});

test('the archive of the executable has the licenses of the product, its packages and Node, and is the same again', async () => {
  expect(await readFile(join(bin, 'LICENSE'), 'utf8')).toContain('Apache License');
  expect(await readFile(join(bin, 'LICENSE-OF-NODE'), 'utf8')).toContain('Node.js is licensed for use as follows');
  expect(await readFile(join(bin, 'LICENSES-OF-PACKAGES.txt'), 'utf8')).toContain('undici');
  const archive = join(folder, `zonestead-linux-${node.architecture === 'x64' ? 'amd64' : 'arm64'}.tar.gz`);
  const before = await readFile(archive);
  await packExecutable(folder, node, signal);
  expect((await readFile(archive)).equals(before)).toBe(true);
}, 600_000);

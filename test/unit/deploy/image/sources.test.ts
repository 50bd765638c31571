// The layer of an image that has our sources.
import { execFile } from 'node:child_process';
import { readFile, realpath, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { layDown } from '../../../../deploy/image/rootfs.ts';
import { sources } from '../../../../deploy/image/sources.ts';
import { temporaryFolder } from '../../../support/runner/temporary.ts';

const ROOT = new URL('../../../..', import.meta.url).pathname;
const rootfs = await sources(ROOT);
const paths = [...rootfs.keys()].filter((path) => path.startsWith('app/'));

test('the sources in an image omit everything that builds, packages or tests the product', () => {
  expect(paths).toContain('app/src/main.ts');
  const rooms = new Set(paths.map((path) => path.split('/')[2]).filter((name) => name !== undefined));
  expect([...rooms].sort()).toEqual([
    'api',
    'base',
    'canary',
    'cli',
    'client',
    'config.ts',
    'console',
    'contract',
    'diagnosis',
    'dns',
    'doors',
    'external-dns',
    'http',
    'kube',
    'main.ts',
    'nameserver',
    'operator',
    'resources',
    'service',
    'settings',
    'solver',
    'store',
    'telemetry',
    'tokens',
  ]);
  expect(paths.filter((path) => /_snapshot\.json$|\.test\.ts$/.test(path))).toEqual([]);
});

test('the sources start with a Node that cannot remove types', async () => {
  const folder = await temporaryFolder('image-sources');
  await layDown(rootfs, folder);
  await symlink(join(ROOT, 'node_modules'), join(folder, 'app/node_modules'));
  const main = join(folder, 'app/main.js');
  const command = join(folder, 'usr/local/bin/zonestead');
  const started = (program: string, ...words: string[]) =>
    promisify(execFile)(process.execPath, [program, ...words], { env: { NODE_OPTIONS: '--no-strip-types' } });
  const run = (...words: string[]) => started(main, ...words);
  const help = (await run('--help')).stdout;
  expect(help).toContain('Usage: zonestead');
  // A shell and `kubectl exec` find the command by its name.
  expect(await realpath(command)).toBe(await realpath(main));
  const [line = ''] = (await readFile(command, 'utf8')).split('\n');
  // In another layer.
  expect(line).toBe('#!/usr/local/bin/node');
  expect((await started(command, '--help')).stdout).toBe(help);
  // The hook of ACME clients starts the same program.
  expect((await run('acme', '--print', 'hook')).stdout).toContain(`exec ${process.execPath} ${main} acme "$@"`);
});

// The libraries that programs link, read from their files: the loader of this machine confirms them.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { imagePath, linkedLibraries } from '../../../../deploy/image/libraries.ts';
import { findParts } from '../../../../deploy/image/parts.ts';
import { type Architecture, hostArchitecture } from '../../../../deploy/local/parts/architecture.ts';
import { runCommand } from '../../../../deploy/local/parts/commands.ts';
import { temporaryFolder } from '../../../support/runner/temporary.ts';

const { signal } = new AbortController();
const architecture = hostArchitecture();
const other: Architecture = architecture === 'x64' ? 'arm64' : 'x64';

test('the libraries of Node and of Knot DNS are those that the loader of this machine loads, at their paths in an image', async () => {
  const { node, knot } = await findParts({ progress: () => {}, signal });
  const programs = [node, ...Object.values(await knot())];
  const { out } = await runCommand({ command: 'ldd', args: programs, timeoutMs: 60_000, signal });
  const loaded = [...out.matchAll(/(?:=> )?(\/\S+) \(0x[0-9a-f]+\)$/gm)].map(([, path = '']) => imagePath(path));
  const libraries = await linkedLibraries(programs, { architecture, root: '/' });
  expect(loaded.length).toBeGreaterThan(20);
  expect([...libraries.keys()].sort()).toEqual([...new Set(loaded)].sort());
});

test('a library that this machine lacks stops the build, and so does one that no package of another system has', async () => {
  const root = await temporaryFolder('system');
  await expect(linkedLibraries([process.execPath], { architecture, root })).rejects.toThrow(
    /needs the library \S+, which no package in \S+ has: name its package in deploy\/image\/debian-root\.ts$/,
  );
  const file = join(root, 'node');
  const bytes = await readFile(process.execPath);
  const at = bytes.indexOf('libatomic.so.1');
  bytes.write('libabsent.so.1', at);
  await writeFile(file, bytes);
  await expect(linkedLibraries([file], { architecture, root: '/' })).rejects.toThrow(
    `${file} needs the library libabsent.so.1, which this machine lacks: install the package that has it`,
  );
});

test('a program of another architecture stops the build', async () => {
  await expect(linkedLibraries([process.execPath], { architecture: other, root: '/' })).rejects.toThrow(
    `${process.execPath} is not for ${other}: remove it and build again`,
  );
});

test('a script links nothing, and a program whose file ends early stops the build', async () => {
  const folder = await temporaryFolder('programs');
  const [script, short, cut] = ['script', 'short', 'cut'].map((name) => join(folder, name)) as [string, string, string];
  await writeFile(script, '#!/bin/sh\n');
  expect(await linkedLibraries([script], { architecture, root: '/' })).toEqual(new Map());
  const bytes = await readFile('/bin/sh');
  await writeFile(short, bytes.subarray(0, 20));
  await writeFile(cut, bytes.subarray(0, 100));
  const read = (file: string) => linkedLibraries([file], { architecture, root: '/' });
  await expect(read(short)).rejects.toThrow(`${short} is not a program of 64 bits in little endian`);
  await expect(read(cut)).rejects.toThrow(`${cut} ends early: build again, or install its package again`);
});

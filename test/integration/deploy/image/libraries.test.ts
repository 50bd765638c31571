// The libraries that programs link, read from their files: the loader of the same Debian confirms them.
import { readFile, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { imagePath, linkedLibraries } from '../../../../deploy/image/libraries.ts';
import { findParts, type Parts } from '../../../../deploy/image/parts.ts';
import { ARCHITECTURES, type Architecture, hostArchitecture } from '../../../../deploy/local/parts/architecture.ts';
import { runCommand } from '../../../../deploy/local/parts/commands.ts';
import { temporaryFolder } from '../../../support/runner/temporary.ts';

const { signal } = new AbortController();
const architecture = hostArchitecture();
const other: Architecture = architecture === 'x64' ? 'arm64' : 'x64';
let parts: Parts;
beforeAll(async () => {
  parts = await findParts({ progress: () => {}, refresh: false, signal });
}, 600_000);

test('the libraries of Node and of Knot DNS are those that the loader of Debian 13 loads, at their paths in an image', async () => {
  const { root, node, knot } = parts;
  const programs = [node.program, ...Object.values(knot)];
  const { loader, triplet } = ARCHITECTURES[architecture];
  const loaded = new Set([imagePath(loader)]);
  for (const program of programs) {
    const args = ['--library-path', join(root, 'usr/lib', triplet), '--list', program];
    const { out } = await runCommand({ command: join(root, 'usr', loader), args, timeoutMs: 60_000, signal });
    for (const [, file = ''] of out.matchAll(/=> (\/\S+) \(0x[0-9a-f]+\)$/gm)) loaded.add(relative(root, file));
  }
  const libraries = await linkedLibraries(programs, parts);
  expect(loaded.size).toBeGreaterThan(20);
  expect([...libraries.keys()].sort()).toEqual([...loaded].sort());
});

test('a library that no package has stops the build', async () => {
  const { root, node } = parts;
  const file = join(await temporaryFolder('system'), 'node');
  const bytes = await readFile(node.program);
  const at = bytes.indexOf('libatomic.so.1');
  bytes.write('libabsent.so.1', at);
  await writeFile(file, bytes);
  await expect(linkedLibraries([file], parts)).rejects.toThrow(
    `${file} needs the library libabsent.so.1, which no package in ${root} has: name its package in deploy/image/debian-root.ts`,
  );
});

test('a program of another architecture stops the build', async () => {
  const { program } = parts.node;
  await expect(linkedLibraries([program], { ...parts, architecture: other })).rejects.toThrow(
    `${program} is not for ${other}: remove it and build again`,
  );
});

test('a script links nothing, and a program whose file ends early stops the build', async () => {
  const folder = await temporaryFolder('programs');
  const [script, short, cut] = ['script', 'short', 'cut'].map((name) => join(folder, name)) as [string, string, string];
  await writeFile(script, '#!/bin/sh\n');
  expect(await linkedLibraries([script], parts)).toEqual(new Map());
  const bytes = await readFile(parts.knot.knotc);
  await writeFile(short, bytes.subarray(0, 20));
  await writeFile(cut, bytes.subarray(0, 100));
  const read = (file: string) => linkedLibraries([file], parts);
  await expect(read(short)).rejects.toThrow(`${short} is not a program of 64 bits in little endian`);
  await expect(read(cut)).rejects.toThrow(`${cut} ends early: build again, or install its package again`);
});

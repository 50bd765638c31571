// An image of the architecture that this machine does not have, laid down in a folder, and its programs as scripts that
// run them under the user mode of QEMU.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { IMAGES, type ImageName } from '../../deploy/image/images.ts';
import { findParts } from '../../deploy/image/parts.ts';
import { layDown, merge } from '../../deploy/image/rootfs.ts';
import { ensureTools } from '../../deploy/local/parts/apt.ts';
import { type Architecture, hostArchitecture } from '../../deploy/local/parts/architecture.ts';

export const FOREIGN: Architecture = hostArchitecture() === 'x64' ? 'arm64' : 'x64';
const QEMU: Readonly<Record<Architecture, string>> = { x64: 'qemu-x86_64-static', arm64: 'qemu-aarch64-static' };
const progress = (line: string) => process.stdout.write(`${line}\n`);

export interface EmulatedImage {
  /** The folder with its files. */
  root: string;
  /** A script that runs the program at this path of the image. */
  program(path: string, environment?: Readonly<Record<string, string>>): Promise<string>;
}

/**
 * @param folder for its files and scripts; exists
 * @throws Error that says how to get a part that apt or npm does not give
 */
export async function layDownForeign(name: ImageName, folder: string): Promise<EmulatedImage> {
  const { signal } = new AbortController();
  const command = QEMU[FOREIGN];
  const { [command]: qemu = '' } = await ensureTools([{ command, package: 'qemu-user-static' }], { progress, signal });
  const plan = await IMAGES[name](await findParts({ progress, refresh: false, signal }, FOREIGN));
  const root = join(folder, name);
  await layDown(merge(...(await Promise.all(plan.layers.map((layer) => layer.rootfs())))), root);
  const scripts = join(folder, `${name}-programs`);
  await mkdir(scripts);
  return {
    root,
    program: async (path, environment = {}) => {
      const file = join(scripts, path.split('/').at(-1) as string);
      const variables = Object.entries(environment).map(([key, value]) => `export ${key}='${value}'\n`);
      const lines = ['#!/bin/sh\n', ...variables, `exec ${qemu} -L ${root} ${join(root, path)} "$@"\n`];
      await writeFile(file, lines.join(''), { mode: 0o755 });
      return file;
    },
  };
}

/**
 * The Node of an image, which starts a second Node by its own path: without a handler for the other architecture in the
 * kernel (binfmt_misc), that has to be the script.
 */
export async function emulatedNode({ program, root }: EmulatedImage): Promise<string> {
  const path = 'usr/local/bin/node';
  const script = await program(path);
  const module = join(root, 'exec-path.mjs');
  await writeFile(module, `process.execPath = '${script}';\n`);
  return program(path, { NODE_OPTIONS: `--import=${module}`, NODE_DISABLE_COMPILE_CACHE: '1' });
}

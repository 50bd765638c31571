// A copy of the checkout for a test that types the commands of the pages: it has a `.local` of its own, and commands
// write into the copy. It uses the packages of the checkout.
import { chmod, cp, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removePostgresState } from '../../../deploy/local/parts/postgres.ts';
import { PROJECT } from './document.ts';

const FOLDERS = ['src', 'deploy', 'charts', 'crds', 'test', 'docs'];
const FILES = ['LICENSE', 'package.json', 'package-lock.json', 'tsconfig.json', 'README.md'];

export interface Checkout {
  folder: string;
  remove(): Promise<void>;
}

export async function copyCheckout(): Promise<Checkout> {
  const folder = await mkdtemp(join(tmpdir(), 'zonestead-docs-'));
  // Postgres, which refuses root, must get through to its data.
  await chmod(folder, 0o711);
  for (const part of [...FOLDERS, ...FILES]) {
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

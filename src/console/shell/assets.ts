// The files that pages load: pico and htmx from their packages, and our own. Each address contains a hash of the file,
// so that browsers can cache it without a time limit.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import files from '@fastify/static';
import type { FastifyInstance } from 'fastify';

const OWN = fileURLToPath(new URL('./assets', import.meta.url));
const fromPackage = (name: string) => dirname(fileURLToPath(import.meta.resolve(name)));

/** The folder of each file, by file name. */
const FOLDERS: Readonly<Record<string, string>> = {
  'pico.min.css': fromPackage('@picocss/pico/css/pico.min.css'),
  'htmx.min.js': fromPackage('htmx.org/dist/htmx.min.js'),
  'console.css': OWN,
  'console.js': OWN,
  'icon.svg': OWN,
};

const hashes = new Map<string, string>();

/** @throws Error if the console has no such file */
export function assetAddress(name: string): string {
  const folder = FOLDERS[name];
  if (folder === undefined) throw new Error(`${name} is not an asset of the console`);
  const hash =
    hashes.get(name) ??
    createHash('sha256')
      .update(readFileSync(`${folder}/${name}`))
      .digest('hex')
      .slice(0, 12);
  hashes.set(name, hash);
  return `/console/assets/${name}?v=${hash}`;
}

export async function serveAssets(app: FastifyInstance): Promise<void> {
  await app.register(files, { root: OWN, serve: false });
  for (const [name, folder] of Object.entries(FOLDERS)) {
    app.get(`/assets/${name}`, async (_request, reply) => {
      reply.removeHeader('cache-control');
      return reply.sendFile(name, folder, { maxAge: '365d', immutable: true });
    });
  }
}

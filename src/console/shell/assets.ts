// The files that pages load: pico and htmx from their packages, and our own. Each address contains a hash of the file,
// so that browsers can cache it without a time limit. Our style sheets are sent as one file, which is one request.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { dirname, extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import files from '@fastify/static';
import type { FastifyInstance } from 'fastify';

const OWN = fileURLToPath(new URL('./assets', import.meta.url));
const fromPackage = (name: string) => dirname(fileURLToPath(import.meta.resolve(name)));

/** The folder of each file, by file name. */
const FOLDERS: Readonly<Record<string, string>> = {
  'pico.min.css': fromPackage('@picocss/pico/css/pico.min.css'),
  'htmx.min.js': fromPackage('htmx.org/dist/htmx.min.js'),
  'console.js': OWN,
  'icon.svg': OWN,
};

/** The parts of console.css, in the order in which they apply. */
const STYLES = ['tokens.css', 'shell.css', 'forms.css', 'tables.css', 'history.css', 'live.css', 'overview.css'];
const CONSOLE_CSS = STYLES.map((name) => readFileSync(`${OWN}/${name}`, 'utf8')).join('');

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};

const addresses = new Map<string, string>();

/** @throws Error if the console has no such file */
export function assetAddress(name: string): string {
  const known = addresses.get(name);
  if (known !== undefined) return known;
  const folder = FOLDERS[name];
  if (folder === undefined && name !== 'console.css') throw new Error(`${name} is not an asset of the console`);
  const content = folder === undefined ? CONSOLE_CSS : readFileSync(`${folder}/${name}`);
  const address = `/console/assets/${name}?v=${createHash('sha256').update(content).digest('hex').slice(0, 12)}`;
  addresses.set(name, address);
  return address;
}

/** Browsers get the texts compressed, which makes a first visit a third as heavy. Other clients get them as they are. */
export async function serveAssets(app: FastifyInstance): Promise<void> {
  await app.register(files, { root: OWN, serve: false });
  for (const [name, folder] of [...Object.entries(FOLDERS), ['console.css', null] as const]) {
    const content = folder === null ? CONSOLE_CSS : readFileSync(`${folder}/${name}`);
    const small = gzipSync(content, { level: 9 });
    app.get(`/assets/${name}`, async (request, reply) => {
      reply.removeHeader('cache-control');
      reply.header('vary', 'accept-encoding');
      const takesGzip = /\bgzip\b/.test(request.headers['accept-encoding'] ?? '');
      if (!takesGzip && folder !== null) return reply.sendFile(name, folder, { maxAge: '365d', immutable: true });
      reply.header('cache-control', 'public, max-age=31536000, immutable').type(TYPES[extname(name)] ?? '');
      return takesGzip ? reply.header('content-encoding', 'gzip').send(small) : reply.send(content);
    });
  }
}

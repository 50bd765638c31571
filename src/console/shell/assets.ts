// The files that pages load: htmx from its package, pico without the rules for parts that no page has
// (deploy/console/pico.ts writes it), and our own. Each address contains a hash of the file, so that browsers can cache
// it without a time limit. Our style sheets are sent as one file, which is one request.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { dirname, extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import type { FastifyInstance } from 'fastify';

const OWN = fileURLToPath(new URL('./assets', import.meta.url));
const fromPackage = (name: string) => dirname(fileURLToPath(import.meta.resolve(name)));

/** The parts of console.css, in the order in which they apply. */
const STYLES = [
  'tokens.css',
  'shell.css',
  'forms.css',
  'editor.css',
  'tables.css',
  'messages.css',
  'history.css',
  'live.css',
  'overview.css',
];

const read = (name: string) => readFileSync(name, 'utf8');
const withoutComments = (css: string) => css.replace(/\/\*[\s\S]*?\*\//g, '');

/** The text of each file, by file name. */
const CONTENTS: Readonly<Record<string, string>> = {
  'pico.min.css': read(`${OWN}/pico.min.css`),
  'console.css': withoutComments(STYLES.map((name) => read(`${OWN}/${name}`)).join('')).replace(/\n\s*/g, ''),
  'htmx.min.js': read(`${fromPackage('htmx.org/dist/htmx.min.js')}/htmx.min.js`),
  'console.js': read(`${OWN}/console.js`),
  'icon.svg': read(`${OWN}/icon.svg`),
};

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};

const addresses = new Map(
  Object.entries(CONTENTS).map(([name, content]) => [
    name,
    `/console/assets/${name}?v=${createHash('sha256').update(content).digest('hex').slice(0, 12)}`,
  ]),
);

/** @throws Error if the console has no such file */
export function assetAddress(name: string): string {
  const address = addresses.get(name);
  if (address === undefined) throw new Error(`${name} is not an asset of the console`);
  return address;
}

/**
 * Browsers get the texts compressed, which makes a first visit a third as heavy. Other clients get them as they are.
 */
export function serveAssets(app: FastifyInstance): void {
  for (const [name, content] of Object.entries(CONTENTS)) {
    const small = gzipSync(content, { level: 9 });
    app.get(`/assets/${name}`, async (request, reply) => {
      reply.header('vary', 'accept-encoding').header('cache-control', 'public, max-age=31536000, immutable');
      reply.type(TYPES[extname(name)] ?? '');
      const takesGzip = /\bgzip\b/.test(request.headers['accept-encoding'] ?? '');
      return takesGzip ? reply.header('content-encoding', 'gzip').send(small) : reply.send(content);
    });
  }
}

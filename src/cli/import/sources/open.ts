// Opens the sources that the command line names, and reads their zones.
import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';
import { text as readAll } from 'node:stream/consumers';
import { readTsigKeyFile } from '#dns/tsig/key-file.ts';
import type { SourceZone } from '../source.ts';

export const FORMATS = ['zonefile', 'csv', 'octodns'] as const;
type Format = (typeof FORMATS)[number];

export interface SourceOptions {
  zone?: string;
  /** (Default: by the ending of the file.) */
  format?: Format;
  /** `name=Hostname`: the names of the columns of a CSV file. */
  column?: readonly string[];
  /** The path of a file with a TSIG key. */
  tsigKey?: string;
  /** The path of a file with the key of PowerDNS. */
  powerdnsKey?: string;
}

/** The largest file, in octets: an export of several hundred thousand records. */
const MAX_FILE = 64 * 1024 * 1024;

/** @throws Error that names the source and says what would be accepted */
export async function* openSources(
  words: readonly string[],
  options: SourceOptions,
  signal: AbortSignal,
): AsyncGenerator<SourceZone> {
  for (const word of words) {
    if (/^axfr:\/\//i.test(word)) yield await openAxfr(word, options, signal);
    else if (/^powerdns\+https?:\/\//i.test(word)) yield* await openPowerDns(word, options, signal);
    else yield* openFile(word, options);
  }
}

async function openAxfr(word: string, { zone, tsigKey }: SourceOptions, signal: AbortSignal): Promise<SourceZone> {
  const url = URL.parse(word.replace(/^axfr:/i, 'http:'));
  const name = zone ?? decodeURIComponent(url?.pathname.replace(/^\/|\/$/g, '') ?? '');
  if (url === null || name === '') throw new Error(`${word}: write axfr://server:port/zone, with port 53 by default`);
  const key = tsigKey === undefined ? undefined : readTsigKeyFile(await readText(tsigKey));
  const { readAxfr } = await import('./axfr.ts');
  // URL omits port 80, which is the default of http.
  const port = /^axfr:\/\/[^/]*[^/\]:]*:([0-9]+)(?:\/|$)/i.exec(word)?.[1];
  return readAxfr({
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: port === undefined ? 53 : Number(port),
    zone: name,
    key,
    signal,
  });
}

async function openPowerDns(word: string, { zone, powerdnsKey }: SourceOptions, signal: AbortSignal) {
  if (powerdnsKey === undefined) throw new Error(`${word}: --powerdns-key must name a file with the key of the API`);
  const url = new URL(word.replace(/^powerdns\+/i, ''));
  const key = (await readText(powerdnsKey)).trim();
  const { readPowerDns } = await import('./powerdns.ts');
  const name = zone ?? decodeURIComponent(url.pathname.replace(/^\/|\/$/g, ''));
  return readPowerDns({ url: url.origin, key, zone: name === '' ? undefined : name, signal });
}

async function* openFile(path: string, options: SourceOptions): AsyncGenerator<SourceZone> {
  if (path !== '-' && (await isFolder(path))) {
    const names = (await readdir(path)).filter((name) => /\.ya?ml$/i.test(name)).sort();
    if (names.length === 0) throw new Error(`${path}: the folder has no .yaml file of octoDNS`);
    for (const name of names) yield await readOne(join(path, name), { ...options, format: 'octodns' });
    return;
  }
  yield await readOne(path, options);
}

async function readOne(path: string, options: SourceOptions): Promise<SourceZone> {
  const text = path === '-' ? await readAll(process.stdin) : await readText(path);
  const ending = extname(path).toLowerCase();
  const format = options.format ?? (ending === '.csv' ? 'csv' : /^\.ya?ml$/.test(ending) ? 'octodns' : 'zonefile');
  const from = path === '-' ? 'standard input' : path;
  switch (format) {
    case 'zonefile':
      return (await import('./zone-file.ts')).readZoneFile(from, text, options.zone);
    case 'csv': {
      if (options.zone === undefined) throw new Error(`${from}: a CSV file does not name its zone; give --zone`);
      return (await import('./csv.ts')).readCsv(from, text, {
        zone: options.zone,
        columns: columnsOf(options.column ?? []),
      });
    }
    case 'octodns':
      return (await import('./octodns.ts')).readOctodns(from, text, options.zone ?? basename(path, extname(path)));
  }
}

function columnsOf(words: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    words.map((word) => {
      const at = word.indexOf('=');
      if (at <= 0) throw new Error(`--column ${word}: write column=name, for instance content="Points to"`);
      return [word.slice(0, at), word.slice(at + 1)];
    }),
  );
}

async function isFolder(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch (error) {
    throw new Error(`${path} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** @throws Error if the file is too large, or is not UTF-8 */
async function readText(path: string): Promise<string> {
  let octets: Buffer;
  try {
    if ((await stat(path)).size > MAX_FILE) throw new Error(`it has more than ${MAX_FILE / 1024 / 1024} MiB`);
    octets = await readFile(path);
  } catch (error) {
    throw new Error(`${path} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(octets);
  } catch {
    throw new Error(`${path} is not UTF-8; convert it, for instance with iconv -t UTF-8`);
  }
}

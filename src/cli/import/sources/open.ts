// Opens the sources that the command line names, and reads their zones.
import { readdir, realpath, stat } from 'node:fs/promises';
import { basename, extname, join, sep } from 'node:path';
import { describeUnusable } from '#base/address.ts';
import { readTsigKeyFile } from '#dns/tsig/key-file.ts';
import { readInput, unreadable } from '../../input.ts';
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

const ADDRESS = /^(?:axfr|powerdns\+https?):\/\//i;

/** Finds paths that are not there, before anything else is asked for. @throws Error that names the path */
export async function checkSources(words: readonly string[]): Promise<void> {
  for (const word of words) if (word !== '-' && !ADDRESS.test(word)) await isFolder(word);
}

/** @throws Error that names the source and says what would be accepted */
export async function* openSources(
  words: readonly string[],
  options: SourceOptions,
  signal: AbortSignal,
): AsyncGenerator<SourceZone> {
  for (const word of words) {
    if (/^axfr:\/\//i.test(word)) yield await openAxfr(word, options, signal);
    else if (/^powerdns\+https?:\/\//i.test(word)) yield* await openPowerDns(word, options, signal);
    else yield* openFile(word, options, signal);
  }
}

async function openAxfr(word: string, { zone, tsigKey }: SourceOptions, signal: AbortSignal): Promise<SourceZone> {
  const [, address = ''] = /^axfr:\/\/\[([^\]]+)\]/i.exec(word) ?? [];
  const fault = describeUnusable(address);
  if (fault !== null) throw new Error(`${word}: ${address} ${fault}`);
  const url = URL.parse(word.replace(/^axfr:/i, 'http:'));
  const name = zone ?? decodeURIComponent(url?.pathname.replace(/^\/|\/$/g, '') ?? '');
  if (url === null || name === '') throw new Error(`${word}: write axfr://server:port/zone, with port 53 by default`);
  const key = tsigKey === undefined ? undefined : readTsigKeyFile(await readInput(tsigKey, signal));
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
  const key = (await readInput(powerdnsKey, signal)).trim();
  const { readPowerDns } = await import('./powerdns.ts');
  const name = zone ?? decodeURIComponent(url.pathname.replace(/^\/|\/$/g, ''));
  return readPowerDns({ url: url.origin, key, zone: name === '' ? undefined : name, signal });
}

async function* openFile(path: string, options: SourceOptions, signal: AbortSignal): AsyncGenerator<SourceZone> {
  if (path === '-' || !(await isFolder(path))) {
    yield await readOne(path, await readInput(path, signal), options);
    return;
  }
  for (const file of await listYamlFiles(path)) {
    const text = await readInput(file, signal, { onlyFile: true });
    yield await readOne(file, text, { ...options, format: 'octodns' });
  }
}

async function readOne(path: string, text: string, options: SourceOptions): Promise<SourceZone> {
  const ending = extname(path).toLowerCase();
  const format = options.format ?? (ending === '.csv' ? 'csv' : /^\.ya?ml$/.test(ending) ? 'octodns' : 'zonefile');
  const from = path === '-' ? 'standard input' : path;
  switch (format) {
    case 'zonefile':
      return (await import('./zone-file.ts')).parseZoneFileSource(from, text, options.zone);
    case 'csv': {
      if (options.zone === undefined) throw new Error(`${from}: a CSV file does not name its zone; give --zone`);
      return (await import('./csv.ts')).readCsv(from, text, {
        zone: options.zone,
        columns: parseColumns(options.column ?? []),
      });
    }
    case 'octodns':
      return (await import('./octodns.ts')).readOctodns(from, text, options.zone ?? basename(path, extname(path)));
  }
}

function parseColumns(words: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    words.map((word) => {
      const at = word.indexOf('=');
      if (at <= 0) throw new Error(`--column ${word}: write column=name, for instance content="Points to"`);
      return [word.slice(0, at), word.slice(at + 1)];
    }),
  );
}

/**
 * The files of octoDNS in a folder. A link must stay in it: the folder may be a repository of others.
 * @throws Error without any
 */
async function listYamlFiles(folder: string): Promise<string[]> {
  const names = (await readdir(folder)).filter((name) => /\.ya?ml$/i.test(name)).sort();
  if (names.length === 0) throw new Error(`${folder}: the folder has no .yaml file of octoDNS`);
  const root = await realpath(folder);
  const paths = names.map((name) => join(folder, name));
  for (const path of paths) {
    const target = await realpath(path).catch((error: unknown) => {
      throw unreadable(path, error);
    });
    if (!target.startsWith(`${root}${sep}`)) {
      throw unreadable(path, new Error('it is a link out of its folder; name the file itself to import it'));
    }
  }
  return paths;
}

async function isFolder(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch (error) {
    throw unreadable(path, error);
  }
}

// pdns.conf from the nameserver's settings, where nobody else writes one: in a cluster, before PowerDNS starts. It must not
// know what stands in it.
import { readFile, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Config } from '../config.ts';
import { type PdnsDatabase, pdnsConf } from './pdns-conf.ts';
import { endPowerDns } from './purge.ts';

export const CONF_SETTINGS = [
  'ZONESTEAD_NAMESERVER_DATABASE_URL',
  'ZONESTEAD_PDNS_LISTEN',
  'ZONESTEAD_PDNS_PORT',
  'ZONESTEAD_PDNS_THREADS',
  'ZONESTEAD_PDNS_DATABASE_CA',
] as const;

const LIMIT_MS = 2_000;

type ConfConfig = Config<(typeof CONF_SETTINGS)[number]>;

/** Writes it whole or not at all, with mode 600: it holds a password. @returns whether it says something new @throws as databaseOf */
export async function writeConf(config: ConfConfig, file: string, socketDir: string): Promise<boolean> {
  const text = pdnsConf({
    database: databaseOf(config.ZONESTEAD_NAMESERVER_DATABASE_URL, config.ZONESTEAD_PDNS_DATABASE_CA),
    listen: { address: config.ZONESTEAD_PDNS_LISTEN, port: config.ZONESTEAD_PDNS_PORT },
    receiverThreads: config.ZONESTEAD_PDNS_THREADS,
    socketDir,
  });
  if ((await readFile(file, 'utf8').catch(() => '')) === text) return false;
  await writeFile(`${file}.new`, text, { mode: 0o600 });
  await rename(`${file}.new`, file);
  return true;
}

/**
 * The same before the companion begins: a password that was changed reaches PowerDNS, which is told to end; whoever
 * watches over it starts it with the new file.
 * @throws as writeConf
 */
export async function renewConf(config: ConfConfig, file: string, socket: string): Promise<void> {
  if (!(await writeConf(config, file, dirname(socket)))) return;
  // One that is not up yet reads the new file anyway.
  await endPowerDns(socket, LIMIT_MS).catch(() => undefined);
}

/** libpq's words for what Node's driver calls the same. */
const TLS_MODES: ReadonlySet<string> = new Set(['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full']);

/**
 * The parts of postgres://user:password@host:port/database?sslmode=…, as pdns.conf has them.
 * @throws Error when a part could not stand there: PowerDNS hands them to libpq unquoted
 */
export function databaseOf(address: string, authorityFile: string | undefined): PdnsDatabase {
  const url = new URL(address);
  const part = (name: string, text: string): string => {
    const plain = decodeURIComponent(text);
    if (plain !== '' && !/[\s'"\\#]/.test(plain)) return plain;
    throw new Error(
      `The ${name} in the nameserver's database address must be there, without blanks, quotes, "\\" and "#".`,
    );
  };
  const mode = url.searchParams.get('sslmode');
  if (mode !== null && !TLS_MODES.has(mode)) {
    throw new Error(
      `sslmode=${mode} in the nameserver's database address must be one of ${[...TLS_MODES].join(', ')}.`,
    );
  }
  return {
    host: part('host', url.hostname.replace(/^\[|\]$/g, '')),
    port: url.port === '' ? 5432 : Number(url.port),
    name: part('database', url.pathname.slice(1)),
    user: part('user', url.username),
    password: part('password', url.password),
    ...(mode === null ? {} : { tls: { mode, ...(authorityFile === undefined ? {} : { authorityFile }) } }),
  };
}

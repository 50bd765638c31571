// Writes pdns.conf from the nameserver's settings. In a cluster this happens before PowerDNS starts.
import { readFile, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Config } from '#config.ts';
import type { CONF_SETTINGS } from '../settings.ts';
import { type PdnsDatabase, pdnsConf } from './pdns-conf.ts';
import { endPowerDns } from './purge.ts';

const LIMIT_MS = 2_000;

type ConfConfig = Config<(typeof CONF_SETTINGS)[number]>;

/** Writes the whole file or nothing, with mode 600 for the password. @returns whether it changed @throws as databaseOf */
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
 * Writes the file again before the companion starts. If a setting such as the password has changed, PowerDNS is told to exit,
 * and its supervisor restarts it with the new file.
 * @throws as writeConf
 */
export async function renewConf(config: ConfConfig, file: string, socket: string): Promise<void> {
  if (!(await writeConf(config, file, dirname(socket)))) return;
  // A PowerDNS that has not started yet reads the new file anyway.
  await endPowerDns(socket, LIMIT_MS).catch(() => undefined);
}

/** The values of libpq's sslmode. Node's driver uses the same names. */
const TLS_MODES: ReadonlySet<string> = new Set(['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full']);

/**
 * Splits postgres://user:password@host:port/database?sslmode=… into the values of pdns.conf.
 * @throws Error for a part with characters that pdns.conf cannot contain: PowerDNS hands them to libpq unquoted
 */
export function databaseOf(address: string, authorityFile: string | undefined): PdnsDatabase {
  const url = new URL(address);
  const part = (name: string, text: string): string => {
    const plain = decodeURIComponent(text);
    if (plain !== '' && !/[\s'"\\#]/.test(plain)) return plain;
    throw new Error(
      `The ${name} in the nameserver's database address must not be empty and must not contain blanks, quotes, "\\" or "#".`,
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

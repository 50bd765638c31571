// The address of a Postgres database, which can name several servers of one cluster: one of them is the primary, and
// the others can become it. The form is that of libpq (PostgreSQL manual, "Connection URIs").

import { isIPv6 } from 'node:net';
import { describeUnusable, formatHostPort } from './address.ts';
import { isLoopbackHost } from './networks.ts';

export interface Host {
  /** A name or an address; an IPv6 address without brackets. */
  readonly host: string;
  readonly port: number;
}

export interface PostgresAddress {
  /** At least one, in the order of the text. */
  readonly hosts: readonly Host[];
  /**
   * The same address with the first host alone, without the options of TLS: a URL that `new URL` and the driver can
   * read.
   */
  readonly url: string;
  readonly tls: PostgresTls;
}

/** Only verify-full proves that the server is the one that the address names. */
export type PostgresTls =
  | { readonly mode: 'disable' | 'prefer' | 'require' }
  | {
      readonly mode: 'verify-full';
      /** A PEM file with the authorities of the server; null for those that the machine trusts. */
      readonly authorities: string | null;
    };

type Parsed = { ok: true; value: PostgresAddress } | { ok: false; problem: string };

const DEFAULT_PORT = 5432;
const MAX_HOSTS = 16;
const FORM = 'must be postgres://user:password@host:port/database';
const SEVERAL = 'several servers are written postgres://user:password@host1:5432,host2:5432/database';
const ADDRESS = /^(postgres(?:ql)?:\/\/)(?:(.*)@)?([^@/?#]*)(\/[^?#]*)?(\?[^#]*)?$/;
const HOST = /^(?:\[([^\]]+)\]|([^:[\]\s]+))(?::(\d*))?$/;
/** libpq has more, but the service writes: a connection to any other server is of no use to it. */
const WRITABLE: ReadonlySet<string> = new Set(['read-write', 'primary']);
const MODES = ['disable', 'prefer', 'require', 'verify-full'] as const;
/** Options of TLS of libpq and of the driver that would have no effect here. */
const WITHOUT_EFFECT = ['ssl', 'sslcert', 'sslkey', 'sslpassword', 'sslcrl', 'sslnegotiation'];

/**
 * Reads `postgres://user:password@host1:port1,host2:port2/database?…`. A host without a port has port 5432. The
 * messages say what is accepted and never contain the user or the password.
 */
export function parsePostgresAddress(text: string): Parsed {
  const [, scheme = '', login, list = '', path = '', query = ''] = ADDRESS.exec(text) ?? [];
  if (scheme === '') return wrong(`${FORM}; ${SEVERAL}; "/", "?" and "#" in a password are written %2F, %3F and %23`);
  const hosts: Host[] = [];
  for (const part of list.split(',')) {
    const host = readHost(part);
    if (typeof host === 'string') return wrong(host);
    if (hosts.some((other) => sameHost(other, host)))
      return wrong(`names ${hostText(host)} twice: name each server once`);
    hosts.push(host);
  }
  if (hosts.length > MAX_HOSTS) return wrong(`names ${hosts.length} servers: at most ${MAX_HOSTS} are accepted`);
  const url = `${scheme}${login === undefined ? '' : `${login}@`}${hostText(hosts[0] as Host)}${path}${query}`;
  if (!URL.canParse(url)) return wrong(FORM);
  const session = new URL(url).searchParams.get('target_session_attrs');
  if (session !== null && !WRITABLE.has(session)) {
    return wrong(
      'has a target_session_attrs that is not accepted: write read-write, or leave it out, which is the same',
    );
  }
  const tls = readTls(new URL(url).searchParams);
  return typeof tls === 'string' ? wrong(tls) : { ok: true, value: { hosts, url: withoutTls(url), tls } };
}

/** The settings that protect the connections to the database, in addition to the address. */
export interface Protection {
  /** A PEM file with the authorities of the server. It asks for sslmode=verify-full. */
  readonly authorities: string | undefined;
  /** Whether a connection to another machine may do without a verified server. */
  readonly isUnverifiedAllowed: boolean;
}

/**
 * The address with the options of TLS that the settings add to it. Passwords, private keys and records cross this
 * connection, so an address of another machine must ask for a verified server.
 */
export function protectPostgresAddress(
  text: string,
  { authorities, isUnverifiedAllowed }: Protection,
): { ok: true; value: string } | { ok: false; problem: string } {
  const parsed = parsePostgresAddress(text);
  if (!parsed.ok) return parsed;
  const { hosts, tls } = parsed.value;
  const sslMode = /[?&]sslmode=([^&]*)/.exec(text)?.[1];
  if (authorities !== undefined) {
    if (sslMode !== undefined && tls.mode !== 'verify-full')
      return wrong(
        `has sslmode=${tls.mode}, which verifies nothing: write sslmode=verify-full with ZONESTEAD_DATABASE_CA`,
      );
    if (tls.mode === 'verify-full' && tls.authorities !== null)
      return wrong('has sslrootcert, and ZONESTEAD_DATABASE_CA is set: keep one of them');
    const options = `sslrootcert=${encodeURIComponent(authorities)}${sslMode === undefined ? '&sslmode=verify-full' : ''}`;
    return { ok: true, value: `${text}${text.includes('?') ? '&' : '?'}${options}` };
  }
  const [remote] = hosts.filter(({ host }) => !isLoopbackHost(host));
  if (remote !== undefined && tls.mode !== 'verify-full' && !isUnverifiedAllowed)
    return wrong(
      `has sslmode=${tls.mode}${sslMode === undefined ? ', the default,' : ''} for ${hostText(remote)}, which does not verify the server: add sslmode=verify-full, and name the file of its authority in ZONESTEAD_DATABASE_CA; or set ZONESTEAD_DATABASE_WITHOUT_TLS=allow if the network between them is protected`,
    );
  return { ok: true, value: text };
}

function readTls(options: URLSearchParams): PostgresTls | string {
  const useless = WITHOUT_EFFECT.find((name) => options.has(name));
  if (useless !== undefined) return `has ${useless}, which has no effect: write sslmode and sslrootcert`;
  const mode = MODES.find((each) => each === (options.get('sslmode') ?? 'disable'));
  if (mode === undefined) return `has sslmode=${options.get('sslmode')}: write ${MODES.join(', ')}`;
  const authorities = options.get('sslrootcert');
  if (mode === 'verify-full') return { mode, authorities: authorities === 'system' ? null : authorities || null };
  if (authorities !== null)
    return `has sslrootcert with sslmode=${mode}, which verifies nothing: write sslmode=verify-full`;
  return { mode };
}

function withoutTls(url: string): string {
  const urlWithoutTls = new URL(url);
  for (const name of ['sslmode', 'sslrootcert']) urlWithoutTls.searchParams.delete(name);
  return urlWithoutTls.href;
}

function readHost(part: string): Host | string {
  if (part === '') return `has no host at one place: ${SEVERAL}`;
  const [, six, name, port = ''] = HOST.exec(part) ?? [];
  const host = six ?? name;
  if (host === undefined || (six !== undefined && !isIPv6(six)))
    return `has a host that cannot be read: write host:port, or [address]:port for IPv6; ${SEVERAL}`;
  const reason = describeUnusable(host);
  if (reason !== null) return `has the host ${host}, which ${reason}`;
  const number = port === '' ? DEFAULT_PORT : Number(port);
  if (number < 1 || number > 65_535) return `has port ${port} for ${host}: a port is a number from 1 to 65535`;
  return { host, port: number };
}

export function sameHost(one: Host, other: Host): boolean {
  return one.host === other.host && one.port === other.port;
}

/** host:port, with brackets around an IPv6 address. */
export function hostText({ host, port }: Host): string {
  return formatHostPort(host, port);
}

function wrong(problem: string): { ok: false; problem: string } {
  return { ok: false, problem };
}

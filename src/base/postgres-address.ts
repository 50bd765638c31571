// The address of a Postgres database, which can name several servers of one cluster: one of them is the primary, and the others
// can become it. The form is that of libpq (PostgreSQL manual, "Connection URIs").

export interface Host {
  /** A name or an address; an IPv6 address without brackets. */
  readonly host: string;
  readonly port: number;
}

export interface PostgresAddress {
  /** At least one, in the order of the text. */
  readonly hosts: readonly Host[];
  /** The same address with the first host alone: a URL that `new URL` and the driver can read. */
  readonly url: string;
}

type Parsed = { ok: true; value: PostgresAddress } | { ok: false; problem: string };

const DEFAULT_PORT = 5432;
const MOST_HOSTS = 16;
const FORM = 'must be postgres://user:password@host:port/database';
const SEVERAL = 'several servers are written postgres://user:password@host1:5432,host2:5432/database';
const ADDRESS = /^(postgres(?:ql)?:\/\/)(?:(.*)@)?([^@/?#]*)(\/[^?#]*)?(\?[^#]*)?$/;
const HOST = /^(?:\[([0-9a-fA-F:.%]+)\]|([^:[\]\s]+))(?::(\d*))?$/;
/** libpq has more, but the service writes: a connection to any other server is of no use to it. */
const WRITABLE: ReadonlySet<string> = new Set(['read-write', 'primary']);

/**
 * Reads `postgres://user:password@host1:port1,host2:port2/database?…`. A host without a port has port 5432. The messages say
 * what is accepted and never contain the user or the password.
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
  if (hosts.length > MOST_HOSTS) return wrong(`names ${hosts.length} servers: at most ${MOST_HOSTS} are accepted`);
  const url = `${scheme}${login === undefined ? '' : `${login}@`}${hostText(hosts[0] as Host)}${path}${query}`;
  if (!URL.canParse(url)) return wrong(FORM);
  const session = new URL(url).searchParams.get('target_session_attrs');
  if (session !== null && !WRITABLE.has(session)) {
    return wrong(
      'has a target_session_attrs that is not accepted: write read-write, or leave it out, which is the same',
    );
  }
  return { ok: true, value: { hosts, url } };
}

function readHost(part: string): Host | string {
  if (part === '') return `has no host at one place: ${SEVERAL}`;
  const [, six, name, port = ''] = HOST.exec(part) ?? [];
  const host = six ?? name;
  if (host === undefined)
    return `has a host that cannot be read: write host:port, or [address]:port for IPv6; ${SEVERAL}`;
  const number = port === '' ? DEFAULT_PORT : Number(port);
  if (number < 1 || number > 65_535) return `has port ${port} for ${host}: a port is a number from 1 to 65535`;
  return { host, port: number };
}

export function sameHost(one: Host, other: Host): boolean {
  return one.host === other.host && one.port === other.port;
}

/** host:port, with brackets around an IPv6 address. */
export function hostText({ host, port }: Host): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}

function wrong(problem: string): Parsed {
  return { ok: false, problem };
}

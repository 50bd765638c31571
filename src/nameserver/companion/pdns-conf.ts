// pdns.conf as text, for PowerDNS Authoritative 4.7 and later. Every line has a measured reason; all other settings have
// PowerDNS' defaults. Pure.

export interface PdnsDatabase {
  host: string;
  port: number;
  name: string;
  user: string;
  password: string;
  /** libpq's sslmode and the file of the authorities. (Default: libpq's, which is `prefer`.) */
  tls?: { mode: string; authorityFile?: string };
}

interface PdnsSettings {
  /** The database, with the role pdns. */
  database: PdnsDatabase;
  listen: { address: string; port: number };
  /** Folder of the control socket; the socket is `pdns.controlsocket` in it. */
  socketDir: string;
  /** Receiver threads, one per core. (Default: 2.) */
  receiverThreads?: number;
}

/** The queries of the backend. Only number and order of the result columns matter; the functions are in schema pdns. */
const QUERIES: Readonly<Record<string, string>> = {
  'basic-query': 'select content, ttl, prio, type, domain_id, disabled, name, auth from pdns.soa($1, $2)',
  'any-id-query': 'select content, ttl, prio, type, domain_id, disabled, name, auth from pdns.lookup($1, $2)',
  'get-order-before-query': 'select ordername, name from pdns.order_before($1, $2)',
  'get-order-after-query': 'select ordername from pdns.order_after($1, $2)',
  'get-order-first-query': 'select ordername from pdns.order_first($1)',
  'get-order-last-query': 'select ordername, name from pdns.order_last($1)',
  'list-domain-keys-query': 'select id, flags, active, published, content from pdns.keys($1)',
};

/** The text of the configuration file. It contains the database password: write it with mode 600. */
export function pdnsConf(settings: PdnsSettings): string {
  const { database, listen } = settings;
  const lines: [string, string | number][] = [
    ['launch', 'gpgsql'],
    ['gpgsql-host', database.host],
    ['gpgsql-port', database.port],
    ['gpgsql-dbname', database.name],
    ['gpgsql-user', database.user],
    ['gpgsql-password', database.password],
    ['gpgsql-dnssec', 'yes'],
    ['gpgsql-prepared-statements', 'yes'],
    // A lock or a dead connection must cause SERVFAIL, which resolvers retry elsewhere, and not silence.
    [
      'gpgsql-extra-connection-parameters',
      `connect_timeout=2 ${tlsParameters(database.tls)}options='-c statement_timeout=500 -c search_path=pdns -c jit=off'`,
    ],
    ...Object.entries(QUERIES).map(([name, query]): [string, string] => [`gpgsql-${name}`, query]),
    ['local-address', listen.address],
    ['local-port', listen.port],
    ['socket-dir', settings.socketDir],
    ['daemon', 'no'],
    ['guardian', 'no'],
    // Freshness: only packets are cached, for 5 s at most, and the companion purges changed zones at once. With the query
    // cache, purges race with queries (4.7.3); with the zone cache, new zones wait up to 300 s.
    ['cache-ttl', 5],
    ['query-cache-ttl', 0],
    ['negquery-cache-ttl', 0],
    ['zone-cache-refresh-interval', 0],
    ['zone-metadata-cache-ttl', 5],
    ['dnssec-key-cache-ttl', 5],
    ['default-publish-cds', '2,4'],
    ['default-publish-cdnskey', 1],
    ['expand-alias', 'no'],
    ['disable-axfr', 'yes'],
    ['any-to-tcp', 'yes'],
    // Without this a question for a name that is not a host name is SERVFAIL, below wildcards too (RFC 2181 section 11).
    ['8bit-dns', 'yes'],
    ['distributor-threads', 3],
    ['receiver-threads', settings.receiverThreads ?? 2],
    ['reuseport', 'yes'],
    ['version-string', 'anonymous'],
    // PowerDNS must not send its version to the vendor.
    ['security-poll-suffix', ''],
    ['webserver', 'no'],
    ['api', 'no'],
    ['write-pid', 'no'],
    // Errors only: at level 4 every purge writes a line.
    ['loglevel', 3],
  ];
  return `${lines.map(([name, value]) => `${name}=${value}`).join('\n')}\n`;
}

function tlsParameters(tls: PdnsDatabase['tls']): string {
  if (tls === undefined) return '';
  return `sslmode=${tls.mode} ${tls.authorityFile === undefined ? '' : `sslrootcert=${tls.authorityFile} `}`;
}

/** The path of the control socket that PowerDNS creates in `socketDir`. */
export function controlSocket(socketDir: string): string {
  return `${socketDir}/pdns.controlsocket`;
}

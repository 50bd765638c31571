// Every setting of every command, with its form, its default and its description. Help and reference are made from it.
import { CANARY_ONLY_SETTINGS } from './canary.ts';
import { CLUSTER_SETTINGS } from './cluster.ts';
import { DOCS_SETTINGS } from './docs.ts';
import {
  encryptionKeys,
  groupTeams,
  hostName,
  hostNames,
  hostPort,
  hostPorts,
  httpUrl,
  instanceId,
  nameserverAddresses,
  namesOrAllow,
  namespaces,
  networks,
  octets,
  oidcScopes,
  oneOf,
  onOff,
  origin,
  postgresUrl,
  sessionKey,
  text,
  wholeNumber,
} from './forms.ts';
import { NAMESERVER_SETTINGS } from './nameserver.ts';
import { OUTSIDE_DNS_SETTINGS } from './outside.ts';
import { followedSecret, optional, preset, required, secret } from './setting.ts';

export const SETTINGS = {
  ZONESTEAD_LOG_LEVEL: preset(
    oneOf('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'),
    'info',
    'The process writes log lines of this level and above.',
  ),
  ZONESTEAD_HEALTH_LISTEN: preset(
    hostPort,
    '*:9090',
    'The process serves /healthz, /readyz and /metrics at this address. In settings of listeners, the host * stands for all IPv4 and IPv6 addresses of the machine.',
  ),
  ...DOCS_SETTINGS,
  OTEL_EXPORTER_OTLP_ENDPOINT: optional(
    httpUrl,
    'no traces',
    'The process sends traces to this OTLP/HTTP receiver, for instance http://collector:4318.',
  ),

  // api
  DATABASE_URL: secret(
    required(
      postgresUrl,
      'The commands reach the Postgres database of the service at this address. It can name several servers of one cluster, for instance postgres://zonestead:…@a.example.net:5432,b.example.net:5432/zonestead?target_session_attrs=read-write. The commands use the one that takes writes, and move to another one after a failover.',
    ),
  ),
  ZONESTEAD_DATABASE_CA: optional(
    text('file'),
    'the authorities that the machine trusts',
    'The certificate of Postgres must come from an authority in this PEM file. It counts for this connection alone, and the process reads the file again for each connection. The setting adds sslmode=verify-full to DATABASE_URL.',
  ),
  ZONESTEAD_DATABASE_WITHOUT_TLS: preset(
    oneOf('refuse', 'allow'),
    'refuse',
    'The connection to Postgres carries private keys and passwords. With refuse, a command does not start if DATABASE_URL names another machine without sslmode=verify-full: sslmode=require encrypts, but verifies nothing, so that any server can answer. With allow, it connects anyway, for instance because a service mesh encrypts the connection.',
  ),
  ZONESTEAD_ENCRYPTION_KEYS: secret(
    optional(
      encryptionKeys,
      'private keys are kept in clear',
      'The private keys of zones are encrypted with the first of these keys in the database (AES-256-GCM), and decrypted with any of them. All replicas need the same ones. Without them, the zones can only be brought back from their name servers.',
    ),
  ),
  ZONESTEAD_LISTEN: preset(hostPort, '*:8080', 'The REST API and the console listen at this address.'),
  ZONESTEAD_TLS_LISTEN: optional(
    hostPort,
    'no HTTPS',
    'The REST API, the feed and the console also listen at this address, with TLS 1.3 and the certificate of ZONESTEAD_TLS_CERT_FILE. ZONESTEAD_LISTEN then answers only its own machine and trusted proxies.',
  ),
  ZONESTEAD_UPDATE_LISTEN: optional(
    hostPort,
    'no DNS updates',
    'The api takes DNS updates (RFC 2136) with TSIG at this address, over UDP and TCP.',
  ),
  ZONESTEAD_UPDATE_NAMESERVERS: optional(
    hostPorts,
    'ZONESTEAD_NAMESERVERS at port 53',
    'Queries at the address of DNS updates are passed to these name servers over TCP.',
  ),
  ZONESTEAD_FEED_WITHOUT_TLS: preset(
    oneOf('refuse', 'allow'),
    'refuse',
    'The feed carries private keys. With refuse, the api answers name servers over HTTPS, over a trusted proxy that sends X-Forwarded-Proto: https, and on its own machine. With allow, it answers every connection, for instance because a service mesh encrypts it.',
  ),
  ZONESTEAD_PDNS_API: preset(
    onOff,
    'on',
    'With on, the api also answers clients of the HTTP API of PowerDNS, below /api. They have the rights of the API key that they send.',
  ),
  ZONESTEAD_NAMESERVERS: required(
    hostNames,
    'Every zone gets these name servers in its NS records. The first one is the primary name server of the SOA record.',
  ),
  ZONESTEAD_HOSTMASTER: optional(
    hostName,
    'hostmaster. and the first name server',
    'Every SOA record names this mailbox, written as a name: hostmaster.example.net is hostmaster@example.net.',
  ),
  ZONESTEAD_PUBLIC_SUFFIXES: preset(
    oneOf('refuse', 'allow'),
    'refuse',
    'With allow, a zone can have the name of a public suffix, for instance co.uk or github.io.',
  ),
  ZONESTEAD_RESERVED_NAMES: preset(
    namesOrAllow,
    '',
    'Zones can have these reserved names (RFC 6761, RFC 6303) and every name below them. With allow, zones can have all reserved names.',
  ),
  ZONESTEAD_QUARANTINE_HOURS: preset(
    wholeNumber(0, 24 * 365),
    '72',
    'For this many hours, only its former owner can use the name of a deleted zone and the names above and below it, and can restore the zone. With 0, every team can use them immediately, and the zone cannot be restored.',
  ),
  ZONESTEAD_QUOTA_ZONES: preset(
    wholeNumber(0, 1_000_000),
    '1000',
    'A team, or a person in personal zones, can have this many zones. "zonestead admin teams quota" changes the number for one team.',
  ),
  ZONESTEAD_QUOTA_RECORDS: preset(
    wholeNumber(0, 1_000_000_000),
    '500000',
    'A team, or a person in personal zones, can have this many records.',
  ),
  ZONESTEAD_QUOTA_BYTES: preset(
    octets,
    '1Gi',
    'The names, contents and comments of all records of a team, or of a person in personal zones, can have this many bytes.',
  ),
  ZONESTEAD_QUOTA_KEYS: preset(
    wholeNumber(0, 1_000_000),
    '200',
    'A team can have this many API keys that are neither revoked nor expired.',
  ),
  ZONESTEAD_QUOTA_MEMBERS: preset(wholeNumber(0, 1_000_000), '200', 'A team can have this many members.'),
  ZONESTEAD_HISTORY_DAYS: preset(
    wholeNumber(1, 36_500),
    '400',
    'The service keeps the history of changes for this many days, and that of zones for up to a month longer.',
  ),
  ZONESTEAD_HISTORY_BYTES: preset(
    octets,
    '128Mi',
    'The service keeps this many bytes of history for one team, and deletes the oldest entries first.',
  ),
  ZONESTEAD_DATABASE_VOLUME: preset(
    octets,
    '0',
    'The size of the volume of the database, for metrics and the command `admin usage`. 0: it is not known.',
  ),
  ZONESTEAD_IDEMPOTENCY_HOURS: preset(
    wholeNumber(1, 24 * 30),
    '24',
    'The service keeps the response to a request with an Idempotency-Key for this many hours.',
  ),
  ZONESTEAD_LIMITS: preset(
    onOff,
    'on',
    'With off, the service limits the writes only of API keys that have limits of their own, and no reads.',
  ),
  ZONESTEAD_READS_PER_MINUTE: preset(
    wholeNumber(60, 1_000_000),
    '6000',
    'Each API key, and each session of the console, may make this many reads a minute at each replica of the api, and a sixth of them at once. The api answers a read beyond that with 429 rate_limited.',
  ),
  ZONESTEAD_READ_ONLY: optional(
    text('sentence', 200),
    'changes are accepted',
    'The api answers each change with 503 and this sentence, such as "The database moves until 14:00 UTC.". Reads, DNS answers and the feed continue. Leases, lost clusters and the retention change nothing.',
  ),
  ZONESTEAD_BODY_MEMORY_MB: preset(
    wholeNumber(20, 65_536),
    '32',
    'The api holds this many MiB of request bodies at once, and one API key can use at most half of it. The api answers a request beyond that with 503 busy.',
  ),
  ZONESTEAD_MAX_CONNECTIONS: preset(
    wholeNumber(1, 1_000_000),
    '10000',
    'The api accepts this many open connections from all clients together, and closes further ones at once.',
  ),
  ZONESTEAD_MAX_CONNECTIONS_PER_ADDRESS: preset(
    wholeNumber(1, 1_000_000),
    '2000',
    'The api accepts this many open connections from one address. An IPv6 address counts with its /64 network.',
  ),
  ZONESTEAD_TRUSTED_PROXIES: preset(
    networks,
    '',
    'The api trusts the header of ZONESTEAD_PROXY_HEADER only from proxies at these addresses and in these networks. The networks of API keys, the limits and the logs use the client address that it names.',
  ),
  ZONESTEAD_PROXY_HEADER: preset(
    oneOf('X-Forwarded-For', 'Forwarded'),
    'X-Forwarded-For',
    'Trusted proxies name the client in this header, and its protocol in X-Forwarded-Proto or in Forwarded (RFC 7239). The api ignores the other header, because proxies pass it on as the client wrote it.',
  ),
  ZONESTEAD_PROXY_PROTOCOL: preset(
    onOff,
    'off',
    'With on, connections from trusted proxies must begin with a PROXY protocol header of version 1 or 2. Connections from other addresses need none.',
  ),
  ZONESTEAD_BUSY_AFTER_MS: preset(
    wholeNumber(10, 60_000),
    '2000',
    'A change waits this many milliseconds for other changes of its zone. The api then answers 503 busy.',
  ),
  ZONESTEAD_DATABASE_CONNECTIONS: preset(
    wholeNumber(1, 500),
    '16',
    'The api opens at most this many connections to Postgres.',
  ),
  ...OUTSIDE_DNS_SETTINGS,
  ZONESTEAD_PROOF: preset(
    oneOf('Reachable', 'All'),
    'Reachable',
    '`Reachable`: the proof that name servers answer omits an address that has answered no query for two minutes, if at least two other addresses are right, so that it stops neither Ready nor challenges. An address with a wrong answer always counts. `All`: every address must answer.',
  ),

  // console
  ZONESTEAD_CONSOLE: preset(onOff, 'on', 'With off, the api serves no pages below /console.'),
  ZONESTEAD_CONSOLE_URL: optional(
    origin,
    'not set',
    'Browsers reach the api at this address. The console needs it with an OpenID provider, which sends people back there. If it begins with http://, cookies do not require HTTPS.',
  ),
  ZONESTEAD_SESSION_KEY: secret(
    optional(
      sessionKey,
      'a new key at each start',
      'The console encrypts its session cookies with this key. All replicas need the same one.',
    ),
  ),
  ZONESTEAD_OIDC_ISSUER: optional(
    httpUrl,
    'sign-in with API keys only',
    'People sign in to the console with the OpenID provider at this address.',
  ),
  ZONESTEAD_OIDC_CLIENT_ID: optional(
    text('text'),
    'not set',
    'The OpenID provider knows the console by this client id.',
  ),
  ZONESTEAD_OIDC_CLIENT_SECRET: secret(
    optional(
      text('text'),
      'a public client with PKCE alone',
      'The console authenticates at the OpenID provider with this client secret.',
    ),
  ),
  ZONESTEAD_OIDC_SCOPES: preset(
    oidcScopes,
    'openid email profile',
    'The console asks the OpenID provider for these scopes.',
  ),
  ZONESTEAD_OIDC_GROUPS_CLAIM: preset(text('text'), 'groups', 'The claim of this name lists the groups of a person.'),
  ZONESTEAD_OIDC_TRUST_EMAIL: preset(
    onOff,
    'off',
    'With on, an address that the provider states without the claim email_verified counts as verified. An address with email_verified false never does.',
  ),
  ZONESTEAD_OIDC_TEAMS: preset(
    groupTeams,
    '',
    'A person in one of these groups becomes a member or an owner of the team, which is given by name or id: dns-admins=platform:owner,developers=team_0123456789ab. Groups that are distinguished names need the JSON form: {"cn=dns,ou=groups": "platform:owner"}.',
  ),

  ...NAMESERVER_SETTINGS,

  // operator
  ZONESTEAD_NAMESPACES: optional(
    namespaces,
    'all namespaces',
    'The operator reconciles objects in these namespaces only.',
  ),
  ZONESTEAD_URL: required(
    httpUrl,
    'The REST service has this base address. Requests go to the paths below /v1/dns/ there.',
  ),
  ZONESTEAD_URL_CA: optional(
    text('file'),
    'the authorities of the machine',
    'The process verifies the certificate of ZONESTEAD_URL with the authorities in this PEM file. It reads the file again for each request.',
  ),
  ZONESTEAD_API_KEY: followedSecret(
    required(text('text'), 'The process authenticates at the REST service with this API key or token.'),
  ),
  KUBECONFIG: optional(
    text('file'),
    'the service account of the pod',
    'The process reaches the Kubernetes cluster as this kubeconfig says.',
  ),
  ...CLUSTER_SETTINGS,
  ZONESTEAD_NAMESERVER_ADDRESSES: preset(
    nameserverAddresses,
    '',
    'These addresses are used for name servers whose names do not resolve, for instance ns1.example=127.0.0.1:5300.',
  ),

  // acme
  ZONESTEAD_CREDENTIALS: optional(
    text('file'),
    'settings from the environment',
    'The command reads settings from this file of mode 600, as lines NAME=value.',
  ),
  ZONESTEAD_PROPAGATION_SECONDS: optional(
    wholeNumber(0, 3_600),
    'the name servers are polled',
    'The command waits this many seconds instead of polling the name servers.',
  ),
  ZONESTEAD_PROPAGATION_TIMEOUT: preset(
    wholeNumber(1, 600),
    '120',
    'The command fails if the name servers do not answer with the new value within this many seconds.',
  ),

  // external-dns
  ZONESTEAD_EXTERNAL_DNS_LISTEN: preset(
    hostPort,
    '127.0.0.1:8888',
    'The webhook provider listens at this address. external-dns runs in the same pod.',
  ),
  ZONESTEAD_EXTERNAL_DNS_OWNER_ID: required(
    instanceId,
    'The records of external-dns belong to owners that begin with external-dns:, this id and a slash. Each external-dns needs a different one, and it must not change: the records of another id are those of another external-dns.',
  ),
  ZONESTEAD_EXTERNAL_DNS_SHARE: preset(
    onOff,
    'off',
    'If on, external-dns adds its values to names at which others have records, and owns a value together with other owners that share it. If off, such a name is a conflict.',
  ),
  ZONESTEAD_EXTERNAL_DNS_ADOPT: preset(
    onOff,
    'off',
    'If on, an existing record without an owner becomes a record of external-dns if it has the value and the TTL that external-dns wants. If off, it is a conflict.',
  ),
  ZONESTEAD_EXTERNAL_DNS_MASS_DELETION: preset(
    onOff,
    'off',
    'If off, the provider deletes nothing when external-dns wants to delete more than half of its names and types, and more than 20, within five minutes.',
  ),

  ...CANARY_ONLY_SETTINGS,

  // solver
  ZONESTEAD_SOLVER_LISTEN: preset(
    hostPort,
    '*:8443',
    'The solver listens at this address, where kube-apiserver reaches it over HTTPS.',
  ),
  ZONESTEAD_TLS_CERT_FILE: preset(
    text('file'),
    '/etc/zonestead/tls/tls.crt',
    'The solver, and the api with ZONESTEAD_TLS_LISTEN, serve with the certificate in this PEM file. They read the file again after a change.',
  ),
  ZONESTEAD_TLS_KEY_FILE: preset(
    text('file'),
    '/etc/zonestead/tls/tls.key',
    'The private key of that certificate is in this PEM file. It is read again after a change.',
  ),
  ZONESTEAD_SOLVER_CERTIFICATE: optional(
    text('name of a Secret'),
    'a certificate from the two files',
    "The solver creates and renews its own certificate, keeps it in this Secret of the pod's namespace, and writes its authority to the APIService.",
  ),
  ZONESTEAD_SOLVER_SERVICE: preset(
    text('name of a Service'),
    'zonestead-solver',
    'kube-apiserver reaches the solver through this Service. The certificate that the solver creates is for its name.',
  ),
  KUBERNETES_SERVICE_HOST: optional(
    text('host name or address'),
    'not in a pod',
    'The kubelet sets this variable in every pod: the host of the Kubernetes API.',
  ),
  KUBERNETES_SERVICE_PORT: preset(
    text('port'),
    '443',
    'The kubelet sets this variable in every pod: the port of the Kubernetes API.',
  ),
};

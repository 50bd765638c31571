// The only reader of the environment: each command names the settings that it needs, and gets them parsed or a message
// that names every wrong one. Secrets can come from files (NAME_FILE), as Kubernetes mounts them.
import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { z } from 'zod';

const hostPort = z
  .string()
  .regex(/^(\[[0-9a-fA-F:.]+\]|[^:\s]+):\d{1,5}$/, 'must be host:port, for instance 0.0.0.0:8080')
  .transform((text) => {
    const at = text.lastIndexOf(':');
    return { host: text.slice(0, at).replace(/^\[|\]$/g, ''), port: Number(text.slice(at + 1)) };
  });
export type HostPort = { host: string; port: number };

const onOff = z.enum(['on', 'off']).transform((text) => text === 'on');
const hostName = /^[a-z0-9_-]+(\.[a-z0-9_-]+)*$/;
const hostNames = z
  .string()
  .transform((text) => text.split(',').map((name) => name.trim().toLowerCase().replace(/\.$/, '')))
  .pipe(z.array(z.string().regex(hostName, 'must be host names separated by commas')).min(1));
const resolvers = z
  .string()
  .transform((text) => text.split(',').map((part) => part.trim()))
  .pipe(
    z.array(hostPort.refine(({ host }) => isIP(host) !== 0, 'must be address:port, for instance 192.0.2.53:53')).min(1),
  );
const tlds = z
  .string()
  .transform((text) => text.split(',').flatMap((name) => name.trim().toLowerCase().replace(/\.$/, '') || []))
  .pipe(z.array(z.string().regex(/^[a-z0-9_-]+$/, 'must be single labels separated by commas')));
const groupTeams = z
  .string()
  .transform((text) => text.split(',').flatMap((part) => part.trim() || []))
  .pipe(
    z.array(
      z
        .string()
        .regex(/^.+=[^=:]{1,64}(:(owner|member))?$/, 'must be group=team or group=team:owner, by commas')
        .transform((text) => {
          // A group may be a distinguished name (cn=dev,…): by its last = the team begins.
          const at = text.lastIndexOf('=');
          const [team = '', role] = text.slice(at + 1).split(':');
          return {
            group: text.slice(0, at).trim(),
            team: team.trim(),
            role: role === 'owner' ? role : 'member',
          } as const;
        }),
    ),
  );
/** Whether nothing follows the host. What is no address at all, another rule says. */
const isOrigin = (text: string) => !URL.canParse(text) || new URL(text).href === `${new URL(text).origin}/`;
const namespaces = z
  .string()
  .transform((text) => text.split(',').flatMap((name) => name.trim() || []))
  .pipe(
    z.array(z.string().regex(/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/, 'must be namespaces separated by commas')).min(1),
  );
const whole = (from: number, to: number) => z.coerce.number().int().min(from).max(to);

/** Every setting there is, with its default. */
const SETTINGS = {
  ZONESTEAD_LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).default('info'),
  /** Where /healthz, /readyz and /metrics are served. */
  ZONESTEAD_HEALTH_LISTEN: hostPort.default({ host: '0.0.0.0', port: 9090 }),

  /** Base address of an OTLP/HTTP receiver of traces: http://collector:4318. (Default: nothing is traced.) */
  OTEL_EXPORTER_OTLP_ENDPOINT: z.url({ protocol: /^https?$/ }).optional(),

  // api
  DATABASE_URL: z.string().regex(/^postgres(ql)?:\/\//, 'must be postgres://user:password@host:port/database'),
  ZONESTEAD_LISTEN: hostPort.default({ host: '0.0.0.0', port: 8080 }),
  /** Host names of the name servers, the first one being the SOA's primary. */
  ZONESTEAD_NAMESERVERS: hostNames,
  /** The SOA's mailbox as a name: hostmaster.example.net is hostmaster@example.net. */
  ZONESTEAD_HOSTMASTER: z.string().regex(hostName).optional(),
  /** Whether somebody may create a zone of a public suffix such as co.uk or github.io. */
  ZONESTEAD_PUBLIC_SUFFIXES: z.enum(['refuse', 'allow']).default('refuse'),
  ZONESTEAD_LIMITS: onOff.default(true),
  ZONESTEAD_BUSY_AFTER_MS: whole(10, 60_000).default(2_000),
  ZONESTEAD_DATABASE_CONNECTIONS: whole(1, 500).default(16),
  /**
   * Recursive resolvers, asked in this order: for ALIAS targets and the delegation check of the api (default: the
   * machine's), and for the parents of zones in the operator (default: parents are not asked).
   */
  ZONESTEAD_RESOLVER: resolvers.optional(),
  /** Whether a new zone is looked for at its parent, and reported as ds_required until its DS is there. */
  ZONESTEAD_DELEGATION_CHECK: onOff.default(false),
  /** Single-label zones that need no Handshake claim: corp,lan */
  ZONESTEAD_PRIVATE_TLDS: tlds.default([]),

  // console
  ZONESTEAD_CONSOLE: onOff.default(true),
  /** Where people reach the api with a browser: decides whether cookies need HTTPS, and where a provider sends people back. */
  ZONESTEAD_CONSOLE_URL: z
    .url({ protocol: /^https?$/ })
    .refine(isOrigin, 'must be scheme, host and port only')
    .transform((text) => (URL.canParse(text) ? new URL(text).origin : text))
    .optional(),
  /** Seals the session cookies; the same for all replicas. (Default: a new one with each start.) */
  ZONESTEAD_SESSION_KEY: z.string().min(32, 'must have at least 32 characters').optional(),
  /** The OpenID provider that people sign in with. (Default: they sign in with keys alone.) */
  ZONESTEAD_OIDC_ISSUER: z.url({ protocol: /^https?$/ }).optional(),
  ZONESTEAD_OIDC_CLIENT_ID: z.string().min(1).optional(),
  /** (Default: a public client, PKCE alone.) */
  ZONESTEAD_OIDC_CLIENT_SECRET: z.string().min(1).optional(),
  ZONESTEAD_OIDC_SCOPES: z
    .string()
    .regex(/\bopenid\b/, 'must contain openid')
    .default('openid email profile'),
  /** The claim that lists the groups of a person. */
  ZONESTEAD_OIDC_GROUPS_CLAIM: z.string().min(1).default('groups'),
  /** Which groups are in which teams: dns-admins=platform:owner,developers=platform */
  ZONESTEAD_OIDC_TEAMS: groupTeams.default([]),

  // nameserver
  /** PowerDNS' own database: the companion must see what its PowerDNS sees. */
  ZONESTEAD_NAMESERVER_DATABASE_URL: z.string().regex(/^postgres(ql)?:\/\//),
  /** PowerDNS' control socket. */
  ZONESTEAD_PDNS_SOCKET: z.string().min(1).default('/run/pdns/pdns.controlsocket'),
  ZONESTEAD_POLL_MS: whole(5, 5_000).default(25),
  /** Where the PowerDNS beside it answers; when set, readiness needs an answer from there. */
  ZONESTEAD_PDNS_ADDRESS: hostPort.optional(),

  /** PowerDNS' configuration as pdns-conf wrote it: brought up to date when the companion starts, PowerDNS then starting anew. */
  ZONESTEAD_PDNS_CONF: z.string().min(1).optional(),

  // pdns-conf
  /** Addresses and port for PowerDNS to listen on: 0.0.0.0,:: and 5353. */
  ZONESTEAD_PDNS_LISTEN: z
    .string()
    .regex(/^[0-9a-fA-F.:]+(,[0-9a-fA-F.:]+)*$/, 'must be addresses separated by commas')
    .default('0.0.0.0'),
  ZONESTEAD_PDNS_PORT: whole(1, 65_535).default(5_353),
  ZONESTEAD_PDNS_THREADS: whole(1, 64).default(2),
  /** The authorities that Postgres' certificate is checked with. */
  ZONESTEAD_PDNS_DATABASE_CA: z.string().optional(),

  // operator
  /** Namespaces to work for. (Default: all.) */
  ZONESTEAD_NAMESPACES: namespaces.optional(),
  /** Base address of the REST service; requests go to <base>/v1/dns/… */
  ZONESTEAD_URL: z.url({ protocol: /^https?$/ }),
  ZONESTEAD_API_KEY: z.string().min(1),
  KUBECONFIG: z.string().optional(),
  /** Whether only one of several replicas works, the one with the Lease. (Default: on without KUBECONFIG: in a pod.) */
  ZONESTEAD_LEADER_ELECTION: onOff.optional(),
  /** Where the Lease is. (Default: the pod's namespace.) */
  ZONESTEAD_LEASE_NAMESPACE: z
    .string()
    .regex(/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/, 'must be a namespace')
    .optional(),
  /** Which Lease: another one for each installation in that namespace. (Default: zonestead-operator.) */
  ZONESTEAD_LEASE_NAME: z
    .string()
    .regex(/^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/, 'must be the name of a Lease')
    .optional(),
  /** What the Lease calls this process; never of two at once. (Default: the host's name and a random text.) */
  ZONESTEAD_LEASE_IDENTITY: z.string().min(1).max(253).optional(),
  /** Where to find name servers whose names do not resolve here: ns1.example=127.0.0.1:5300,… */
  ZONESTEAD_NAMESERVER_ADDRESSES: z.string().default(''),

  // acme
  /** A file of mode 600 with lines NAME=value. */
  ZONESTEAD_CREDENTIALS: z.string().optional(),
  /** To be waited in place of asking every name server. (Default: they are asked.) */
  ZONESTEAD_PROPAGATION_SECONDS: whole(0, 3_600).optional(),
  /** How many seconds the name servers have to answer a new value. */
  ZONESTEAD_PROPAGATION_TIMEOUT: whole(1, 600).default(120),

  // external-dns
  /** Where the webhook provider listens; external-dns runs beside it. */
  ZONESTEAD_EXTERNAL_DNS_LISTEN: hostPort.default({ host: '127.0.0.1', port: 8888 }),

  // solver
  /** Where kube-apiserver reaches the solver (HTTPS). */
  ZONESTEAD_SOLVER_LISTEN: hostPort.default({ host: '0.0.0.0', port: 8443 }),
  /** PEM files that may be renewed while the solver runs. */
  ZONESTEAD_TLS_CERT_FILE: z.string().min(1).default('/etc/zonestead/tls/tls.crt'),
  ZONESTEAD_TLS_KEY_FILE: z.string().min(1).default('/etc/zonestead/tls/tls.key'),
  /**
   * A Secret in the pod's namespace: the solver makes and renews its certificate itself, keeps it there, and tells
   * kube-apiserver its authority. (Default: the files above.)
   */
  ZONESTEAD_SOLVER_CERTIFICATE: z.string().min(1).optional(),
  /** The Service that kube-apiserver finds the solver by: the certificate's name. */
  ZONESTEAD_SOLVER_SERVICE: z.string().min(1).default('zonestead-solver'),
  /** Set by kubelet in every pod. */
  KUBERNETES_SERVICE_HOST: z.string().optional(),
  KUBERNETES_SERVICE_PORT: z.string().default('443'),
};

type Settings = typeof SETTINGS;
export type SettingName = keyof Settings;
export type Config<Name extends SettingName> = { [K in Name]: z.output<Settings[K]> };

/** Settings that are secrets: NAME_FILE is read when NAME is not set. */
const SECRETS: ReadonlySet<string> = new Set([
  'DATABASE_URL',
  'ZONESTEAD_NAMESERVER_DATABASE_URL',
  'ZONESTEAD_API_KEY',
  'ZONESTEAD_SESSION_KEY',
  'ZONESTEAD_OIDC_CLIENT_SECRET',
]);

/**
 * @throws Error that names each missing or wrong setting
 */
export function readConfig<Name extends SettingName>(
  names: readonly Name[],
  environment: NodeJS.ProcessEnv = process.env,
): Config<Name> {
  const values: Record<string, unknown> = {};
  const problems: string[] = [];
  for (const name of names) {
    let text: string | undefined;
    try {
      text = textOf(name, environment);
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code ?? String(error);
      problems.push(`${name}_FILE: ${environment[`${name}_FILE`]} cannot be read (${code})`);
      continue;
    }
    const parsed = SETTINGS[name].safeParse(text);
    if (parsed.success) values[name] = parsed.data;
    else if (text === undefined) problems.push(`${name} is missing`);
    else problems.push(`${name}: ${parsed.error.issues.map((issue) => issue.message).join('; ')}`);
  }
  if (problems.length > 0) throw new Error(`The settings are incomplete: ${problems.join('. ')}.`);
  return values as Config<Name>;
}

/** The environment as an ACME client hands it to its hook: what it says there is no setting of ours. */
export function readHookEnvironment(): Readonly<NodeJS.ProcessEnv> {
  return process.env;
}

/**
 * Files that secrets were read from, with what they held: whoever renews a Secret changes these, and only a process that starts
 * anew reads them again.
 */
export function secretFiles(environment: NodeJS.ProcessEnv = process.env): ReadonlyMap<string, string> {
  const files = [...SECRETS].flatMap((name) =>
    environment[name] === undefined ? (environment[`${name}_FILE`] ?? []) : [],
  );
  return new Map(files.map((file) => [file, readSecret(file)]));
}

/** @throws Error of the file system */
function readSecret(file: string): string {
  return readFileSync(file, 'utf8').trim();
}

function textOf(name: string, environment: NodeJS.ProcessEnv): string | undefined {
  const text = environment[name];
  const file = environment[`${name}_FILE`];
  if (text === undefined && SECRETS.has(name) && file !== undefined) return readSecret(file);
  return text === '' ? undefined : text;
}

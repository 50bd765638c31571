// The DNS side of the local stack: Postgres, the REST API, PowerDNS and its companion, and the keys to begin with.
import { randomBytes } from 'node:crypto';
import { createClient } from '../../client/client.ts';
import { ApiError } from '../../client/errors.ts';
import { adminMintKey } from '../../zones/administration.ts';
import { databaseUrl, prepareDatabase } from '../../zones/bootstrap.ts';
import type { Progress } from './parts/cache.ts';
import { startCommand } from './parts/command.ts';
import type { Part } from './parts/part.ts';
import { ensurePostgres, startPostgres } from './parts/postgres.ts';
import { ensurePowerDns, startPowerDns } from './parts/powerdns.ts';
import { type KeyUse, readSecrets, type Secrets, writeSecrets } from './secrets.ts';

const DATABASE = 'zonestead';
const TEAMS: Readonly<Record<KeyUse, string>> = { first: 'first', second: 'second', operator: 'first' };
/** The one name server of a local stack; its name resolves nowhere. */
export const NAMESERVER = 'ns1.zonestead.test';

export interface ServicePorts {
  postgres: number;
  api: number;
  apiHealth: number;
  dns: number;
  nameserverHealth: number;
}

export interface ServiceOptions {
  stateDir: string;
  ports: ServicePorts;
  limits: boolean;
  /** False for tests: no fsync. (Default: true.) */
  durable?: boolean;
  progress: Progress;
  signal: AbortSignal;
}

export interface Service {
  /** Base address of the REST API. */
  url: string;
  databaseUrl: string;
  dns: { address: string; port: number };
  keys: Record<KeyUse, { team: string; key: string }>;
  parts: Part[];
  /** Ends all parts in their order; repeating it is fine. */
  stop(): Promise<void>;
}

/** Starts all of it and waits until each part is ready. @throws with the end of the log of the part that failed */
export async function startService(options: ServiceOptions): Promise<Service> {
  const { stateDir, ports, progress, signal } = options;
  const [command, { binDir }] = await Promise.all([
    ensurePowerDns({ progress, signal }),
    ensurePostgres({ progress, signal }),
  ]);
  const running: Part[] = [];
  const secrets = await readSecrets(stateDir);
  await writeSecrets(stateDir, secrets);
  const postgres = await startPostgres({
    binDir,
    stateDir,
    port: ports.postgres,
    durable: options.durable ?? true,
    progress,
    signal,
  });
  // The last started ends first: nobody loses a database that it still uses.
  const stop = async () => {
    await Promise.all(running.map((part) => part.stop()));
    await postgres.stop();
  };
  try {
    const url = await prepareDatabase(postgres.url, DATABASE, {
      service: { name: 'zonestead', password: secrets.servicePassword },
      nameserverPassword: secrets.nameserverPassword,
    });
    const start = async (part: Promise<Part>) => {
      running.push(await part);
    };
    const database = { host: '127.0.0.1', port: ports.postgres, name: DATABASE, password: secrets.nameserverPassword };
    const base = `http://127.0.0.1:${ports.api}`;
    await settle([
      start(
        startCommand({ name: 'api', env: apiSettings(url, options), healthPort: ports.apiHealth, stateDir, signal }),
      ),
      startPowerDns({ command, stateDir, port: ports.dns, database, signal }).then(async ({ part, socket }) => {
        running.push(part);
        const env = {
          ZONESTEAD_NAMESERVER_DATABASE_URL: databaseUrl(url, DATABASE, {
            name: 'pdns',
            password: secrets.nameserverPassword,
          }),
          ZONESTEAD_PDNS_SOCKET: socket,
        };
        await start(startCommand({ name: 'nameserver', env, healthPort: ports.nameserverHealth, stateDir, signal }));
      }),
    ]);
    const keys = await ensureKeys(url, base, secrets, signal);
    await writeSecrets(stateDir, { ...secrets, keys });
    return {
      url: base,
      databaseUrl: url,
      dns: { address: '127.0.0.1', port: ports.dns },
      keys,
      parts: [postgres.part, ...running],
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

function apiSettings(url: string, { ports, limits }: ServiceOptions): Record<string, string> {
  return {
    DATABASE_URL: url,
    ZONESTEAD_LISTEN: `127.0.0.1:${ports.api}`,
    ZONESTEAD_NAMESERVERS: NAMESERVER,
    ZONESTEAD_LIMITS: limits ? 'on' : 'off',
  };
}

/** Waits for all, so that a failure of one leaves none still starting when everything is stopped. */
async function settle(starts: Promise<void>[]): Promise<void> {
  const results = await Promise.allSettled(starts);
  const failed = results.find((result) => result.status === 'rejected');
  if (failed) throw failed.reason;
}

/** The keys of the last run where the service still knows them, new ones otherwise. */
async function ensureKeys(url: string, base: string, secrets: Secrets, signal: AbortSignal): Promise<Service['keys']> {
  const ensure = async (use: KeyUse) => {
    const kept = secrets.keys[use];
    if (kept && (await isValid(base, kept.key, signal))) return kept;
    const rights = { name: use, records: 'write', manageZones: 'write' } as const;
    const minted = await adminMintKey(url, TEAMS[use], rights, randomBytes, new Date());
    return { team: minted.teamId, key: minted.text };
  };
  // One after the other: two mints for one new team would both want to make it.
  const first = await ensure('first');
  return { first, second: await ensure('second'), operator: await ensure('operator') };
}

async function isValid(base: string, key: string, signal: AbortSignal): Promise<boolean> {
  const client = createClient({ baseUrl: base, key });
  try {
    await client.account({ signal });
    return true;
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) return false;
    throw error;
  } finally {
    await client.close();
  }
}

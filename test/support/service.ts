// One test file's own service: a fresh database, the api in this process behind a real socket, a real PowerDNS and the
// companion. The api is put together by the function that the api process calls (src/api/compose.ts), from settings as an
// environment holds them. The service closes itself after the file's tests, and fails the file when something was left open or
// went wrong unseen (an error or an unexpected warning in a log, a complaint of PowerDNS).
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Sql } from 'postgres';
import type { Registry } from 'prom-client';
import { Agent } from 'undici';
import { afterAll, inject } from 'vitest';
import { composeApi } from '#api/compose.ts';
import { API_PROCESS_SETTINGS, partsOfApi } from '#api-process.ts';
import { readConfig } from '#config.ts';
import type { DnsRecord } from '#contract/record.ts';
import type { ZoneCreated } from '#contract/zone.ts';
import type { Meter } from '#edge/measure.ts';
import { runCompanion } from '#nameserver/companion/companion.ts';
import type { Endpoint } from '#nameserver/probe/probe.ts';
import { openDatabase } from '#store/database.ts';
import { createLogger } from '#telemetry/log.ts';
import { createMetrics } from '#telemetry/metrics.ts';
import { allocatePorts } from '../../deploy/local/parts/ports.ts';
import { type PowerDns, startPowerDns } from '../../deploy/local/parts/powerdns.ts';
import { createRequest, type Request } from './api.ts';
import { cloneDatabase, type TestDatabase } from './database.ts';
import { expectCounted } from './history.ts';
import { type KeyOptions, mintTestKey, type TestKey } from './keys.ts';
import { createResolver as createTestResolver, type Resolver } from './resolver.ts';

export const NAMESERVERS = ['ns1.zonestead.test', 'ns2.zonestead.test'];

export interface TestServiceOptions {
  /** Apply the limits of SPEC section 8 to keys. (Default: false.) */
  limits?: boolean;
  /** (Default: 2000.) */
  busyAfterMs?: number;
  /** The time limit for a request to arrive, in ms. (Default: that of the api.) */
  requestMs?: number;
  /** The time between two rounds of the retention, in ms. (Default: that of the api, a minute.) */
  retentionEveryMs?: number;
  /** (Default: true.) Without it PowerDNS' own 5 s cache bounds what is stale. */
  nameserverCompanion?: boolean;
  /**
   * ZONESTEAD_RESOLVER. `own` is the PowerDNS of this service. (Default: an address where no server answers, so that
   * tests never query a resolver of the machine.)
   */
  resolvers?: (Endpoint | 'own')[];
  /**
   * The load of the process. (Default: none, because the test's own work blocks the event loop that the api runs on.)
   */
  meter?: Meter;
  /** More settings of the api, as in the environment. */
  settings?: Settings;
  /** The clock of the resolver's caches, Unix time in ms. (Default: that of the machine.) */
  now?: () => number;
  /**
   * Whether tests of this file write records or zones behind the api, so that the api's counters do not match.
   * (Default: false.)
   */
  writesBehind?: boolean;
  /** Texts of warnings that the tests of this file cause on purpose. (Default: none.) */
  warnings?: readonly string[];
}

type Settings = Readonly<Record<string, string>>;

export interface TestService {
  /** Base address of the REST API. */
  url: string;
  database: TestDatabase;
  sql: Sql;
  powerdns: PowerDns;
  /** The folder of PowerDNS's configuration. */
  powerdnsFolder: string;
  /** The log of the api so far, as JSON lines, at level trace. */
  log: string[];
  /** The answer to a scrape of the (first) api. */
  metrics(): Promise<string>;
  /** The routes of the (first) api's pages and operations: `POST /console/teams`, with parameters as `:teamId`. */
  routes: readonly string[];
  /** The key of team `first`, with all permissions. */
  admin: TestKey;
  key(options?: KeyOptions): Promise<TestKey>;
  /** Like `admin`, unless options say otherwise. */
  request: Request;
  /**
   * Starts one more api on the same database, as another replica. Its settings are those of the first, changed by
   * these.
   */
  anotherApi(options?: { busyAfterMs?: number; settings?: Settings }): Promise<{ url: string; request: Request }>;
  /** Creates a zone, by default under an unused name. @throws if it is not created */
  zone(name?: string, key?: TestKey): Promise<ZoneCreated>;
  /** @throws if it is not created */
  record(zone: { id: string }, name: string, type: string, content: string, more?: object): Promise<DnsRecord>;
  dns: Resolver;
}

/** To be called at the top of a test file. */
export async function startTestService(options: TestServiceOptions = {}): Promise<TestService> {
  const closers: (() => Promise<unknown>)[] = [];
  afterAll(() => closeAll(closers));
  try {
    return await start(options, closers);
  } catch (error) {
    // A file that fails to load has no `after` hooks.
    await closeAll(closers).catch(() => undefined);
    throw error;
  }
}

async function start(options: TestServiceOptions, closers: (() => Promise<unknown>)[]): Promise<TestService> {
  const { nameserverCompanion = true, writesBehind = false, warnings = [] } = options;
  const { signal } = new AbortController();
  const stateDir = await mkdtemp(join(tmpdir(), 'zonestead-service-'));
  closers.push(() => rm(stateDir, { recursive: true, force: true }));
  await chmod(stateDir, 0o755);
  const database = await cloneDatabase();
  closers.push(() => database.close());
  if (!writesBehind) closers.push(() => expectCounted(database.sql));

  const log: string[] = [];
  const registries: Registry[] = [];
  const routes: string[] = [];
  const startApi = async (settings: Settings): Promise<string> => {
    const config = readConfig(API_PROCESS_SETTINGS, { DATABASE_URL: database.url, ...settings });
    const destination = { write: (line: string) => void log.push(line) };
    const metrics = createMetrics({ processMetrics: false });
    registries.push(metrics.registry);
    const telemetry = { log: createLogger({ name: 'api', level: 'trace', destination }), metrics };
    const { requestMs, retentionEveryMs, meter = CALM } = options;
    const api = await composeApi(config, await partsOfApi(config, options.now), telemetry, {
      meter,
      ...(requestMs === undefined ? {} : { requestMs }),
      ...(retentionEveryMs === undefined ? {} : { retentionEveryMs }),
    });
    closers.push(() => api.close());
    if (registries.length === 1) {
      api.app.addHook('onRoute', ({ method, url }) => {
        routes.push(...[method].flat().map((each) => `${each} ${url}`));
      });
    }
    return api.app.listen({ host: '127.0.0.1', port: 0 });
  };

  const { port, nameserverPassword } = inject('postgres');
  const { pdnsServer } = inject('tools');
  const { dns: dnsPort } = await allocatePorts([{ name: 'dns', dns: true }], { stateDir });
  const settings = { ...settingsOf(options, dnsPort), ...options.settings };
  const [url, powerdns] = await Promise.all([
    startApi(settings),
    startPowerDns({
      command: pdnsServer,
      stateDir,
      port: dnsPort,
      database: { host: '127.0.0.1', port, name: database.name, password: nameserverPassword },
      signal,
    }),
  ]);
  closers.push(() => stopPowerDns(powerdns));
  if (nameserverCompanion) closers.push(startCompanion(database, powerdns, log));

  const agent = new Agent();
  closers.push(() => agent.close());
  const key = (wanted: KeyOptions = {}) => mintTestKey(database.url, wanted);
  const admin = await key();
  const request = createRequest(url, agent, admin.text);
  closers.push(async () => {
    const problems = log.filter((line) => isProblem(JSON.parse(line), warnings));
    if (problems.length > 0) throw new Error(`the api or the companion logged problems:\n${problems.join('')}`);
  });
  let zones = 0;
  return {
    url,
    database,
    sql: database.sql,
    powerdns,
    powerdnsFolder: join(stateDir, 'powerdns'),
    log,
    metrics: () => (registries[0] as Registry).metrics(),
    routes,
    admin,
    key,
    request,
    anotherApi: async (other = {}) => {
      const limit = other.busyAfterMs === undefined ? {} : { ZONESTEAD_BUSY_AFTER_MS: String(other.busyAfterMs) };
      const url = await startApi({ ...settings, ...limit, ...other.settings });
      return { url, request: createRequest(url, agent, admin.text) };
    },
    zone: async (name = `zone${++zones}.example`, owner = admin) => {
      const create = () => request('POST', '/zones', { zoneName: name, owner: `org:${owner.team}` }, owner.text);
      let reply = await create();
      // Creations wait for each other. On a busy machine, a test that creates many zones at once gets `busy` and
      // retries.
      for (let again = 0; reply.status === 503 && again < 5; again += 1) {
        await sleep(1_000);
        reply = await create();
      }
      if (reply.status !== 200) throw new Error(`zone ${name} was not created: ${reply.status} ${reply.text}`);
      return reply.body as ZoneCreated;
    },
    record: async (zone, name, type, content, more = {}) => {
      const reply = await request('POST', `/zones/${zone.id}/records`, { name, type, content, ...more });
      if (reply.status !== 201) throw new Error(`${name} ${type} was not created: ${reply.status} ${reply.text}`);
      return reply.body as DnsRecord;
    },
    dns: createTestResolver({ address: '127.0.0.1', port: dnsPort }, stateDir),
  };
}

const CALM: Meter = { read: () => ({ delayMs: 0, heap: 0, resident: 0 }), close: () => undefined };

/** A closed port of this machine, so that a query fails at once. */
const NO_RESOLVER = '127.0.0.1:1';

function settingsOf(options: TestServiceOptions, dnsPort: number): Settings {
  const { limits = false, busyAfterMs = 2_000, resolvers } = options;
  const own = `127.0.0.1:${dnsPort}`;
  const textOf = (each: Endpoint | 'own') => (each === 'own' ? own : `${each.address}:${each.port}`);
  return {
    ZONESTEAD_NAMESERVERS: NAMESERVERS.join(','),
    ZONESTEAD_HOSTMASTER: 'hostmaster.zonestead.test',
    ZONESTEAD_NAMESERVER_ADDRESSES: NAMESERVERS.map((name) => `${name}=${own}`).join(','),
    ZONESTEAD_RESOLVER: resolvers?.map(textOf).join(',') ?? NO_RESOLVER,
    ZONESTEAD_LIMITS: limits ? 'on' : 'off',
    ZONESTEAD_BUSY_AFTER_MS: String(busyAfterMs),
    ZONESTEAD_CONSOLE: 'off',
  };
}

/** Whether a log line fails the file: every error does, and each warning that no test causes on purpose. */
function isProblem({ level, msg }: { level: string; msg?: string }, expected: readonly string[]): boolean {
  if (level === 'error' || level === 'fatal') return true;
  return level === 'warn' && !expected.some((text) => msg?.includes(text));
}

function startCompanion(database: TestDatabase, powerdns: PowerDns, log: string[]): () => Promise<void> {
  const stop = new AbortController();
  const { db, close } = openDatabase(database.nameserverUrl, { name: 'test-companion', max: 1 });
  const logger = createLogger({ name: 'nameserver', destination: { write: (line) => void log.push(line) } });
  const onLook = () => undefined;
  const running = runCompanion({ db, socket: powerdns.socket, pollMs: 25, log: logger, onLook }, stop.signal);
  return async () => {
    stop.abort();
    await running;
    await close();
  };
}

/** Lines that PowerDNS writes even at the level of errors. */
const HARMLESS = /server bound to|Creating backend connection for TCP/;

/** @throws with the errors that PowerDNS logged */
async function stopPowerDns({ part }: PowerDns): Promise<void> {
  const lines = (await part.tail(200)).split('\n');
  await part.stop();
  const complaints = lines.filter((line) => line !== '' && !HARMLESS.test(line));
  if (complaints.length > 0) throw new Error(`PowerDNS complained:\n${complaints.slice(-20).join('\n')}`);
}

/** Closes all of them, the last opened first, even if one fails. */
async function closeAll(closers: (() => Promise<unknown>)[]): Promise<void> {
  const errors: unknown[] = [];
  for (const close of closers.splice(0).reverse()) await close().catch((error) => errors.push(error));
  if (errors.length === 1) throw errors[0];
  if (errors.length > 1) throw new AggregateError(errors, errors.map(String).join('\n'));
}

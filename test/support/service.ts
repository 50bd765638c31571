// One test file's own service: a fresh database, the api in this process behind a real socket, a real PowerDNS and the
// companion. It closes itself after the file's tests, and fails the file when something was left open or went wrong
// unseen (an error in the api's log, a complaint of PowerDNS).
import { randomBytes } from 'node:crypto';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Sql } from 'postgres';
import type { Registry } from 'prom-client';
import { Agent } from 'undici';
import { afterAll, inject } from 'vitest';
import { buildApp, type Console } from '../../src/api/app.ts';
import type { DnsRecord } from '../../src/api/schemas/record.ts';
import type { ZoneCreated } from '../../src/api/schemas/zone.ts';
import { allocatePorts } from '../../src/cli/up/parts/ports.ts';
import { type PowerDns, startPowerDns } from '../../src/cli/up/parts/powerdns.ts';
import { type Aliases, createAliases } from '../../src/nameserver/aliases.ts';
import { runCompanion } from '../../src/nameserver/companion.ts';
import type { Endpoint } from '../../src/nameserver/probe.ts';
import { createResolver } from '../../src/nameserver/resolver.ts';
import { type Db, openDatabase } from '../../src/store/database.ts';
import { setService } from '../../src/store/zones.ts';
import { createLogger } from '../../src/telemetry/log.ts';
import { createMetrics, type Metrics } from '../../src/telemetry/metrics.ts';
import type { House } from '../../src/zones/change.ts';
import type { Delegation } from '../../src/zones/delegation.ts';
import { createZoneQueue } from '../../src/zones/queue.ts';
import { createRequest, type Request } from './api.ts';
import { cloneDatabase, type TestDatabase } from './database.ts';
import { type KeyOptions, mintTestKey, type TestKey } from './keys.ts';
import { createResolver as createTestResolver, type Resolver } from './resolver.ts';

export const NAMESERVERS = ['ns1.zonestead.test', 'ns2.zonestead.test'];

export interface TestServiceOptions {
  /** Hold keys to the limits of SPEC section 8. (Default: false.) */
  limits?: boolean;
  /** (Default: 2000.) */
  busyAfterMs?: number;
  /** How long a request may take to arrive, in ms. (Default: the service's.) */
  requestMs?: number;
  /** (Default: true.) Without it PowerDNS' own 5 s cache bounds what is stale. */
  nameserverCompanion?: boolean;
  /** Resolves ALIAS targets. `own` stands for the PowerDNS of this service. (Default: none, ALIAS stays without addresses.) */
  resolvers?: (Endpoint | 'own')[];
  /** (Default: no delegation check.) */
  delegation?: Delegation;
  /** The pages for people. (Default: none.) */
  console?: Console;
}

export interface TestService {
  /** Base address of the REST API. */
  url: string;
  database: TestDatabase;
  sql: Sql;
  powerdns: PowerDns;
  /** Where the configuration of PowerDNS is. */
  powerdnsFolder: string;
  /** What the api logged so far, as JSON lines, at the most talkative level. */
  log: string[];
  /** What a scrape of the (first) api gives. */
  metrics(): Promise<string>;
  /** Of team `first`; may do everything. */
  admin: TestKey;
  key(options?: KeyOptions): Promise<TestKey>;
  /** As `admin`, unless told otherwise. */
  request: Request;
  /** One more api on the same database, as another replica. `busyAfterMs`: as this one's, unless told otherwise. */
  anotherApi(options?: { busyAfterMs?: number; console?: Console }): Promise<{ url: string; request: Request }>;
  /** Creates a zone; under a name that nobody else has when none is given. @throws when it is not created */
  zone(name?: string, key?: TestKey): Promise<ZoneCreated>;
  /** @throws when it is not created */
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
    // A file that cannot even be loaded has no "after".
    await closeAll(closers).catch(() => undefined);
    throw error;
  }
}

async function start(options: TestServiceOptions, closers: (() => Promise<unknown>)[]): Promise<TestService> {
  const { limits = false, busyAfterMs = 2_000, nameserverCompanion = true } = options;
  const { signal } = new AbortController();
  const stateDir = await mkdtemp(join(tmpdir(), 'zonestead-service-'));
  closers.push(() => rm(stateDir, { recursive: true, force: true }));
  await chmod(stateDir, 0o755);
  const database = await cloneDatabase();
  closers.push(() => database.close());

  const log: string[] = [];
  const registries: Registry[] = [];
  const own = { address: '127.0.0.1', port: 0 };
  const resolversOf = (wanted: (Endpoint | 'own')[]) => wanted.map((each) => (each === 'own' ? own : each));
  const startApi = async (patienceMs: number, pages = options.console): Promise<string> => {
    const { db, close } = openDatabase(database.url, { name: 'test-api', lockTimeoutMs: patienceMs });
    closers.push(() => close());
    await setService(db, { nameservers: NAMESERVERS, hostmaster: 'hostmaster.zonestead.test' });
    const metrics = createMetrics({ processMetrics: false });
    const aliases = options.resolvers && startAliases(db, resolversOf(options.resolvers), metrics, log, closers);
    const house: House = {
      db,
      ...(options.delegation ? { delegation: options.delegation } : {}),
      ...(aliases ? { prepareAlias: aliases.prepare } : {}),
      queue: createZoneQueue(patienceMs),
      busyAfterMs: patienceMs,
      nameservers: NAMESERVERS,
      now: () => new Date(),
      random: randomBytes,
    };
    const logger = createLogger({ name: 'api', level: 'trace', destination: { write: (line) => void log.push(line) } });
    registries.push(metrics.registry);
    const { requestMs } = options;
    const app = buildApp({
      house,
      log: logger,
      limits,
      metrics,
      ...(requestMs === undefined ? {} : { requestMs }),
      ...(pages ? { console: pages } : {}),
    });
    closers.push(() => app.close());
    return app.listen({ host: '127.0.0.1', port: 0 });
  };

  const { port, nameserverPassword } = inject('postgres');
  const { pdnsServer } = inject('tools');
  const { dns: dnsPort } = await allocatePorts([{ name: 'dns', dns: true }], { stateDir });
  own.port = dnsPort;
  const [url, powerdns] = await Promise.all([
    startApi(busyAfterMs),
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
    const errors = log.filter((line) => JSON.parse(line).level === 'error');
    if (errors.length > 0) throw new Error(`the api logged errors:\n${errors.join('')}`);
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
    admin,
    key,
    request,
    anotherApi: async (other = {}) => {
      const url = await startApi(other.busyAfterMs ?? busyAfterMs, other.console);
      return { url, request: createRequest(url, agent, admin.text) };
    },
    zone: async (name = `zone${++zones}.example`, owner = admin) => {
      const reply = await request('POST', '/zones', { zoneName: name, owner: `org:${owner.team}` }, owner.text);
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

function startAliases(
  db: Db,
  servers: Endpoint[],
  metrics: Metrics,
  log: string[],
  closers: (() => Promise<unknown>)[],
): Aliases {
  const stop = new AbortController();
  const logger = createLogger({ name: 'api', destination: { write: (line) => void log.push(line) } });
  const aliases = createAliases({ db, resolve: createResolver({ servers }), log: logger, metrics, now: Date.now });
  const running = aliases.run(stop.signal);
  closers.push(() => {
    stop.abort();
    return running;
  });
  return aliases;
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

/** What PowerDNS writes even when told to log errors only. */
const HARMLESS = /server bound to|Creating backend connection for TCP/;

/** @throws with what PowerDNS complained about */
async function stopPowerDns({ part }: PowerDns): Promise<void> {
  const lines = (await part.tail(200)).split('\n');
  await part.stop();
  const complaints = lines.filter((line) => line !== '' && !HARMLESS.test(line));
  if (complaints.length > 0) throw new Error(`PowerDNS complained:\n${complaints.slice(-20).join('\n')}`);
}

/** The last opened first, and all of them, whatever one says. */
async function closeAll(closers: (() => Promise<unknown>)[]): Promise<void> {
  const errors: unknown[] = [];
  for (const close of closers.splice(0).reverse()) await close().catch((error) => errors.push(error));
  if (errors.length === 1) throw errors[0];
  if (errors.length > 1) throw new AggregateError(errors, errors.map(String).join('\n'));
}

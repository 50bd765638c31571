// One test file's own service: a fresh database, the api and a node in this process behind real sockets, and a real
// knotd. Api and node are put together by the functions that their processes call (src/api/compose.ts,
// src/nameserver/node/compose.ts), from settings as an environment holds them. The service closes itself after the
// file's tests, and fails the file when something was left open or went wrong unseen (an error or an unexpected warning
// in a log, a complaint of knotd).
import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Sql } from 'postgres';
import type { Registry } from 'prom-client';
import { Agent } from 'undici';
import { afterAll } from 'vitest';
import { composeApi } from '#api/compose.ts';
import { loadParts } from '#api/parts.ts';
import { API_PROCESS_SETTINGS } from '#api/settings.ts';
import { formatHostPort } from '#base/address.ts';
import { readConfig } from '#config.ts';
import type { DnsRecord } from '#contract/record.ts';
import type { ZoneCreated } from '#contract/zone.ts';
import type { Meter } from '#http/load/measure.ts';
import type { ComposedNode } from '#nameserver/node/compose.ts';
import type { ProbeEndpoint } from '#nameserver/probe/probe.ts';
import type { TargetTimes } from '#nameserver/resolver/targets.ts';
import { openDatabase } from '#store/database.ts';
import { createLogger } from '#telemetry/log.ts';
import { createMetrics } from '#telemetry/metrics.ts';
import { allocatePorts } from '../../../deploy/local/parts/ports.ts';
import { createResolver as createTestResolver, type Resolver } from '../dns/resolver.ts';
import { createRequest, type Reply, type Request } from '../http/requests.ts';
import type { TestKnot } from '../knot/knot.ts';
import { cloneDatabase, type TestDatabase } from '../postgres/database.ts';
import { watchPauses } from '../time/pauses.ts';
import { expectCounted } from './history.ts';
import { type KeyOptions, mintKeyIn, type TestKey } from './keys.ts';
import { startServiceKnot, startServiceNode } from './name-servers.ts';
import { createSettled } from './settled.ts';

export const NAMESERVERS = ['ns1.zonestead.test', 'ns2.zonestead.test'];

export interface TestServiceOptions {
  /** Apply the write limits (contract L1) to keys. (Default: false.) */
  limits?: boolean;
  /** (Default: 30 s, so that no change of a busy machine is answered `busy`.) */
  busyAfterMs?: number;
  /** The time limit for a request to arrive, in ms. (Default: that of the api.) */
  requestMs?: number;
  /** When a silent cluster is lost. (Default: as in the api.) */
  clusterTimes?: { lostMs: number; gapMs: number };
  /** The times of the lookups of targets of records. Absent: no target is looked up. */
  targetTimes?: TargetTimes;
  /** The time between two rounds of the retention, in ms. (Default: that of the api, a minute.) */
  retentionEveryMs?: number;
  /** A knotd with its node. (Default: true.) Without it nothing answers on the port of `dns`. */
  nameserver?: boolean;
  /** The number of nodes, each with a knotd. (Default: 1.) */
  nodes?: number;
  /** More settings of the nodes, as in the environment. */
  nodeSettings?: Settings;
  /**
   * ZONESTEAD_RESOLVER. `own` is the name server of this service. (Default: an address where no server answers, so that
   * tests never query a resolver of the machine.)
   */
  resolvers?: (ProbeEndpoint | 'own')[];
  /**
   * The load of the process. Absent: no load, because the test's own work blocks the event loop that the api runs on.
   */
  meter?: Meter;
  /** More settings of the api, as in the environment. */
  settings?: Settings;
  /** The time of the api, for instance for the ends of leases. (Default: that of the machine.) */
  time?: () => Date;
  /** The clock of the resolver's caches, Unix time in ms. (Default: that of the machine.) */
  now?: () => number;
  /**
   * Whether tests of this file write records or zones behind the api, so that the api's counters do not match.
   * (Default: false.)
   */
  writesBehind?: boolean;
  /** Texts of warnings that the tests of this file cause on purpose. */
  warnings?: readonly string[];
}

type Settings = Readonly<Record<string, string>>;

export interface TestService {
  /** Base address of the REST API. */
  url: string;
  /** The same with TLS, if the settings have ZONESTEAD_TLS_LISTEN. @param url that of another api */
  tlsUrl(url?: string): string;
  /** The port of DNS updates, if the settings have ZONESTEAD_UPDATE_LISTEN. @param url the address of another api */
  updatePort(url?: string): number;
  database: TestDatabase;
  sql: Sql;
  /** Not with `nameserver: false`, as all that reads it. */
  knot: TestKnot;
  node: ComposedNode;
  /** Waits until the node has applied every change that is committed now. @throws after a minute */
  settled(): Promise<void>;
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
  /** Each question waits until the name server has everything that is committed, except those of `raw`. */
  dns: Resolver & { raw: Resolver };
  /** The name servers of all nodes, the first one included. Questions to them wait for nothing. */
  servers: readonly Resolver[];
  /** The nodes after the first one. */
  otherNodes: readonly ComposedNode[];
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
  const { nameserver = true, writesBehind = false, warnings = [] } = options;
  const stateDir = await mkdtemp(join(tmpdir(), 'zonestead-service-'));
  closers.push(() => rm(stateDir, { recursive: true, force: true }));
  await chmod(stateDir, 0o755);
  const database = await cloneDatabase();
  closers.push(() => database.close());
  if (!writesBehind) closers.push(() => expectCounted(database.sql));

  const log: string[] = [];
  const registries: Registry[] = [];
  const routes: string[] = [];
  const tlsUrls = new Map<string, string>();
  const updatePorts = new Map<string, number>();
  const startApi = async (settings: Settings): Promise<string> => {
    const config = readConfig(API_PROCESS_SETTINGS, { DATABASE_URL: database.url, ...settings });
    const destination = { write: (line: string) => void log.push(line) };
    const metrics = createMetrics({ processMetrics: false });
    registries.push(metrics.registry);
    const telemetry = { log: createLogger({ name: 'api', level: 'trace', destination }), metrics };
    const { requestMs, retentionEveryMs, clusterTimes, targetTimes, meter = CALM, time } = options;
    const api = await composeApi(config, await loadParts(config, options.now), telemetry, {
      meter,
      clusterTimes,
      targetTimes,
      ...(requestMs === undefined ? {} : { requestMs }),
      ...(retentionEveryMs === undefined ? {} : { retentionEveryMs }),
      ...(time === undefined ? {} : { now: time }),
    });
    closers.push(() => api.close());
    if (registries.length === 1) {
      api.app.addHook('onRoute', ({ method, url }) => {
        routes.push(...[method].flat().map((each) => `${each} ${url}`));
      });
    }
    await api.updates?.listen({ host: '127.0.0.1', port: 0 });
    const url = await api.app.listen({ host: '127.0.0.1', port: 0 });
    await api.tls?.listen({ host: '127.0.0.1', port: 0 });
    updatePorts.set(url, api.updates?.port() ?? 0);
    if (api.tls !== null) tlsUrls.set(url, `https://127.0.0.1:${(api.tls.server.address() as AddressInfo).port}`);
    return url;
  };

  const { dns: dnsPort } = await allocatePorts([{ name: 'dns', dns: true }], { stateDir });
  const settings = { ...buildSettings(options, dnsPort), ...options.settings };
  const [url, knot] = await Promise.all([
    startApi(settings),
    nameserver ? startServiceKnot(stateDir, dnsPort, closers) : undefined,
  ]);
  const { nodeSettings = {} } = options;
  const node =
    knot &&
    (await startServiceNode({ url, name: 'ns1', database, knot, stateDir, log, settings: nodeSettings }, closers));
  const servers = [createTestResolver({ address: '127.0.0.1', port: dnsPort }, stateDir)];
  const otherNodes: ComposedNode[] = [];
  for (let number = 2; number <= (options.nodes ?? 1); number += 1) {
    const name = `ns${number}`;
    const folder = join(stateDir, name);
    await mkdir(folder);
    await chmod(folder, 0o755);
    const { dns: port } = await allocatePorts([{ name: 'dns', dns: true }], { stateDir: folder });
    const ownKnot = await startServiceKnot(folder, port, closers);
    otherNodes.push(
      await startServiceNode(
        { url, name, database, knot: ownKnot, stateDir: folder, log, settings: nodeSettings },
        closers,
      ),
    );
    servers.push(createTestResolver({ address: '127.0.0.1', port }, folder));
  }
  const settled = createSettled(database.sql, () => node?.report() ?? null);

  const agent = new Agent();
  closers.push(() => agent.close());
  const keys = openDatabase(database.url, { max: 1, name: 'test-keys' });
  closers.push(() => keys.close());
  const key = (wanted: KeyOptions = {}) => mintKeyIn(keys.db, wanted);
  const admin = await key();
  const request = createRequest(url, agent, admin.text);
  const pauses = watchPauses();
  closers.push(async () => {
    pauses.stop();
    const problems = problemsIn(log, warnings, pauses.before);
    if (problems.length > 0) throw new Error(`the api or the node logged problems:\n${problems.join('')}`);
  });
  // Creations wait for each other. On a busy machine, a test that creates many at once gets `busy` and retries.
  let busyAnswers = 0;
  closers.push(async () => {
    if (busyAnswers > MAX_BUSY) throw new Error(`${busyAnswers} creations of this file were answered busy`);
  });
  const retryBusy = async (create: () => Promise<Reply>): Promise<Reply> => {
    let reply = await create();
    for (let again = 0; reply.status === 503 && again < 5; again += 1) {
      busyAnswers += 1;
      await sleep(1_000);
      reply = await create();
    }
    return reply;
  };
  let zones = 0;
  return {
    url,
    updatePort: (plain = url) => updatePorts.get(plain) ?? 0,
    tlsUrl: (plain = url) => tlsUrls.get(plain) ?? '',
    database,
    sql: database.sql,
    knot: knot as TestKnot,
    node: node as ComposedNode,
    settled,
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
      const reply = await retryBusy(() =>
        request('POST', '/zones', { zoneName: name, owner: `org:${owner.team}` }, owner.text),
      );
      if (reply.status !== 200) throw new Error(`zone ${name} was not created: ${reply.status} ${reply.text}`);
      return reply.body as ZoneCreated;
    },
    record: async (zone, name, type, content, more = {}) => {
      const reply = await retryBusy(() =>
        request('POST', `/zones/${zone.id}/records`, { name, type, content, ...more }),
      );
      if (reply.status !== 201) throw new Error(`${name} ${type} was not created: ${reply.status} ${reply.text}`);
      return reply.body as DnsRecord;
    },
    dns: settledResolver(servers[0] as Resolver, settled),
    servers,
    otherNodes,
  };
}

const CALM: Meter = { read: () => ({ delayMs: 0, heap: 0, resident: 0 }), close: () => undefined };

/** A closed port of this machine, so that a query fails at once. */
const NO_RESOLVER = '127.0.0.1:1';

function buildSettings(options: TestServiceOptions, dnsPort: number): Settings {
  const { limits = false, busyAfterMs = 30_000, resolvers } = options;
  const own = `127.0.0.1:${dnsPort}`;
  const formatEndpoint = (each: ProbeEndpoint | 'own') =>
    each === 'own' ? own : formatHostPort(each.address, each.port);
  return {
    ZONESTEAD_NAMESERVERS: NAMESERVERS.join(','),
    ZONESTEAD_HOSTMASTER: 'hostmaster.zonestead.test',
    ZONESTEAD_NAMESERVER_ADDRESSES: NAMESERVERS.map((name) => `${name}=${own}`).join(','),
    ZONESTEAD_RESOLVER: resolvers?.map(formatEndpoint).join(',') ?? NO_RESOLVER,
    ZONESTEAD_LIMITS: limits ? 'on' : 'off',
    ZONESTEAD_BUSY_AFTER_MS: String(busyAfterMs),
    ZONESTEAD_CONSOLE: 'off',
    ZONESTEAD_DANGLING_HOURS: '0',
  };
}

/** An api that answers `busy` more often to the creations of one file has a fault. */
const MAX_BUSY = 2;
/** Such warnings of a file without a pause of this process: another process may have been paused once. */
const MAX_UNEXPLAINED = 1;

/** A machine that does nothing for some seconds causes these, and no fault of the api or the node. */
const PAUSED = [
  'the feed is not connected: the api sent nothing for',
  'failed to report to the api: No answer from the API within',
  'It may be at long work, and answers queries meanwhile',
  'failed to query due ALIAS targets',
  'failed to query due targets of records',
  'failed to decide which name server is the source of transfers; retrying',
];

/** The lines that fail the file: every error, and each warning that neither a test nor a pause causes. */
function problemsIn(log: readonly string[], allowed: readonly string[], isPaused: (at: number) => boolean): string[] {
  const problems: string[] = [];
  const unexplained: string[] = [];
  for (const line of log) {
    const { level, msg = '', time } = JSON.parse(line) as { level: string; msg?: string; time: string | number };
    if (level === 'error' || level === 'fatal') problems.push(line);
    if (level !== 'warn' || allowed.some((text) => msg.includes(text))) continue;
    if (!PAUSED.some((text) => msg.includes(text))) problems.push(line);
    else if (!isPaused(new Date(time).getTime())) unexplained.push(line);
  }
  return unexplained.length > MAX_UNEXPLAINED ? [...problems, ...unexplained] : problems;
}

function settledResolver(raw: Resolver, settled: () => Promise<void>): Resolver & { raw: Resolver } {
  const after =
    <Args extends unknown[], Result>(ask: (...args: Args) => Promise<Result>) =>
    async (...args: Args): Promise<Result> => {
      await settled();
      return ask(...args);
    };
  return { ...raw, lookup: after(raw.lookup), dig: after(raw.dig), delv: after(raw.delv), raw };
}

/** Closes all of them, the last opened first, even if one fails. */
async function closeAll(closers: (() => Promise<unknown>)[]): Promise<void> {
  const errors: unknown[] = [];
  for (const close of closers.splice(0).reverse()) await close().catch((error) => errors.push(error));
  if (errors.length === 1) throw errors[0];
  if (errors.length > 1) throw new AggregateError(errors, errors.map(String).join('\n'));
}

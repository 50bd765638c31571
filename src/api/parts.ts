// The parts of the api process that come from other rooms: the resolver for ALIAS targets and delegations, the verifier
// of tokens, the port of DNS updates and the console. They are loaded when the process starts, each only if a setting
// asks for it.
import type { Logger } from 'pino';
import type { Config } from '#config.ts';
import type { UpdateListener, UpdateListenerOptions } from '#doors/dns-update/door.ts';
import type { TargetTimes } from '#nameserver/resolver/targets.ts';
import type { Delegation, ServiceContext } from '#service/context.ts';
import type { Db } from '#store/database.ts';
import type { Metrics } from '#telemetry/metrics.ts';
import type { Tracing } from '#telemetry/span.ts';
import type { Console } from './app.ts';
import type { API_PROCESS_SETTINGS } from './settings.ts';

/** The parts of the api that come from other rooms. */
export interface ApiParts {
  delegation: Delegation;
  /** Looks at the keys of zones, for key rolls. Absent: no roll takes a step. */
  sightKeys?: NonNullable<ServiceContext['sightKeys']>;
  /** The verifier of tokens, which `close` ends. Absent: no token is accepted. */
  tokens?(parts: { log: Logger; metrics: Metrics }): {
    verifier: NonNullable<ServiceContext['tokens']>;
    close(): Promise<void>;
  };
  /** The port of DNS updates. */
  updates?(parts: Omit<UpdateListenerOptions, 'nameservers' | 'connections' | 'idleMs'>): UpdateListener;
  /** The pages of the console. */
  console?: Console;
  /** `run` works until the signal aborts. */
  aliases(context: { db: Db; log: Logger; metrics: Metrics }): {
    prepare(target: { target: string; owner: string }): Promise<void>;
    run(signal: AbortSignal): Promise<void>;
  };
  /** Looks up the targets of records until the signal aborts. */
  targets(context: { db: Db; log: Logger; metrics: Metrics }, times: TargetTimes, signal: AbortSignal): Promise<void>;
}

/** Logging, metrics and tracing of the process. */
export interface Telemetry {
  log: Logger;
  metrics: Metrics;
  /** Absent: no spans are recorded. */
  tracing?: Tracing;
}

/**
 * The parts that the api gets from other rooms. An api without a console loads none of the console's modules.
 * @param now Unix time in ms
 * @throws Error when settings of the console contradict each other
 */
export async function loadParts(
  config: Config<(typeof API_PROCESS_SETTINGS)[number]>,
  now: () => number = Date.now,
): Promise<ApiParts> {
  const { createOutside } = await import('#nameserver/resolver/outside.ts');
  const { live, ...outside } = createOutside(config, now);
  const outsideParts = { ...outside, tokens: await createTokenParts(config) };
  const parts =
    config.ZONESTEAD_UPDATE_LISTEN === undefined
      ? outsideParts
      : { ...outsideParts, updates: await createUpdateParts(config) };
  if (!config.ZONESTEAD_CONSOLE) return parts;
  const { createConsole } = await import('#console/plugin.ts');
  return { ...parts, console: createConsole(config, live) };
}

/**
 * The verifier of tokens. Without a cluster, tokens of its own service accounts are the only ones that it cannot
 * verify.
 */
async function createTokenParts(
  config: Config<(typeof API_PROCESS_SETTINGS)[number]>,
): Promise<NonNullable<ApiParts['tokens']>> {
  const [{ createTokenVerifier }, { ownCluster }] = await Promise.all([
    import('#tokens/verifier.ts'),
    import('#kube/api/own-cluster.ts'),
  ]);
  const { KUBECONFIG: kubeconfig, KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port } = config;
  const cluster = ownCluster({ kubeconfig, pod: host === undefined ? undefined : { host, port } });
  return (parts) => ({
    verifier: createTokenVerifier({ ...parts, cluster: cluster?.request }),
    close: async () => await cluster?.close(),
  });
}

/** The port of DNS updates. TCP connections have the limits of HTTP, and a number of their own. */
async function createUpdateParts(
  config: Config<(typeof API_PROCESS_SETTINGS)[number]>,
): Promise<NonNullable<ApiParts['updates']>> {
  const [{ createUpdateListener }, { parseOverrides }] = await Promise.all([
    import('#doors/dns-update/door.ts'),
    import('#nameserver/probe/probe.ts'),
  ]);
  const connections = {
    total: config.ZONESTEAD_MAX_CONNECTIONS,
    perAddress: config.ZONESTEAD_MAX_CONNECTIONS_PER_ADDRESS,
  };
  const overrides = parseOverrides(config.ZONESTEAD_NAMESERVER_ADDRESSES);
  const defaultServers = config.ZONESTEAD_NAMESERVERS.map((name) => {
    const at = overrides.get(name);
    return at === undefined ? { host: name, port: 53 } : { host: at.address, port: at.port };
  });
  const nameservers = config.ZONESTEAD_UPDATE_NAMESERVERS ?? defaultServers;
  return (parts) => createUpdateListener({ ...parts, nameservers, connections });
}

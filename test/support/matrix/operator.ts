// The operator in this process, with fault points about its writes: it dies before or after one of them, as by kill -9.
// Nothing that it would still write after its death gets through, and no answer reaches it.
import { type Runtime, runOperator } from '#operator/run/main.ts';
import { createLogger } from '#telemetry/log.ts';
import type { Chain } from './chain.ts';

export interface Point {
  /** A write of either reconciler: `merge dnszones`, `createRecord`. */
  readonly write: string;
  /** The first such write is 1. */
  readonly nth: number;
  readonly when: 'before' | 'after';
}

export interface TestOperator {
  /** Names of the writes that were sent since the last `arm`. */
  readonly writes: string[];
  /** Counts from 1 again; with a point, the operator dies there. */
  arm(point: Point | null): void;
  /** Resolves when it has died. @throws when it did not within 150 s, with the writes that it did instead */
  died(): Promise<void>;
  /** Stops it gracefully. */
  stop(): Promise<void>;
  /** Kills the operator at any point of its work: it writes nothing after that. */
  kill(): Promise<void>;
  /** Settles like the process: when it ends, or with the error that ended it. */
  readonly ended: Promise<void>;
  /** The times when each write began and ended, in ms of performance.now(). */
  readonly spans: readonly (readonly [number, number])[];
}

export interface OperatorOptions {
  /** (Default: the service itself.) */
  readonly url?: string;
  readonly key?: string;
  /** (Default: the API server itself.) */
  readonly kubeconfig?: string;
  /** The only namespace that it watches. Absent: all. */
  readonly namespace?: string;
  readonly silenceMs?: number;
  readonly callTimeoutMs?: number;
  /** Takes part in an election under this name. Absent: it works immediately, without an election. */
  readonly identity?: string;
  readonly lease?: NonNullable<Runtime['lease']>;
  /** The interval at which it reads a Secret with an API key again, in ms. (Default: as in production.) */
  readonly credentialsMs?: number;
  /** The name of the cluster. (Default: the uid of kube-system.) */
  readonly cluster?: string;
  /** The time between two heartbeats, in ms. (Default: as in production.) */
  readonly heartbeatMs?: number;
  /** The time between two looks at the health checks, in ms. (Default: as in production.) */
  readonly checksMs?: number;
  /** The port of health and metrics. Absent: any free port. */
  readonly healthPort?: number;
  /** The endpoint for its traces. */
  readonly otlp?: string;
  /** Called before each write with its name, which waits until it resolves. (Default: at once.) */
  readonly before?: (write: string) => Promise<void> | void;
  /** Receives its log, line by line. */
  readonly log?: (line: string) => void;
  /** (Default: `info`.) */
  readonly logLevel?: 'debug' | 'info';
}

const DEATH_LIMIT_MS = 150_000;

class Killed extends Error {
  override readonly name = 'Killed';
}

export function startOperator(chain: Chain, options: OperatorOptions = {}): TestOperator {
  const writes: string[] = [];
  const spans: [number, number][] = [];
  let point: Point | null = null;
  let dead = false;
  let tellDeath = (): void => undefined;
  let death = new Promise<void>((resolve) => {
    tellDeath = resolve;
  });
  const end = new AbortController();
  const died = (): never => {
    throw new Killed('killed');
  };
  const die = (): never => {
    dead = true;
    tellDeath();
    return died();
  };
  const intercept: Runtime['intercept'] = async ({ name }, run) => {
    if (dead) throw new Killed('killed');
    writes.push(name);
    const nth = writes.filter((write) => write === name).length;
    const hit = point !== null && point.write === name && point.nth === nth ? point : null;
    if (hit?.when === 'before') die();
    await options.before?.(name);
    const began = performance.now();
    try {
      return await run();
    } finally {
      spans.push([began, performance.now()]);
      // Also after a write that failed on a busy machine: the next one of this name would be another.
      if (hit?.when === 'after') die();
      if (dead) died();
    }
  };
  const running = runOperator(buildOperatorSettings(chain, options), end.signal, {
    intercept,
    log: options.log
      ? createLogger({ name: 'operator', level: options.logLevel ?? 'info', destination: { write: options.log } })
      : createLogger({ name: 'operator', level: 'silent' }),
    ...(options.silenceMs === undefined ? {} : { silenceMs: options.silenceMs }),
    ...(options.callTimeoutMs === undefined ? {} : { callTimeoutMs: options.callTimeoutMs }),
    ...(options.lease === undefined ? {} : { lease: options.lease }),
    credentialsMs: options.credentialsMs,
    heartbeatMs: options.heartbeatMs,
    checksMs: options.checksMs,
  });
  let failure: unknown;
  running.catch((error) => {
    failure = error;
  });
  const stop = async () => {
    end.abort(new Error('the test stops the operator'));
    await running;
  };
  return {
    writes,
    spans,
    ended: running,
    arm: (next) => {
      writes.length = 0;
      point = next;
    },
    died: async () => {
      let cancel: NodeJS.Timeout | undefined;
      const limit = new Promise<never>((_resolve, reject) => {
        const late = () => reject(failure ?? new Error(`it did not come to that write; it did: ${writes.join(', ')}`));
        cancel = setTimeout(late, DEATH_LIMIT_MS);
      });
      await Promise.race([death, limit]).finally(() => clearTimeout(cancel));
      death = new Promise(() => undefined);
    },
    stop,
    kill: async () => {
      dead = true;
      await stop();
    },
  };
}

/** The part of the chain that the settings of an operator need, as plain data, so that it can be sent to a thread. */
export type Place = Pick<Chain, 'url' | 'key' | 'operatorKubeconfig' | 'nameservers'> & {
  readonly dns: Pick<Chain['dns'], 'address' | 'port'>;
};

/** The settings of an operator that works in the chain. */
export function buildOperatorSettings(place: Place, options: OperatorOptions): Parameters<typeof runOperator>[0] {
  const endpoint = `${place.dns.address}:${place.dns.port}`;
  return {
    ZONESTEAD_LOG_LEVEL: 'silent',
    ZONESTEAD_HEALTH_LISTEN: { host: '127.0.0.1', port: options.healthPort ?? 0 },
    ZONESTEAD_URL: options.url ?? place.url,
    ZONESTEAD_URL_CA: undefined,
    ZONESTEAD_API_KEY: options.key ?? place.key,
    KUBECONFIG: options.kubeconfig ?? place.operatorKubeconfig,
    KUBERNETES_SERVICE_HOST: undefined,
    KUBERNETES_SERVICE_PORT: '443',
    ZONESTEAD_NAMESERVER_ADDRESSES: place.nameservers.map((name) => `${name}=${endpoint}`).join(','),
    ZONESTEAD_RESOLVER: undefined,
    ZONESTEAD_PARENT_NETWORKS: [],
    ZONESTEAD_PROOF: 'Reachable',
    ZONESTEAD_LEADER_ELECTION: options.identity !== undefined,
    ZONESTEAD_LEASE_NAMESPACE: 'zonestead',
    ZONESTEAD_LEASE_NAME: undefined,
    ZONESTEAD_CLUSTER: options.cluster,
    ZONESTEAD_NAMESPACES: options.namespace === undefined ? undefined : [options.namespace],
    ZONESTEAD_LEASE_IDENTITY: options.identity,
    OTEL_EXPORTER_OTLP_ENDPOINT: options.otlp,
  };
}

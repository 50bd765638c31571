// The operator in this process, with fault points about its writes: it dies before or after one of them, as by kill -9.
// Nothing that it would still write after its death gets through, and no answer reaches it.
import { type Runtime, runOperator } from '../../../src/operator/main.ts';
import { createLogger } from '../../../src/telemetry/log.ts';
import type { Chain } from './chain.ts';

export interface Point {
  /** A write of either reconciler: `merge dnszones`, `records.create`. */
  readonly write: string;
  /** The first such write is 1. */
  readonly nth: number;
  readonly when: 'before' | 'after';
}

export interface TestOperator {
  /** Names of the writes that were sent since the last `arm`. */
  readonly writes: string[];
  /** Counts from 1 again; with a point, that is where the operator dies. */
  arm(point: Point | null): void;
  /** Resolves when it has died. @throws when it did not within 10 s, with the writes that it did instead */
  died(): Promise<void>;
  /** Ends it in order. */
  stop(): Promise<void>;
  /** Whatever it is at: nothing more of it is written. */
  kill(): Promise<void>;
  /** Settles as the process would: when it ends, or with what it failed with. */
  readonly ended: Promise<void>;
  /** When each write began, and when it was over, in ms of performance.now(). */
  readonly spans: readonly (readonly [number, number])[];
}

export interface OperatorOptions {
  /** (Default: the service itself.) */
  readonly url?: string;
  readonly key?: string;
  /** (Default: the API server itself.) */
  readonly kubeconfig?: string;
  /** The only one that it works in. (Default: all.) */
  readonly namespace?: string;
  readonly silenceMs?: number;
  readonly callTimeoutMs?: number;
  /** Takes part in an election under this name. (Default: none, it works at once.) */
  readonly identity?: string;
  readonly lease?: NonNullable<Runtime['lease']>;
  /** Of health and metrics. (Default: a free one that nobody knows.) */
  readonly healthPort?: number;
  /** Where its traces go. (Default: nowhere.) */
  readonly otlp?: string;
  /** Gets its log, line by line. (Default: nobody.) */
  readonly log?: (line: string) => void;
}

const DEATH_LIMIT_MS = 10_000;

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
  const die = (): never => {
    dead = true;
    tellDeath();
    throw new Killed('killed');
  };
  const around: Runtime['around'] = async ({ name }, run) => {
    if (dead) throw new Killed('killed');
    writes.push(name);
    const nth = writes.filter((write) => write === name).length;
    const hit = point !== null && point.write === name && point.nth === nth ? point : null;
    if (hit?.when === 'before') die();
    const began = performance.now();
    const answer = await run().finally(() => spans.push([began, performance.now()]));
    if (dead) throw new Killed('killed');
    if (hit?.when === 'after') die();
    return answer;
  };
  const endpoint = `${chain.dns.address}:${chain.dns.port}`;
  const running = runOperator(
    {
      ZONESTEAD_LOG_LEVEL: 'silent',
      ZONESTEAD_HEALTH_LISTEN: { host: '127.0.0.1', port: options.healthPort ?? 0 },
      ZONESTEAD_URL: options.url ?? chain.url,
      ZONESTEAD_API_KEY: options.key ?? chain.key,
      KUBECONFIG: options.kubeconfig ?? chain.operatorKubeconfig,
      ZONESTEAD_NAMESERVER_ADDRESSES: chain.nameservers.map((name) => `${name}=${endpoint}`).join(','),
      ZONESTEAD_RESOLVER: undefined,
      ZONESTEAD_LEADER_ELECTION: options.identity !== undefined,
      ZONESTEAD_LEASE_NAMESPACE: 'zonestead',
      ZONESTEAD_LEASE_NAME: undefined,
      ZONESTEAD_NAMESPACES: options.namespace === undefined ? undefined : [options.namespace],
      ZONESTEAD_LEASE_IDENTITY: options.identity,
      OTEL_EXPORTER_OTLP_ENDPOINT: options.otlp,
    },
    end.signal,
    {
      around,
      log: options.log
        ? createLogger({ name: 'operator', destination: { write: options.log } })
        : createLogger({ name: 'operator', level: 'silent' }),
      ...(options.silenceMs === undefined ? {} : { silenceMs: options.silenceMs }),
      ...(options.callTimeoutMs === undefined ? {} : { callTimeoutMs: options.callTimeoutMs }),
      ...(options.lease === undefined ? {} : { lease: options.lease }),
    },
  );
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

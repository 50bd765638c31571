// Sends the heartbeats of this cluster to the service, and learns whether the cluster is drained. A cluster belongs to the team of a
// key, so each team whose keys the operator uses gets one. Only the operator that works sends them: if it ends and no other takes
// over, the cluster is lost.
import type { Clock } from '#base/clock.ts';
import { sleep } from '#base/wait.ts';
import type { Client } from '#client/client.ts';
import type { Logger } from '#telemetry/log.ts';

/** The service takes a cluster for lost after 60 s. */
const INTERVAL_MS = 10_000;
const LIMIT_MS = 5_000;

/** A key at the service, as far as heartbeats need it. */
interface Sender {
  readonly client: Pick<Client, 'clusters'>;
  owner(signal: AbortSignal): Promise<string>;
}

export interface HeartbeatOptions {
  readonly clock: Clock;
  readonly log: Logger;
  /** The name of this cluster; undefined until it is known. */
  cluster(): string | undefined;
  /** The connections of all keys in use, the oldest first. */
  senders(): readonly Sender[];
  /** The cluster was drained or restored for some owner. */
  onChange(): void;
  /** The time between two heartbeats, in ms. (Default: 10,000.) */
  readonly intervalMs?: number | undefined;
}

export interface Heartbeats {
  /** Whether the records of this cluster in the zones of an owner (`org:<teamId>`) are withdrawn. */
  isDrained(owner: string | undefined): boolean;
  /** Sends until the signal aborts. */
  run(signal: AbortSignal): Promise<void>;
}

export function createHeartbeats(options: HeartbeatOptions): Heartbeats {
  const { clock, log } = options;
  const drained = new Set<string>();
  const failing = new Set<string>();

  /** @returns whether the service took the heartbeat */
  const send = async (name: string, owner: string, { client }: Sender, signal: AbortSignal): Promise<boolean> => {
    try {
      const { state } = await client.clusters.heartbeat(name, undefined, { signal, timeoutMs: LIMIT_MS });
      if (failing.delete(owner)) log.info({ owner }, 'the DNS service takes the heartbeats of this cluster again');
      const isDrained = state === 'drained';
      if (isDrained === drained.has(owner)) return true;
      if (isDrained) drained.add(owner);
      else drained.delete(owner);
      log.info({ owner, cluster: name, state }, isDrained ? 'the cluster is drained' : 'the cluster is restored');
      options.onChange();
      return true;
    } catch (error) {
      if (signal.aborted) return true;
      if (!failing.has(owner)) log.warn({ err: error, owner }, 'the DNS service takes no heartbeat of this cluster');
      failing.add(owner);
      return false;
    }
  };

  const beat = async (name: string, signal: AbortSignal): Promise<void> => {
    const done = new Set<string>();
    // The newest key first: an older one of the same team may have been replaced.
    for (const sender of [...options.senders()].reverse()) {
      const owner = await sender.owner(AbortSignal.any([signal, AbortSignal.timeout(LIMIT_MS)])).catch(() => null);
      if (owner === null || done.has(owner) || signal.aborted) continue;
      if (await send(name, owner, sender, signal)) done.add(owner);
    }
  };

  return {
    isDrained: (owner) => owner !== undefined && drained.has(owner),
    run: async (signal) => {
      while (!signal.aborted) {
        const name = options.cluster();
        if (name !== undefined) await beat(name, signal);
        await sleep(clock, options.intervalMs ?? INTERVAL_MS, signal).catch(() => undefined);
      }
    },
  };
}

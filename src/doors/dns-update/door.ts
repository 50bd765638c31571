// The port of DNS updates: UDP and TCP with the same number.
import type { Socket } from 'node:dgram';
import type { Server } from 'node:net';
import type { Logger } from 'pino';
import { realClock } from '#base/clock.ts';
import { endsWithin } from '#base/wait.ts';
import type { ReadLimit } from '#http/load/read-limit.ts';
import type { Metrics } from '#telemetry/metrics.ts';
import { createDispatcher } from './dispatch.ts';
import { createForward } from './forward.ts';
import { createUpdateMetrics } from './metrics.ts';
import { createQueries } from './queries.ts';
import { createSenders } from './senders.ts';
import { listenTcp, portOf } from './tcp.ts';
import type { Answerer } from './transport.ts';
import { listenUdp } from './udp.ts';
import { createUpdates, type UpdatesOptions } from './updates.ts';

export interface UpdateListener {
  /** @throws if the port is in use */
  listen(at: { host: string; port: number }): Promise<void>;
  /** The port that it listens at. */
  port(): number;
  /** Finishes the messages in progress over UDP, and ends the connections. */
  close(): Promise<void>;
}

export interface UpdateListenerOptions extends Omit<UpdatesOptions, 'metrics' | 'senders'> {
  metrics: Metrics;
  /** Counts signed queries and transfers; undefined: any number is answered. */
  reads?: ReadLimit | undefined;
  log: Logger;
  /** The name servers that answer queries; at least one. */
  nameservers: readonly { host: string; port: number }[];
  /** TCP connections of all clients, and of one client address. */
  connections: { total: number; perAddress: number };
  /** The time limit for a message over TCP to arrive, in ms. (Default: 10000.) */
  idleMs?: number;
}

/** Datagrams in progress: with the 60 kB that one can have, about 16 MB. */
const DATAGRAMS = 256;
const IDLE_MS = 10_000;
const READ_MS = 10_000;
/** The time for messages in progress when the process stops, in ms. */
const FINISH_MS = 5_000;
/** Tries to find a port that is free for both protocols, if the system chooses it. */
const TRIES = 20;

export function createUpdateListener(options: UpdateListenerOptions): UpdateListener {
  const { log, connections, idleMs = IDLE_MS } = options;
  const metrics = createUpdateMetrics(options.metrics);
  const senders = createSenders(() => options.context.now().getTime());
  const forward = createForward({ servers: options.nameservers });
  const queries = createQueries({ ...options, metrics, senders, forward });
  const answerMessage = createDispatcher({
    ...options,
    metrics,
    queries,
    updates: createUpdates({ ...options, metrics, senders }),
  });
  const end = new AbortController();
  const inProgress = new Set<Promise<void>>();
  let isClosing = false;
  const answer: Answerer = async (octets, transport) => {
    if (isClosing) return;
    const work = answerMessage(octets, transport);
    inProgress.add(work);
    try {
      await work;
    } finally {
      inProgress.delete(work);
    }
  };
  const common = {
    answer,
    onError: (error: unknown) => log.debug({ err: error }, 'a message at the port of updates got no answer'),
    signal: end.signal,
  };
  let open: { tcp: Server; udp: Socket } | null = null;

  const tcpOptions = {
    ...common,
    limits: connections,
    idleMs,
    readMs: READ_MS,
    onDropped: () => metrics.dropped('connections'),
  };
  const udpOptions = { ...common, inProgress: DATAGRAMS, onDropped: () => metrics.dropped('messages') };

  async function openBoth(at: { host: string; port: number }, tries: number): Promise<{ tcp: Server; udp: Socket }> {
    const tcp = await listenTcp(at, tcpOptions);
    try {
      return { tcp, udp: await listenUdp({ ...at, port: portOf(tcp) }, udpOptions) };
    } catch (error) {
      await new Promise((resolve) => tcp.close(resolve));
      if (at.port !== 0 || tries <= 1) throw error;
      return openBoth(at, tries - 1);
    }
  }

  return {
    listen: async (at) => {
      open = await openBoth(at, TRIES);
    },
    port: () => (open === null ? 0 : portOf(open.tcp)),
    close: async () => {
      isClosing = true;
      const tcpClose = open === null ? null : new Promise((resolve) => open?.tcp.close(resolve));
      await endsWithin(realClock, FINISH_MS, Promise.allSettled(inProgress));
      end.abort();
      const udp = open?.udp;
      await Promise.all([tcpClose, udp && new Promise<void>((resolve) => udp.close(() => resolve()))]);
      open = null;
    },
  };
}

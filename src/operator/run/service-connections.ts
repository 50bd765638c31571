// The connections of the operator to the REST API: one for each API key, with a client, a dispatcher and limits of its
// own.
import { realClock } from '#base/clock.ts';
import { Limit } from '#base/limit.ts';
import { chain, type WriteInterceptor } from '#base/write-interceptor.ts';
import { type Client, createClient } from '#client/client.ts';
import type { CallOptions } from '#client/http.ts';
import type { ClientKey } from '#client/key.ts';
import { MAX_QUESTIONS } from '#client/node-questions.ts';
import { createDispatcher } from '#client/pace/dispatcher.ts';
import { createPaceMetrics, type PaceMetrics } from '#client/pace/metrics.ts';
import { createRecordWriter } from '#client/pace/writer.ts';
import { withSharedReads } from '#client/shared-reads.ts';
import { readsInTurns } from '#client/turns.ts';
import { interceptClientWrites } from '#client/write-interceptor.ts';
import { getAccount } from '#contract/operations/account.ts';
import type { Metrics } from '#telemetry/metrics.ts';
import type { ServiceConnection } from '../access/credentials.ts';
import { countServiceRequests } from './metrics.ts';
import type { StatusOrder } from './statuses.ts';
import type { Trace } from './trace.ts';

/**
 * Concurrent calls to the service with one key, in addition to the questions for nodes. A single namespace has half of
 * them.
 */
const READS = 16;
const MAX_WRITES = 8;
/** More than the longest record, and much less than the operator's memory, because a zone may contain anything. */
const MAX_ANSWER_BYTES = 4 * 1024 * 1024;

interface ConnectionOptions {
  readonly config: { ZONESTEAD_URL: string; ZONESTEAD_URL_CA?: string | undefined };
  readonly metrics: Metrics;
  readonly trace: Trace;
  /** Whether calls carry the context of the trace. */
  readonly isTraced: boolean;
  /** Called before each write. */
  readonly intercept: WriteInterceptor;
  readonly statuses: StatusOrder;
}

export interface ServiceConnections {
  /** @param neighbours how many other namespaces may write with this key at any time */
  connect(key: ClientKey, neighbours?: () => number): ServiceConnection;
  close(): Promise<void>;
}

export function createServiceConnections(options: ConnectionOptions): ServiceConnections {
  const { config, metrics, trace, isTraced, intercept, statuses } = options;
  const pace = createPaceMetrics(metrics, realClock);
  const observe = countServiceRequests(metrics);
  const connections: ServiceConnection[] = [];
  const groupOf = ({ requestId }: CallOptions) => trace.namespaceOf(requestId);
  return {
    connect: (key, neighbours = () => 0) => {
      const plainClient = createClient({
        baseUrl: config.ZONESTEAD_URL,
        caFile: config.ZONESTEAD_URL_CA,
        key,
        userAgent: 'zonestead-operator',
        maxAnswerBytes: MAX_ANSWER_BYTES,
        connections: READS + MAX_QUESTIONS + 2 * MAX_WRITES,
        observe,
        ...(isTraced ? { trace: trace.calls } : {}),
      });
      const reads = new Limit({ permits: READS, isFair: true });
      const pacedClient = readsInTurns(
        interceptClientWrites(plainClient, chain(trace.intercept, intercept)),
        (call, work) => reads.run(groupOf(call), work, call.signal),
      );
      const client = withSharedReads(pacedClient, realClock, groupOf);
      const connection = createServiceConnection(client, pace, neighbours, statuses);
      connections.push(connection);
      return connection;
    },
    close: async () => {
      await Promise.all(connections.map(({ client }) => client.close()));
    },
  };
}

/** Creates the connection of one API key, with a dispatcher of its own. */
function createServiceConnection(
  client: Client,
  pace: PaceMetrics,
  neighbours: () => number,
  { duringWrite }: StatusOrder,
): ServiceConnection {
  let owner: string | undefined;
  const { onPause } = pace;
  const writer = createRecordWriter(client);
  const dispatcher = pace.observed(
    createDispatcher({ clock: realClock, random: Math.random, maxInFlight: MAX_WRITES, writer, neighbours, onPause }),
  );
  return {
    client,
    dispatcher: {
      submit: (job) => dispatcher.submit(job),
      apply: (job) => duringWrite(() => dispatcher.apply(job)),
      hold: (queue) => dispatcher.hold(queue),
      retryTime: (lane, queue) => dispatcher.retryTime(lane, queue),
      state: () => dispatcher.state(),
    },
    owner: async (signal) => {
      if (owner === undefined) {
        const { team } = await client.call(getAccount, {}, { signal });
        owner = team === undefined ? 'personal' : `org:${team.id}`;
      }
      return owner;
    },
  };
}

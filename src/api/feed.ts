// The feed for name servers: its readers, its reads of zones, and the reports of nodes.
import { realClock } from '#base/clock.ts';
import type { MayProbe } from '#base/probes/allowed.ts';
import { Vantages } from '#service/checks/observations.ts';
import { ProbeLists } from '#service/checks/probe-list.ts';
import type { ServiceContext } from '#service/context.ts';
import { createArrivals } from '#service/nodes/arrivals.ts';
import { createCommits } from '#service/nodes/commits.ts';
import type { Feed } from '#service/nodes/feed.ts';
import { createHub } from '#service/nodes/hub.ts';
import { keysStillValid } from '#service/nodes/keys.ts';
import { createFeedMetrics } from '#service/nodes/metrics.ts';
import { observeApplied, watchNodes } from '#service/nodes/node-metrics.ts';
import { createNodeReports } from '#service/nodes/reports.ts';
import { createServedSource } from '#service/nodes/source.ts';
import { limitWork, type WorkLimitOptions } from '#service/permits.ts';
import { allNodes, livingRows } from '#store/nodes.ts';
import type { Telemetry } from './parts.ts';

/**
 * Reads of whole zones by name servers hold a connection each, and may use a quarter of the pool. A node that starts
 * reads many zones, so it may use all of that, and others wait their turn.
 */
function nodeReads(connections: number): WorkLimitOptions {
  const total = Math.max(1, Math.floor(connections / 4));
  return { total, share: total, waiting: 512, waitMs: 20_000, work: 'reads of zones by name servers' };
}

/**
 * @param connections the size of the connection pool
 * @param mayProbe which addresses the service gives name servers to probe
 */
export function createFeed(
  context: ServiceContext,
  connections: number,
  mayProbe: MayProbe,
  { log, metrics }: Pick<Telemetry, 'log' | 'metrics'>,
): Feed {
  const source = createServedSource({ db: context.db });
  const reads = limitWork(nodeReads(connections));
  watchNodes(metrics, () => allNodes(context.db));
  const feedMetrics = createFeedMetrics(metrics);
  const { commits = createCommits() } = context;
  const validKeys = (ids: readonly string[]) => keysStillValid(context, ids);
  const hub = createHub({ source, clock: realClock, log, metrics: feedMetrics, commits, reads, validKeys });
  const arrivals = createArrivals({ read: () => livingRows(context.db), clock: realClock });
  const onReport = () => {
    arrivals.reported();
    context.childZones?.reported();
  };
  const reports = createNodeReports(log, realClock.now, onReport, observeApplied(metrics));
  const vantages = new Vantages(context.db, new ProbeLists({ db: context.db, clock: realClock, mayProbe }));
  return { hub, source, reads, reports, arrivals, vantages, keyring: context.keyring };
}

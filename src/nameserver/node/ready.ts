// Whether queries should come to this node. The answer must not depend on the api: while it is down, every node falls
// behind at the same time, and a Service without ready pods answers nothing. So a node that was ready stays ready
// however old its zones are, as long as its name server has them. Only after a start, and after its name server was
// down for long (absence.ts), does it wait until it caught up, because the other nodes answer meanwhile.
import type { HealthReport } from '#telemetry/health.ts';

export interface NodeFacts {
  /** A list was applied, in this process or before. */
  readonly isListed: boolean;
  /** Everything up to a line of the feed was applied, in this process, and since the name server was down for long. */
  readonly isCaughtUp: boolean;
  /** The node was ready before, in this process, and its name server was not down for long since then. */
  readonly wasReady: boolean;
  /** Since the start of the process, or the return of the name server, in ms. */
  readonly upMs: number;
  /** The longest wait for the feed after the start, in ms. */
  readonly limitMs: number;
  /** Since the latest line of the feed arrived that is applied together with everything before it, in ms. */
  readonly behindMs: number;
  /** Why the feed is not connected; null while it is. */
  readonly feedProblem: string | null;
  readonly isEngineUp: boolean;
  /**
   * Zones that the name server had before its start and still loads. Zones that it failed to load are not among them.
   */
  readonly loading: number;
  /** Since the name server began to load them, in ms. */
  readonly loadingMs: number;
  /** Since the name server loaded the latest of them, in ms. */
  readonly stalledMs: number;
  /** The longest wait for them, in ms. */
  readonly loadLimitMs: number;
  /** Why the state cannot be stored; null if it can. */
  readonly stateProblem: string | null;
  readonly failing: number;
}

/** An api that is down does not hold back a node that has zones for longer. */
const FEED_AWAY_MS = 10_000;
/** The part of the longest wait for zones without any progress: one large zone alone may take that long. */
const STALLED_PART = 0.5;

/**
 * Pure. Whether queries must wait for zones that load: a resolver would get SERVFAIL for them. One that never loads
 * does not hold back the others.
 */
export function isLoadAwaited({
  loading,
  loadingMs,
  stalledMs,
  loadLimitMs,
}: Pick<NodeFacts, 'loading' | 'loadingMs' | 'stalledMs' | 'loadLimitMs'>): boolean {
  return loading > 0 && loadingMs < loadLimitMs && stalledMs < loadLimitMs * STALLED_PART;
}

/** Pure. A problem of the feed or of single zones alone does not make a node unready. */
export function readiness(facts: NodeFacts): HealthReport {
  const { isListed, isEngineUp, loading, feedProblem } = facts;
  const isLoading = isLoadAwaited(facts);
  const patienceMs = feedProblem === null ? facts.limitMs : Math.min(FEED_AWAY_MS, facts.limitMs);
  const isCatchingUp = !facts.wasReady && !facts.isCaughtUp && facts.upMs < patienceMs;
  const checks = {
    zones: isListed ? 'all zones were applied' : 'the list of zones is not applied yet',
    feed: feedProblem ?? 'connected',
    behind: `${Math.round(facts.behindMs / 1000)} s${isCatchingUp ? ', waiting until the node caught up' : ''}`,
    engine: isEngineUp ? 'answers' : 'the name server does not answer',
    ...(loading === 0 ? {} : { loading: `${loading} zones` }),
    ...(facts.failing === 0 ? {} : { failing: `${facts.failing} zones` }),
    ...(facts.stateProblem === null ? {} : { state: `cannot be stored: ${facts.stateProblem}` }),
  };
  return { ok: isListed && isEngineUp && !isLoading && !isCatchingUp, checks };
}

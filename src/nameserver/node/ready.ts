// Whether the node counts as ready. Answering does not depend on it: the name server answers from its contents in any case. While the
// api is away, every node falls behind at the same time, so a Service of name servers must also publish addresses that are not
// ready.
import type { HealthReport } from '#telemetry/health.ts';

export interface NodeFacts {
  /** A list was applied, in this process or before. */
  readonly isListed: boolean;
  /** Since the latest line of the feed arrived that is applied together with everything before it, in ms. */
  readonly behindMs: number;
  readonly limitMs: number;
  /** Why the feed is not connected; null while it is. */
  readonly feedProblem: string | null;
  readonly isEngineUp: boolean;
  /** Why the state cannot be stored; null if it can. */
  readonly stateProblem: string | null;
  readonly failing: number;
}

/** Pure. A problem of the feed or of single zones alone does not make the node unready; being behind for too long does. */
export function readiness(facts: NodeFacts): HealthReport {
  const isBehind = facts.behindMs > facts.limitMs;
  const seconds = Math.round(facts.behindMs / 1000);
  const checks = {
    zones: facts.isListed ? 'all zones were applied' : 'the list of zones is not applied yet',
    feed: facts.feedProblem ?? 'connected',
    behind: isBehind ? `${seconds} s, more than ${facts.limitMs / 1000} s` : `${seconds} s`,
    engine: facts.isEngineUp ? 'answers' : 'the name server does not answer',
    ...(facts.failing === 0 ? {} : { failing: `${facts.failing} zones` }),
    ...(facts.stateProblem === null ? {} : { state: `cannot be stored: ${facts.stateProblem}` }),
  };
  return { ok: facts.isListed && !isBehind && facts.isEngineUp, checks };
}

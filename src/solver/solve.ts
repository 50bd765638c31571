// Solves one challenge: applies the time limit, counts it in the metrics, and writes one log line.
import { deadline } from '#base/deadline.ts';
import type { Metrics } from '#telemetry/metrics.ts';
import { cleanUp } from './cleanup.ts';
import type { SolverContext } from './context.ts';
import type { ChallengeRequest, SolverOutcome } from './payload.ts';
import { present } from './present.ts';

/** kube-apiserver ends a request after 60 s, and a worker of cert-manager is blocked as long. */
const LIMIT_MS = 20_000;

/** Narrow around the limit: a quantile must not report 30 s if no challenge takes longer than 20. */
const BUCKETS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15, 20, 21, 30, 60];

type Solve = (request: ChallengeRequest, signal: AbortSignal) => Promise<SolverOutcome>;

export function createSolve(context: SolverContext, metrics: Metrics, limitMs = LIMIT_MS): Solve {
  const labels = ['action', 'result'] as const;
  const seconds = metrics.histogram<'action' | 'result'>({
    name: 'solver_challenge_duration_seconds',
    help: 'Seconds from a request of cert-manager to its answer.',
    labels,
    buckets: BUCKETS,
  });
  for (const action of ['Present', 'CleanUp']) {
    for (const result of ['success', 'failure']) seconds.zero({ action, result });
  }
  return async (request, signal) => {
    const { action, dnsName, resolvedFQDN } = request;
    const start = context.clock.now();
    const limit = deadline(context.clock, limitMs, signal);
    let outcome: SolverOutcome | undefined;
    try {
      const act = action === 'Present' ? present : cleanUp;
      outcome = await act(context, request, limit.signal);
      return outcome;
    } finally {
      limit.clear();
      const ms = context.clock.now() - start;
      seconds.observe({ action, result: outcome?.success ? 'success' : 'failure' }, ms / 1000);
      const message = outcome === undefined || outcome.success ? undefined : outcome.message;
      context.log.info(
        { action, dnsName, resolvedFQDN, success: outcome?.success ?? false, message, ms: Math.round(ms) },
        'challenge',
      );
    }
  };
}

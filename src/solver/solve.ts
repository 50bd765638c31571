// One challenge from request to outcome: its time limit, its metrics, its line in the log.
import { deadline } from '../kube/clock.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { cleanUp } from './cleanup.ts';
import type { House } from './house.ts';
import type { ChallengeRequest, Outcome } from './payload.ts';
import { present } from './present.ts';

/** kube-apiserver cuts a request after 60 s, and a worker of cert-manager waits as long. */
const LIMIT_MS = 20_000;

/** Close around the limit: a quantile must not tell of 30 s where nothing takes longer than 20. */
const BUCKETS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15, 20, 21, 30, 60];

export type Solve = (request: ChallengeRequest, signal: AbortSignal) => Promise<Outcome>;

export function createSolve(house: House, metrics: Metrics, limitMs = LIMIT_MS): Solve {
  const labels = ['action', 'result'] as const;
  const seconds = metrics.histogram<'action' | 'result'>({
    name: 'solver_challenge_seconds',
    help: 'Time from a request of cert-manager to its answer',
    labels,
    buckets: BUCKETS,
  });
  for (const action of ['Present', 'CleanUp']) {
    for (const result of ['success', 'failure']) seconds.zero({ action, result });
  }
  return async (request, signal) => {
    const { action, dnsName, resolvedFQDN } = request;
    const start = house.clock.now();
    const limit = deadline(house.clock, limitMs, signal);
    let outcome: Outcome | undefined;
    try {
      const act = action === 'Present' ? present : cleanUp;
      outcome = await act(house, request, limit.signal);
      return outcome;
    } finally {
      limit.clear();
      const ms = house.clock.now() - start;
      seconds.observe({ action, result: outcome?.success ? 'success' : 'failure' }, ms / 1000);
      const message = outcome === undefined || outcome.success ? undefined : outcome.message;
      house.log.info(
        { action, dnsName, resolvedFQDN, success: outcome?.success ?? false, message, ms: Math.round(ms) },
        'challenge',
      );
    }
  };
}

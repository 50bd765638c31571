// The metrics of tokens:
//
//   zonestead_token_verifications_total   by result: ok, or the code of the problem
//   zonestead_token_key_fetches_total     by result
//   zonestead_token_reviews_total         by result
//   zonestead_token_issuers               key sources that a token named since the start
//   zonestead_token_failing_issuers       those whose last fetch failed
import type { Metrics } from '#telemetry/metrics.ts';
import { PROBLEM_CODES, type TokenProblem } from './issuer.ts';

export interface TokenMetrics {
  verified(result: TokenProblem['code'] | 'ok'): void;
  fetched(result: 'ok' | 'failed'): void;
  reviewed(result: 'ok' | 'refused' | 'failed'): void;
}

/** @param count the number of key sources, and of those whose last fetch failed */
export function createTokenMetrics(metrics: Metrics, count: () => { all: number; failing: number }): TokenMetrics {
  const verifications = metrics.counter({
    name: 'token_verifications_total',
    help: 'Verifications of JSON Web Tokens, by result: ok, or the reason why the token was refused.',
    labels: ['result'],
  });
  for (const result of ['ok', ...PROBLEM_CODES]) verifications.inc({ result }, 0);
  const fetches = metrics.counter({
    name: 'token_key_fetches_total',
    help: 'Fetches of the keys of token issuers, by result (ok, failed).',
    labels: ['result'],
  });
  for (const result of ['ok', 'failed']) fetches.inc({ result }, 0);
  const reviews = metrics.counter({
    name: 'token_reviews_total',
    help: 'Tokens that the API server of the cluster judged, by result (ok, refused, failed).',
    labels: ['result'],
  });
  for (const result of ['ok', 'refused', 'failed']) reviews.inc({ result }, 0);
  metrics.gauge({
    name: 'token_issuers',
    help: 'Sources of keys of token issuers that are in use.',
    collect: (gauge) => gauge.set(count().all),
  });
  metrics.gauge({
    name: 'token_failing_issuers',
    help: 'Sources of keys of token issuers whose last fetch failed. Known keys are used for 24 hours.',
    collect: (gauge) => gauge.set(count().failing),
  });
  return {
    verified: (result) => verifications.inc({ result }),
    fetched: (result) => fetches.inc({ result }),
    reviewed: (result) => reviews.inc({ result }),
  };
}

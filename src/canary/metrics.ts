// The metrics of the canary. Labels are the addresses of name servers, at most MAX_ADDRESSES of them at a time, and
// fixed words.
import type { Metrics } from '#telemetry/metrics.ts';
import { RESULTS, type Result } from './verdict.ts';

/** More addresses are not asked. */
export const MAX_ADDRESSES = 64;
export const TRANSPORTS = ['udp', 'tcp'] as const;
export type Transport = (typeof TRANSPORTS)[number];
export const CHANGE_RESULTS = ['answered', 'late', 'failed'] as const;
export type ChangeResult = (typeof CHANGE_RESULTS)[number];
export const CHALLENGE_RESULTS = ['issued', 'failed'] as const;
export type ChallengeResult = (typeof CHALLENGE_RESULTS)[number];

const QUERY_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5];

export interface CanaryMetrics {
  /** The addresses whose series exist from now on. Those of other addresses end. */
  setAddresses(addresses: readonly string[]): void;
  /** @param seconds null without an answer */
  countQuery(address: string, transport: Transport, result: Result, seconds: number | null): void;
  /** @param seconds null if the api has not acknowledged the change */
  countChange(result: ChangeResult, seconds: number | null): void;
  /** @param seconds null for one that failed */
  countChallenge(result: ChallengeResult, seconds: number | null): void;
}

/** @param freshness the seconds of each address, asked at each scrape */
export function createCanaryMetrics(metrics: Metrics, freshness: () => ReadonlyMap<string, number>): CanaryMetrics {
  const queries = metrics.counter({
    name: 'canary_queries_total',
    help: 'Queries of the canary to one address: right, wrong (an error, or an old value), bogus (DNSSEC does not validate) or silent (no answer).',
    labels: ['address', 'transport', 'result'],
  });
  const queryDuration = metrics.histogram({
    name: 'canary_query_duration_seconds',
    help: 'Seconds from a query of the canary to its answer, right or not.',
    labels: ['transport'],
    buckets: QUERY_BUCKETS,
  });
  const changes = metrics.counter({
    name: 'canary_changes_total',
    help: 'Changes by the canary: answered by all addresses, late (not by all within the limit) or failed (the API did not make the change).',
    labels: ['result'],
  });
  const changeDuration = metrics.histogram({
    name: 'canary_change_duration_seconds',
    help: 'Seconds from the answer of the API to a change until all addresses answer it over UDP and TCP. A late change counts with its limit.',
  });
  metrics.gauge({
    name: 'canary_freshness_seconds',
    help: 'Seconds since the API acknowledged the first value that the address has not answered yet; 0 if it answers the newest one.',
    labels: ['address'],
    collect: (gauge) => {
      gauge.reset();
      for (const [address, seconds] of freshness()) gauge.set({ address }, seconds);
    },
  });
  const challenges = metrics.counter({
    name: 'canary_challenges_total',
    help: 'Challenges by the canary: issued (presented, answered by all addresses, and removed) or failed.',
    labels: ['result'],
  });
  const challengeDuration = metrics.histogram({
    name: 'canary_challenge_duration_seconds',
    help: 'Seconds from the request that presents a challenge until all addresses answer it.',
  });
  for (const transport of TRANSPORTS) queryDuration.zero({ transport });
  for (const result of CHANGE_RESULTS) changes.inc({ result }, 0);
  for (const result of CHALLENGE_RESULTS) challenges.inc({ result }, 0);
  let known: readonly string[] = [];
  const forEachSeries = (
    address: string,
    run: (labels: { address: string; transport: string; result: string }) => void,
  ) => {
    for (const transport of TRANSPORTS) for (const result of RESULTS) run({ address, transport, result });
  };
  return {
    setAddresses: (addresses) => {
      for (const address of known)
        if (!addresses.includes(address)) forEachSeries(address, (labels) => queries.remove(labels));
      for (const address of addresses)
        if (!known.includes(address)) forEachSeries(address, (labels) => queries.inc(labels, 0));
      known = [...addresses];
    },
    countQuery: (address, transport, result, seconds) => {
      // An answer may arrive after its address has left.
      if (!known.includes(address)) return;
      queries.inc({ address, transport, result });
      if (seconds !== null) queryDuration.observe({ transport }, seconds);
    },
    countChange: (result, seconds) => {
      changes.inc({ result });
      if (seconds !== null) changeDuration.observe(seconds);
    },
    countChallenge: (result, seconds) => {
      challenges.inc({ result });
      if (seconds !== null) challengeDuration.observe(seconds);
    },
  };
}
